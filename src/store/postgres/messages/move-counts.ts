/** Counts status changes for the metrics. */

import type { StoreCounts } from '../../../broker/contract/store-metrics.ts'
import { FINAL_STATUSES } from '../../../broker/vocabulary/status.ts'
import { STATUS_CODES } from '../schema/codes.ts'
import type { MovedRow } from './store-events.ts'

/** Counts the age of a message that was delivered, or has a final status. */
export function countMove(counts: StoreCounts, row: MovedRow): void {
  const seconds = (row.changed_at_ms - row.created_at_ms) / 1_000
  if (row.is_first_delivery) counts.delivered(seconds)
  if (FINAL_STATUSES.includes(STATUS_CODES.name(row.status))) counts.completions.observe(seconds)
}
