/** Shows the state of an incident as icon, colour and word. */
import { BellOff, Check, CircleCheck, type LucideIcon, Siren } from 'lucide-preact'
import { dateFormat } from '../parts/formats.ts'
import { today } from '../state/clock.ts'
import type { Incident } from '../state/incidents.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

const LOOKS: Readonly<Record<Incident['state'], readonly [icon: LucideIcon, tone: string]>> = {
  OPEN: [Siren, 'bad'],
  ACKNOWLEDGED: [Check, 'info'],
  MUTED: [BellOff, 'calm'],
  ENDED: [CircleCheck, 'good'],
}

export function IncidentState({ incident: { state, mutedUntilDate } }: { readonly incident: Incident }) {
  const t = useTexts('incidents')
  const common = useTexts('alerts')
  const timeText = useTimeText()
  const [Icon, tone] = LOOKS[state]
  const words = {
    OPEN: t.isOpen,
    ACKNOWLEDGED: common.acknowledged,
    MUTED: t.isMuted({ time: timeText(mutedUntilDate ?? 0) }),
    ENDED: t.ended,
  }
  return (
    <span class={`badge ${tone}`}>
      <Icon size={14} aria-hidden="true" />
      {words[state]}
    </span>
  )
}

/** Returns a function that formats a time in minutes, with the date if it is not today. */
function useTimeText(): (atMs: number) => string {
  const locale = useLocale()
  return (atMs) => {
    const isToday = new Date(atMs).toDateString() === today.value
    const day = isToday ? {} : ({ month: 'short', day: 'numeric' } as const)
    return dateFormat(locale, { ...day, hour: '2-digit', minute: '2-digit' }).format(atMs)
  }
}
