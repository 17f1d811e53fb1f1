/** Shows one incident of the overview in two lines, with its possible actions. */
import { Clock, KeyRound, type LucideIcon, MailWarning, MoonStar, ServerCrash, WifiOff } from 'lucide-preact'
import { useNumberText } from '../parts/numbers.ts'
import { Ago } from '../parts/time.tsx'
import type { FirstIncident, Incident } from '../state/incidents.ts'
import { links } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'
import { ActionButtons } from './attention-actions.tsx'
import { useIncidentActs } from './incident-acts.ts'
import { IncidentSentence } from './incident-sentence.tsx'

const LOOKS: Readonly<Record<Incident['kind'], readonly [icon: LucideIcon, tone: string]>> = {
  STORAGE_FAILED: [ServerCrash, 'bad'],
  DISK_NEARLY_FULL: [ServerCrash, 'bad'],
  CLOCK_BEHIND: [Clock, 'bad'],
  OUTAGE: [WifiOff, 'bad'],
  DEVICE: [MailWarning, 'bad'],
  AWAY: [MoonStar, 'odd'],
  FAILED: [MailWarning, 'bad'],
  PARKED: [MailWarning, 'bad'],
  NOT_FINISHED: [MailWarning, 'odd'],
  ADDRESS: [KeyRound, 'odd'],
  FLAPPING: [WifiOff, 'odd'],
  QUEUES_OPEN: [KeyRound, 'odd'],
}

/** Maximum reasons in a row, and maximum buttons. The menu has all actions. */
const REASONS = 3
const BUTTONS = 2

interface IncidentRowProps {
  readonly incident: FirstIncident
  /** True if the incident is no longer open. The row stays while the list is in use. */
  readonly isOver: boolean
  readonly onChange: () => void
}

export function IncidentRow({ incident, isOver, onChange }: IncidentRowProps) {
  const t = useTexts('incident')
  const [Icon, tone] = LOOKS[incident.kind]
  const acts = useIncidentActs(incident.id, incident.actions, onChange)
  return (
    <li class={isOver ? 'of-incident dimmed' : 'of-incident'}>
      <span class={`sign ${tone}`}>
        <Icon size={16} aria-hidden="true" />
      </span>
      <p>
        <a class="sentence" data-act="open" href={links.incident(incident.id)}>
          <IncidentSentence incident={incident} />
        </a>
        <small class="muted">{isOver ? t.handled : <Details incident={incident} />}</small>
      </p>
      {!isOver && acts.length > 0 && <ActionButtons acts={acts.slice(0, BUTTONS)} all={acts} />}
    </li>
  )
}

function Details({ incident }: { readonly incident: FirstIncident }) {
  const number = useNumberText()
  const parts = useFacts(incident)
  const reasons = incident.reasons.slice(0, REASONS).map(({ reason, count }) => `${reason} ${number(count)}`)
  return (
    <>
      <Ago at={incident.startedDate} />
      {[...parts, ...reasons].map((part) => (
        <span key={part}> · {part}</span>
      ))}
    </>
  )
}

/** Returns the numbers of an incident in words, without those that its sentence has. */
export function useFacts({ kind, waiting, messages }: Incident): readonly string[] {
  const t = useTexts('incident')
  return [
    ...(waiting > 0 ? [t.waiting(waiting)] : []),
    ...(messages > 0 && kind !== 'ADDRESS' ? [t.messages(messages)] : []),
  ]
}
