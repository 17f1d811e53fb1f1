/** A status as icon, colour and word. */
import { Ban, CircleCheck, CircleHelp, CircleX, Clock, type LucideIcon, Send } from 'lucide-preact'
import type { DeliveryStatus } from '../../client/index.ts'
import { useTexts } from '../texts/texts.ts'

const LOOKS: Readonly<Record<DeliveryStatus, readonly [icon: LucideIcon, tone: string]>> = {
  NOT_DELIVERED: [Clock, 'wait'],
  DELIVERED: [Send, 'info'],
  COMPLETED: [CircleCheck, 'good'],
  COMPLETED_WITH_ERROR: [CircleX, 'bad'],
  CANCELLED: [Ban, 'calm'],
  UNKNOWN: [CircleHelp, 'odd'],
}

/** All statuses, in the order of the table of looks. The compiler requires that table to be complete. */
export const STATUSES = Object.keys(LOOKS) as DeliveryStatus[]

export function StatusBadge({ status }: { status: DeliveryStatus }) {
  const t = useTexts('statuses')
  const [Icon, tone] = LOOKS[status]
  return (
    <span class={`badge ${tone}`} title={status}>
      <Icon size={14} aria-hidden="true" />
      {t[status]}
    </span>
  )
}
