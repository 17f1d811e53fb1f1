/** Shows one alert: the problem, the device, and the possible actions. */
import {
  Clock,
  Hourglass,
  KeyRound,
  type LucideIcon,
  MailWarning,
  MoonStar,
  ServerCrash,
} from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Id } from '../parts/id.tsx'
import { Ago } from '../parts/time.tsx'
import type { Alert } from '../state/alerts.ts'
import { links } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'
import { AttentionActions } from './attention-actions.tsx'
import { useAttentionText, useDetailText } from './attention-text.ts'

const LOOKS: Readonly<Record<Alert['kind'], readonly [icon: LucideIcon, tone: string]>> = {
  STORAGE_FAILED: [ServerCrash, 'bad'],
  DISK_NEARLY_FULL: [ServerCrash, 'bad'],
  CLOCK_BEHIND: [Clock, 'bad'],
  QUEUE_NEARLY_FULL: [Hourglass, 'bad'],
  PARKED: [MailWarning, 'bad'],
  DEVICE_DEAF: [MailWarning, 'bad'],
  ANSWERS_REFUSED: [MailWarning, 'bad'],
  NOT_ACKNOWLEDGED: [MailWarning, 'wait'],
  NOT_FINISHED: [Hourglass, 'odd'],
  DEVICE_SILENT: [MoonStar, 'odd'],
  WAITING_LONG: [Hourglass, 'wait'],
  FAILED: [MailWarning, 'bad'],
  LOGIN_REFUSED: [KeyRound, 'odd'],
  QUEUES_OPEN: [KeyRound, 'odd'],
}

interface AttentionRowProps {
  readonly alert: Alert
  /** True if the alert is over. The row stays while the list is in use. */
  readonly isOver: boolean
  readonly onChange: () => void
}

export function AttentionRow({ alert, isOver, onChange }: AttentionRowProps) {
  const t = useTexts('alerts')
  const [Icon, tone] = LOOKS[alert.kind]
  const textOf = useAttentionText()
  const isOpen = !isOver && alert.acknowledged === null
  return (
    <li class={isOpen ? '' : 'dimmed'}>
      <span class={`sign ${tone}`}>
        <Icon size={16} aria-hidden="true" />
      </span>
      <p>
        <Subject alert={alert} /> <span>{textOf(alert)}</span>
        <small class="muted">
          {isOver ? (
            t.ended
          ) : alert.acknowledged ? (
            <Acknowledged {...alert.acknowledged} />
          ) : (
            <Details alert={alert} />
          )}
        </small>
      </p>
      <AttentionActions alert={alert} isOver={isOver} onChange={onChange} />
    </li>
  )
}

/** Shows the object of the alert. The name of a refused sign-in may be no device, so the alert shows its address. */
function Subject({ alert: { deviseId, address } }: { alert: Alert }) {
  if (address !== null) return <strong class="id">{address}</strong>
  return deviseId === null ? null : <Id id={deviseId} link={links.device(deviseId)} />
}

function Details({ alert }: { alert: Alert }) {
  const t = useTexts('alerts')
  const detailOf = useDetailText()
  const { kind, command, messageId, address, deviseId, count } = alert
  const isRepeated = (count ?? 0) > 1 || kind === 'NOT_ACKNOWLEDGED'
  // The text says for how long a device was not seen.
  const date = kind === 'DEVICE_SILENT' ? null : (alert.lastDate ?? alert.sinceDate)
  const parts: ComponentChildren[] = [
    messageId !== null && (
      <>
        {command !== null && <span class="id">{command}</span>}{' '}
        <a href={links.message(messageId)}>№ {messageId}</a>
      </>
    ),
    address !== null && deviseId !== null && <span class="id">{deviseId}</span>,
    detailOf(alert),
    date !== null && (
      <>
        {isRepeated && t.last} <Ago at={date} />
      </>
    ),
  ]
  return (
    <>
      {parts
        .filter((part) => part !== false && part !== null)
        .map((part, i) => (
          <span key={String(i)}>
            {i > 0 && ' · '}
            {part}
          </span>
        ))}
    </>
  )
}

function Acknowledged({ by, date, note }: NonNullable<Alert['acknowledged']>) {
  const t = useTexts('alerts')
  return (
    <>
      {by === null ? t.acknowledged : t.acknowledgedBy({ by })} · <Ago at={date} />
      {note !== null && ` · ${note}`}
    </>
  )
}
