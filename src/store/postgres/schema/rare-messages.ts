/** Finds the messages with a rare status by the table `rare_messages`, which has their ids, statuses and times of change. */
import { RARE_STATUSES, type Status } from '../../../broker/vocabulary/status.ts'
import { STATUS_CODES } from './codes.ts'

/** Returns whether the table has the messages with a status. */
export function isRare(status: Status): boolean {
  return RARE_STATUSES.includes(status)
}

/**
 * Returns a query of the newest ids with some of the rare statuses, newest first. Its column is `id`.
 *
 * @param condition a condition on a row `r` of the table
 * @param limit maximum ids: a number, or the placeholder of a parameter
 */
export function newestRare(
  statuses: readonly Status[],
  { condition = 'true', limit = 'ALL' }: { condition?: string; limit?: number | string },
): string {
  // An index has the ids of one status in order.
  const queries = statuses.map(
    (
      status,
    ) => `(SELECT r.message_id AS id FROM rare_messages r WHERE r.status = ${STATUS_CODES.of(status)} AND ${condition}
      ORDER BY r.message_id DESC LIMIT ${limit})`,
  )
  return queries.length === 1
    ? (queries[0] as string)
    : `(SELECT id FROM (${queries.join(' UNION ALL ')}) e ORDER BY id DESC LIMIT ${limit})`
}

/** Returns a query of the id and the columns of the messages with the ids of a query. The columns have the prefix `m`. */
export function messagesOf(ids: string, columns: string): string {
  // OFFSET 0 keeps the planner from any other plan than a look-up of each id.
  return `(SELECT i.id, m.* FROM ${ids} i CROSS JOIN LATERAL (SELECT ${columns} FROM messages m WHERE m.id = i.id OFFSET 0) m)`
}
