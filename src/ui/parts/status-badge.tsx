/** Shows a status as icon, colour and word. Some causes have their own word. */
import { Ban, CircleCheck, CircleHelp, CircleX, Clock, type LucideIcon, Send } from 'lucide-preact'
import { type DeliveryStatus, STATUS_KINDS, type StatusKind } from '../../client/index.ts'
import { useTexts } from '../texts/texts.ts'

export type Look = readonly [icon: LucideIcon, tone: string]

/** Icon and tone of a status, by its kind. */
export const LOOKS: Readonly<Record<StatusKind, Look>> = {
  pending: [Clock, 'wait'],
  delivered: [Send, 'info'],
  succeeded: [CircleCheck, 'good'],
  failed: [CircleX, 'bad'],
  withdrawn: [Ban, 'calm'],
  unclear: [CircleHelp, 'odd'],
}

interface StatusBadgeProps {
  readonly status: DeliveryStatus
  readonly cause?: string | null | undefined
}

export function StatusBadge({ status, cause = null }: StatusBadgeProps) {
  const t = useTexts('statuses')
  const causes: Readonly<Record<string, string | undefined>> = useTexts('causes')
  const [Icon, tone] = LOOKS[STATUS_KINDS[status]]
  return (
    <span class={`badge ${tone}`} title={status}>
      <Icon size={14} aria-hidden="true" />
      {(cause !== null && causes[cause]) || t[status]}
    </span>
  )
}
