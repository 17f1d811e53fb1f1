/**
 * Builds the statements that list and count messages, newest first. Each reads a bounded part of one table or index.
 */
import type { MessageSearch } from '../../../broker/contract/message-search.ts'
import { FAILURE_CAUSES, failureKind } from '../../../broker/contract/store-stats.ts'
import { FAILED_STATUSES, type Status, statusOfCause } from '../../../broker/vocabulary/status.ts'
import { formsOf } from '../../../broker/vocabulary/text-part.ts'
import { encodeText } from '../database/text.ts'
import { CAUSE_CODES, STATUS_CODES } from '../schema/codes.ts'
import { isRare, newestRare } from '../schema/rare-messages.ts'

/** Part of a list that a statement reads. */
export interface ListRange {
  /** Smallest id, inclusive. */
  readonly from: number
  /** Upper bound of the ids, exclusive. */
  readonly below: number
  /** Maximum messages that the statement reads. */
  readonly scan: number
  /** Maximum messages that the statement returns. */
  readonly limit: number
}

export interface ListStatement {
  readonly text: string
  readonly values: unknown[]
}

/** Adds a value to the statement, and returns its placeholder. */
type Parameter = (value: unknown) => string

/**
 * Returns a statement and its values. Its rows have `floor`, the smallest id read, and `scanned`, the number of
 * messages read.
 */
export function listStatement(search: MessageSearch, part: ListRange, columns: string): ListStatement {
  const { scanned, matches, values } = partsOf(search, part)
  // OFFSET 0 forces the planner to look up each id.
  return {
    text: `WITH scanned AS MATERIALIZED ${scanned},
      found AS MATERIALIZED (SELECT s.id FROM scanned s WHERE ${matches} ORDER BY s.id DESC LIMIT $4)
      SELECT s.floor, s.scanned, f.* FROM (SELECT min(id) AS floor, count(*)::int AS scanned FROM scanned) s LEFT JOIN
        (SELECT m.* FROM found CROSS JOIN LATERAL (SELECT ${columns} FROM messages m WHERE m.id = found.id OFFSET 0) m) f ON true
      ORDER BY f.id DESC`,
    values,
  }
}

/** Returns a statement whose row has `floor`, `scanned` and `count`, the number of matching messages, at most `limit`. */
export function countStatement(search: MessageSearch, part: ListRange): ListStatement {
  const { scanned, matches, values } = partsOf(search, part)
  return {
    text: `WITH scanned AS MATERIALIZED ${scanned}
      SELECT (SELECT min(id) FROM scanned) AS floor, (SELECT count(*)::int FROM scanned) AS scanned,
        (SELECT count(*)::int FROM (SELECT FROM scanned s WHERE ${matches} LIMIT $4) f) AS count`,
    values,
  }
}

/**
 * Returns whether every message that the statement reads passes the filter, so that it need not read more than it
 * returns.
 */
export function isUnfiltered({ deviceIds: _, fromMs, toMs, before, ...conditions }: MessageSearch): boolean {
  return Object.values(conditions).every((condition) => condition === undefined)
}

function partsOf(search: MessageSearch, { from, below, scan, limit }: ListRange) {
  const values: unknown[] = [from, below, scan, limit]
  const parameter: Parameter = (value) => `$${values.push(value)}`
  const scanned = sourceOf(search, parameter)
  return { scanned, matches: conditionsOf(search, parameter).join(' AND ') || 'true', values }
}

/** Returns the newest messages of the range in a table or an index, with the columns that have conditions. */
function sourceOf(search: MessageSearch, parameter: Parameter): string {
  const { deviceIds, cause, outcome, changedFromMs, changedToMs, incidentId } = search
  const status = statusOf(search)
  const columns = columnsOf(search)
  const range = (id: string): string => `${id} >= $1 AND ${id} < $2`
  const indexed = (condition: string): string =>
    `(SELECT m.id, ${columns} FROM messages m WHERE ${condition} AND ${range('m.id')} ORDER BY m.id DESC LIMIT $3)`
  const merged = (conditions: readonly string[]): string =>
    conditions.length === 1
      ? indexed(conditions[0] as string)
      : `(SELECT * FROM (${conditions.map(indexed).join(' UNION ALL ')}) e ORDER BY id DESC LIMIT $3)`
  const rare = (statuses: readonly Status[]): string =>
    withIds(newestRare(statuses, { condition: range('r.message_id'), limit: '$3' }), columns)
  if (outcome === 'FAILED' || incidentId !== undefined) {
    if ([changedFromMs, changedToMs, incidentId].every((each) => each === undefined))
      return rare(FAILED_STATUSES)
    const condition = [failedCondition('r.'), ...changedIn(search, 'r.', parameter), range('r.message_id')]
    // OFFSET 0 keeps the planner from walking through all ids.
    return withIds(
      `(SELECT id FROM (SELECT r.message_id AS id FROM rare_messages r WHERE ${condition.join(' AND ')} OFFSET 0) e
        ORDER BY id DESC LIMIT $3)`,
      columns,
    )
  }
  if (deviceIds !== undefined)
    return merged(deviceIds.map((deviceId) => `m.device_id = ${parameter(encodeText(deviceId))}`))
  if (status === 'NOT_DELIVERED')
    return withIds(`(SELECT p.id FROM pending p WHERE ${range('p.id')} ORDER BY p.id DESC LIMIT $3)`, columns)
  if (status !== null && isRare(status)) return rare([status])
  if (status === null && cause === 'EXPIRED') return rare(['CANCELLED', 'UNKNOWN'])
  return indexed('true')
}

/** Returns the messages with the ids of a query. A message that was removed meanwhile counts as read, and has no status. */
function withIds(ids: string, columns: string): string {
  return `(SELECT i.id, ${columns} FROM ${ids} i LEFT JOIN LATERAL (SELECT ${columns} FROM messages m WHERE m.id = i.id OFFSET 0) m ON true)`
}

function conditionsOf(search: MessageSearch, parameter: Parameter): string[] {
  const { ids, deviceIds, outcome, cause, command, senderId, resent, incidentId } = search
  const status = statusOf(search)
  const equals = (column: string, text: string): string => `s.${column} = ${parameter(encodeText(text))}`
  return [
    ...(ids === undefined ? [] : [`s.id = ANY(${parameter(ids)}::bigint[])`]),
    ...(status === null ? [] : [`s.status = ${STATUS_CODES.of(status)}`]),
    ...(cause === undefined ? [] : [`s.cause = ${CAUSE_CODES.of(cause)}`]),
    ...(command === undefined ? [] : [equals('command', command)]),
    ...(senderId === undefined ? [] : [equals('sender_id', senderId)]),
    ...(outcome === undefined && incidentId === undefined ? [] : [failedCondition('s.')]),
    ...(incidentId === undefined ? [] : [isMember(parameter(incidentId))]),
    ...((outcome === undefined && incidentId === undefined) || deviceIds === undefined
      ? []
      : [`s.device_id = ANY(${parameter(deviceIds.map((each) => encodeText(each)))})`]),
    ...changedIn(search, 's.', parameter),
    ...(search.search === undefined ? [] : [containing(search.search, ['device_id', 'command'], parameter)]),
    ...(search.text === undefined ? [] : [containing(search.text, ['data'], parameter)]),
    ...(resent === undefined
      ? []
      : [`${resent ? '' : 'NOT '}EXISTS (SELECT FROM resends r WHERE r.message_id = s.id)`]),
  ]
}

/** Returns the columns of a message, besides its id, on which a search has conditions. A long `data` is read only if it is searched. */
function columnsOf(search: MessageSearch): string {
  const { search: part, text, outcome, changedFromMs, changedToMs, deviceIds, incidentId } = search
  const isDated = [changedFromMs, changedToMs, incidentId].some((each) => each !== undefined)
  const needs = {
    device_id:
      part !== undefined || incidentId !== undefined || (outcome !== undefined && deviceIds !== undefined),
    changed_at_ms: isDated,
    data: text !== undefined,
  }
  const more = Object.entries(needs).filter(([, isNeeded]) => isNeeded)
  return ['status', 'cause', 'command', 'sender_id', ...more.map(([column]) => column)]
    .map((column) => `m.${column}`)
    .join(', ')
}

/** Returns the condition that the failure of `s` is a member of an incident. The key of the member leads to its row. */
function isMember(incident: string): string {
  const kinds = FAILURE_CAUSES.map((cause) => `WHEN ${CAUSE_CODES.of(cause)} THEN '${failureKind(cause)}:'`)
  const key = `CASE s.cause ${kinds.join(' ')} ELSE '${failureKind(null)}:' END || s.device_id || ':' || s.command`
  return `EXISTS (SELECT FROM incident_signals i WHERE i.incident_id = ${incident} AND i.key = ${key} AND i.device_id = s.device_id
    AND s.changed_at_ms BETWEEN i.first_ms AND coalesce(i.ended_ms, s.changed_at_ms))`
}

function changedIn(
  { changedFromMs, changedToMs, incidentId }: MessageSearch,
  from: string,
  parameter: Parameter,
): string[] {
  return [
    ...(changedFromMs === undefined ? [] : [`${from}changed_at_ms >= ${parameter(changedFromMs)}`]),
    ...(changedToMs === undefined ? [] : [`${from}changed_at_ms < ${parameter(changedToMs)}`]),
    ...(incidentId === undefined
      ? []
      : [
          `${from}changed_at_ms >= (SELECT min(first_ms) FROM incident_signals WHERE incident_id = ${parameter(incidentId)})`,
        ]),
  ]
}

/**
 * Returns the condition that a column contains a substring. With the collation C, `lower` changes ASCII letters only.
 */
function containing(part: string, columns: readonly string[], parameter: Parameter): string {
  const all = formsOf(part).flatMap((form) => {
    const value = parameter(encodeText(form))
    return columns.map((column) => `strpos(lower(s.${column} COLLATE "C"), ${value}) > 0`)
  })
  return `(${all.join(' OR ')})`
}

function failedCondition(from: string): string {
  return `${from}status IN (${FAILED_STATUSES.map((status) => STATUS_CODES.of(status)).join(', ')})`
}

/** Returns the status of a search. A cause with a single status implies the status, which may have an index. */
function statusOf({ status, cause }: MessageSearch): Status | null {
  return status ?? (cause === undefined ? null : statusOfCause(cause))
}
