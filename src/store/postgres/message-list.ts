/** Builds the statements that list messages, newest first. Each reads a bounded part of one table or index. */
import type { MessageFilter } from '../../broker/message-log.ts'
import { type Cause, RARE_STATUSES, type Status, TRANSITIONS } from '../../broker/status.ts'
import { CAUSE_CODES, STATUS_CODES } from './codes.ts'
import { encodeText } from './text.ts'

/** The part of a list that a statement reads. */
export interface ListRange {
  /** Smallest id. */
  readonly from: number
  /** Least id that is too large. */
  readonly below: number
  /** Maximum messages that the statement reads. */
  readonly scan: number
  /** Maximum messages that it returns. */
  readonly limit: number
}

/** The columns of a message on which a list has conditions. */
const FILTERED = 'm.id, m.status, m.cause, m.command, m.sender_id'

/** Returns a statement and its values. Its rows have `floor`, the least id read, and `scanned`, the number of messages read. */
export function listStatement(
  filter: MessageFilter,
  { from, below, scan, limit }: ListRange,
  columns: string,
): { text: string; values: unknown[] } {
  const values: unknown[] = [from, below, scan, limit]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const status = statusOf(filter)
  const range = (id: string): string => `${id} >= $1 AND ${id} < $2`
  const indexed = (condition: string): string =>
    `(SELECT ${FILTERED} FROM messages m WHERE ${condition} AND ${range('m.id')} ORDER BY m.id DESC LIMIT $3)`
  const source = (): string => {
    if (filter.deviceId !== undefined)
      return indexed(`m.device_id = ${parameter(encodeText(filter.deviceId))}`)
    if (status === 'NOT_DELIVERED')
      return `(SELECT m.* FROM (SELECT p.id FROM pending p WHERE ${range('p.id')} ORDER BY p.id DESC LIMIT $3) p
        CROSS JOIN LATERAL (SELECT ${FILTERED} FROM messages m WHERE m.id = p.id OFFSET 0) m)`
    if (status !== null && RARE_STATUSES.includes(status)) return indexed(statusIs(status))
    if (status === null && filter.cause === 'EXPIRED')
      return `(SELECT * FROM (${indexed(statusIs('CANCELLED'))} UNION ALL ${indexed(statusIs('UNKNOWN'))}) e ORDER BY id DESC LIMIT $3)`
    return indexed('true')
  }
  const scanned = source()
  const conditions = [
    ...(status === null ? [] : [`s.status = ${STATUS_CODES.of(status)}`]),
    ...(filter.cause === undefined ? [] : [`s.cause = ${CAUSE_CODES.of(filter.cause)}`]),
    ...(filter.command === undefined ? [] : [`s.command = ${parameter(encodeText(filter.command))}`]),
    ...(filter.senderId === undefined ? [] : [`s.sender_id = ${parameter(encodeText(filter.senderId))}`]),
  ]
  const matches = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  // OFFSET 0 keeps the planner from any other plan than a look-up of each id.
  return {
    text: `WITH scanned AS MATERIALIZED ${scanned},
      found AS MATERIALIZED (SELECT s.id FROM scanned s ${matches} ORDER BY s.id DESC LIMIT $4)
      SELECT s.floor, s.scanned, f.* FROM (SELECT min(id) AS floor, count(*)::int AS scanned FROM scanned) s LEFT JOIN
        (SELECT m.* FROM found CROSS JOIN LATERAL (SELECT ${columns} FROM messages m WHERE m.id = found.id OFFSET 0) m) f ON true
      ORDER BY f.id DESC`,
    values,
  }
}

/** Tells whether every message that the statement reads passes the filter, so that it need not read more than it returns. */
export function isUnfiltered({ status, cause, command, senderId }: MessageFilter): boolean {
  return [status, cause, command, senderId].every((condition) => condition === undefined)
}

/** Returns the status of a filter. A cause of one status alone implies the status, which may have an index. */
function statusOf({ status, cause }: MessageFilter): Status | null {
  if (status !== undefined || cause === undefined) return status ?? null
  return impliedStatus(cause)
}

function impliedStatus(cause: Cause): Status | null {
  const transitions = Object.values(TRANSITIONS).filter((transition) => transition.cause === cause)
  const [implied = null, ...more] = new Set(transitions.map(({ to }) => to))
  return more.length === 0 ? implied : null
}

/** Returns a condition. The number is part of the text, since a partial index serves no parameter. */
function statusIs(status: Status): string {
  return `m.status = ${STATUS_CODES.of(status)}`
}
