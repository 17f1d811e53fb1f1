/** Lists the problems that need attention, each with its subject and an action. */
import {
  CircleCheck,
  Clock,
  Hourglass,
  KeyRound,
  type LucideIcon,
  MailWarning,
  MoonStar,
  RotateCcw,
  ServerCrash,
  Undo2,
} from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { components } from '../../client/index.ts'
import { useProblemText } from '../parts/loaded.tsx'
import { Ago, durationText } from '../parts/time.tsx'
import { links } from '../state/location.ts'
import { call, mayChange } from '../state/session.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

export type Attention = components['schemas']['Attention']

const LOOKS: Readonly<Record<Attention['kind'], readonly [icon: LucideIcon, tone: string]>> = {
  STORAGE_FAILED: [ServerCrash, 'bad'],
  DISK_NEARLY_FULL: [ServerCrash, 'bad'],
  CLOCK_BEHIND: [Clock, 'bad'],
  QUEUE_NEARLY_FULL: [Hourglass, 'bad'],
  PARKED: [MailWarning, 'bad'],
  DEVICE_DEAF: [MailWarning, 'bad'],
  NOT_ACKNOWLEDGED: [MailWarning, 'wait'],
  NOT_FINISHED: [Hourglass, 'odd'],
  DEVICE_SILENT: [MoonStar, 'odd'],
  WAITING_LONG: [Hourglass, 'wait'],
  FAILED: [MailWarning, 'bad'],
  LOGIN_REFUSED: [KeyRound, 'odd'],
  QUEUES_OPEN: [KeyRound, 'odd'],
}

interface NeedsAttentionProps {
  readonly items: readonly Attention[]
  /** Called after an action on an item. */
  readonly onDone: () => void
}

export function NeedsAttention({ items, onDone }: NeedsAttentionProps) {
  const t = useTexts('overview')
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">{t.attention}</h2>
      {items.length === 0 ? (
        <div class="card all-well">
          <CircleCheck size={22} aria-hidden="true" />
          <p>
            <strong>{t.allWell}</strong>
            <br />
            <small class="muted">{t.allWellHint}</small>
          </p>
        </div>
      ) : (
        <ul class="card attention">
          {items.map((item) => (
            <Item
              key={`${item.kind}/${item.messageId}/${item.deviseId}/${item.address}/${item.unit}`}
              item={item}
              onDone={onDone}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function Item({ item, onDone }: { item: Attention; onDone: () => void }) {
  const { kind, since, deviseId, messageId } = item
  const [Icon, tone] = LOOKS[kind]
  const textOf = useAttentionText()
  return (
    <li>
      <span class={`sign ${tone}`}>
        <Icon size={16} aria-hidden="true" />
      </span>
      <p>
        {textOf(item)}
        <br />
        <small class="muted">
          {deviseId !== null && <ItemSubject kind={kind} id={deviseId} />}
          {messageId !== null && (
            <>
              {' · '}
              <a href={links.message(messageId)}>№ {messageId}</a>
            </>
          )}
          {since !== null && (
            <>
              {deviseId !== null && ' · '}
              <Ago at={since} />
            </>
          )}
        </small>
      </p>
      <ItemAction item={item} onDone={onDone} />
    </li>
  )
}

/** Shows the id of an item, with a link to its device. The id of a refused login may not be a device, so it has no link. */
function ItemSubject({ kind, id }: { kind: Attention['kind']; id: string }) {
  if (kind === 'LOGIN_REFUSED') return <span class="id">{id}</span>
  return (
    <a class="id" href={links.device(id)}>
      {id}
    </a>
  )
}

function ItemAction({
  item: { kind, deviseId, messageId },
  onDone,
}: {
  item: Attention
  onDone: () => void
}) {
  const t = useTexts('overview')
  if (mayChange.value && kind === 'FAILED' && messageId !== null) {
    return <ActionButton verb="resend" id={messageId} icon={RotateCcw} text={t.resend} onDone={onDone} />
  }
  if (mayChange.value && kind === 'WAITING_LONG' && messageId !== null) {
    return <ActionButton verb="cancel" id={messageId} icon={Undo2} text={t.cancel} onDone={onDone} />
  }
  const [link, text] = linkOf(kind, deviseId, t)
  return (
    <a class="button small quiet" href={link}>
      {text}
    </a>
  )
}

/** Returns the screen that helps with an item, and the label of its button. */
function linkOf(
  kind: Attention['kind'],
  deviseId: string | null,
  t: ReturnType<typeof useTexts<'overview'>>,
): [link: string, text: string] {
  if (kind === 'LOGIN_REFUSED') return [links.connections(), t.toConnections]
  if (kind === 'PARKED') return [links.messages({ cause: 'NOT_ACKNOWLEDGED' }), t.toMessages]
  if (kind === 'NOT_FINISHED') return [links.messages({ cause: 'NOT_FINISHED' }), t.toMessages]
  return deviseId === null ? [links.system(), t.toSystem] : [links.device(deviseId), t.toDevice]
}

interface ActionButtonProps {
  readonly verb: 'resend' | 'cancel'
  readonly id: number
  readonly icon: LucideIcon
  readonly text: string
  readonly onDone: () => void
}

function ActionButton({ verb, id, icon: Icon, text, onDone }: ActionButtonProps) {
  const t = useTexts('overview')
  const textOf = useProblemText()
  const [result, setResult] = useState<string | null>(null)
  const run = (): void => {
    const params = { path: { id } }
    call((api) => api.POST(`/admin/api/messages/{id}/${verb}`, { params }))
      .then(() => setResult(verb === 'resend' ? t.resent : null))
      .catch((error: unknown) => setResult(textOf(error)))
      .finally(onDone)
  }
  return (
    <span class="attempt" aria-live="polite">
      {result ?? (
        <button type="button" class="small quiet" onClick={run}>
          <Icon size={14} aria-hidden="true" /> {text}
        </button>
      )}
    </span>
  )
}

function useAttentionText(): (item: Attention) => string {
  const t = useTexts('overview')
  const locale = useLocale()
  const number = (value: number | null): string => new Intl.NumberFormat(locale).format(value ?? 0)
  const megabytes = (value: number | null): string =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 }).format(
      (value ?? 0) / 1e6,
    )
  const duration = (value: number | null, unitMs: number): string =>
    durationText((value ?? 0) * unitMs, locale)
  return ({ kind, value, limit, address, unit }) => {
    if (kind === 'DISK_NEARLY_FULL') return t[kind]({ value: megabytes(value), limit: megabytes(limit) })
    if (kind === 'QUEUE_NEARLY_FULL' && unit === 'bytes')
      return t.QUEUE_NEARLY_FULL_BYTES({ value: megabytes(value), limit: megabytes(limit) })
    if (kind === 'QUEUE_NEARLY_FULL') return t[kind]({ value: number(value), limit: number(limit) })
    if (kind === 'PARKED' || kind === 'NOT_FINISHED' || kind === 'NOT_ACKNOWLEDGED')
      return t[kind](value ?? 0)
    if (kind === 'QUEUES_OPEN') return t[kind]({ value: number(value) })
    if (kind === 'CLOCK_BEHIND') return t[kind]({ value: duration(value, 1) })
    if (kind === 'DEVICE_SILENT')
      return t[kind]({ value: duration(value, 1000), limit: duration(limit, 1000) })
    if (kind === 'LOGIN_REFUSED') return t[kind]({ value: number(value), address: address ?? '' })
    return t[kind]
  }
}
