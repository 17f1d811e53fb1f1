/** Order of the statuses of one message that nobody replays: a later status has a larger number, and final ones the largest. */
import { FINAL_STATUSES, STATUSES, type Status } from '../../src/broker/vocabulary/status.ts'

const ORDER: readonly Status[] = ['NOT_DELIVERED', 'DELIVERED', 'UNKNOWN']

export const STATUS_STEPS = Object.fromEntries(
  STATUSES.map((status) => [status, FINAL_STATUSES.includes(status) ? ORDER.length : ORDER.indexOf(status)]),
) as Readonly<Record<Status, number>>
