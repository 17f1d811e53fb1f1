/** Stores counts per minute and per hour in PostgreSQL. A trigger of the schema counts failures and cancellations. */

import {
  type FailureCounts,
  type MessageLife,
  MINUTE_MS,
  rowStepOf,
  type StatisticsRow,
  type StatisticsStore,
} from '../../../broker/contract/statistics-store.ts'
import { sumBuckets } from '../../../broker/vocabulary/delivery-buckets.ts'
import { encodeText } from '../database/text.ts'
import { STATUS_CODES } from '../schema/codes.ts'
import type { Reads } from '../views/reads.ts'
import type { Share } from './shared-state.ts'

/** Messages of a device read by one statement. */
const STEP_MESSAGES = 2_000

/** `deliveries` has an element for each row of the step. */
type Row = Omit<StatisticsRow, 'deliveries'> & { readonly deliveries: readonly Buckets[] | null }
type Buckets = NonNullable<StatisticsRow['deliveries']>
type TimesRow = Omit<MessageLife, 'status'> & { readonly id: number; readonly status: number }

/** Stored rows of a step, and the counts since. */
const ROWS = `
  SELECT at_ms, stored, delivered, completed, failed, unknown, cancelled, unacknowledged, pending, up_ms, delivery, true AS is_row
  FROM statistics WHERE step_ms = $1 AND at_ms >= $2 AND at_ms < $3
  UNION ALL
  SELECT at_ms - at_ms % $1, 0, 0, 0, failed, unknown, cancelled, 0, NULL, 0, NULL, false
  FROM statistic_changes WHERE at_ms >= $2 AND at_ms < $3`

/** @param share stores the counts of this node */
export function postgresStatistics(reads: Reads, share: Share): StatisticsStore {
  return {
    async add(minutes) {
      const counted = minutes.map(({ atMs, upFromMs, upToMs, deliveries, ...counts }) => {
        return { at_ms: atMs, ...counts, up_from_ms: upFromMs, up_to_ms: upToMs, delivery: deliveries }
      })
      await share({ op: 'statistics', key: 'statistics', minutes: counted })
    },

    async rows(stepMs, fromMs, toMs) {
      const rows = await reads.run<Row>(
        `SELECT at_ms - at_ms % $4 AS "atMs", sum(stored)::bigint AS stored, sum(delivered)::bigint AS delivered,
           sum(completed)::bigint AS completed, sum(failed)::bigint AS failed, sum(unknown)::bigint AS unknown,
           sum(cancelled)::bigint AS cancelled, sum(unacknowledged)::bigint AS unacknowledged, max(pending) AS pending,
           sum(up_ms)::bigint AS "upMs", json_agg(delivery) FILTER (WHERE delivery IS NOT NULL) AS deliveries
         FROM (${ROWS}) r GROUP BY 1 HAVING bool_or(is_row) OR sum(failed) > 0 OR sum(cancelled) > 0 ORDER BY 1`,
        [rowStepOf(stepMs), fromMs, toMs, stepMs],
      )
      return rows.map((row) => ({
        ...row,
        deliveries: row.deliveries?.reduce<Buckets | null>(sumBuckets, null) ?? null,
      }))
    },

    async failures(fromMs) {
      const [row] = await reads.run<FailureCounts>(
        `SELECT coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(unknown), 0)::bigint AS unknown,
           coalesce(sum(unacknowledged), 0)::bigint AS unacknowledged
         FROM (${ROWS}) r`,
        [MINUTE_MS, fromMs, Number.MAX_SAFE_INTEGER],
      )
      return row ?? { failed: 0, unknown: 0, unacknowledged: 0 }
    },

    async oldestMs(stepMs) {
      const [row] = await reads.run<{ atMs: number | null }>(
        'SELECT min(at_ms) AS "atMs" FROM statistics WHERE step_ms = $1',
        [stepMs],
      )
      return row?.atMs ?? null
    },

    async purge(stepMs, beforeMs) {
      const rows = await reads.run(
        'DELETE FROM statistics WHERE step_ms = $1 AND at_ms < $2 RETURNING at_ms',
        [stepMs, beforeMs],
      )
      return rows.length
    },

    async ofDevice(deviceId, limit) {
      const found: MessageLife[] = []
      for (let below = Number.MAX_SAFE_INTEGER; found.length < limit; ) {
        const step = Math.min(STEP_MESSAGES, limit - found.length)
        const rows = await reads.run<TimesRow>(
          `SELECT id, status, created_at_ms AS "createdAtMs", changed_at_ms AS "changedAtMs", delivered_at_ms AS "deliveredAtMs"
           FROM messages WHERE device_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
          [encodeText(deviceId), below, step],
        )
        for (const { id, status, ...times } of rows) {
          found.push({ ...times, status: STATUS_CODES.name(status) })
          below = id
        }
        if (rows.length < step) break
      }
      return found
    },
  }
}
