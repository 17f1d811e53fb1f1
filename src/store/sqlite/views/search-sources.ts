/** Chooses the table or the index that a search reads, and builds the SQL of its conditions. Runs no statement. */
import type { IdRange, MessageSearch } from '../../../broker/contract/message-search.ts'
import { FAILURE_CAUSES, failureKind } from '../../../broker/contract/store-stats.ts'
import {
  FAILED_STATUSES,
  RARE_STATUSES,
  type Status,
  statusOfCause,
} from '../../../broker/vocabulary/status.ts'
import { formsOf } from '../../../broker/vocabulary/text-part.ts'
import { segmentOfId } from '../schema/device-segments.ts'
import { failedCondition, rareCondition } from '../schema/rare-statuses.ts'

/** Values of the named parameters of a search. */
export type SearchValues = Readonly<Record<string, string | number>>

/** Table or index that is read in the order of message ids. */
export interface Source {
  readonly tables: string
  /** Conditions of the parts, which have no message in common. SQLite merges the parts. */
  readonly wheres: readonly string[]
  readonly id: string
}

const ALL: Source = { tables: 'messages m NOT INDEXED', wheres: ['true'], id: 'm.id' }
const PENDING: Source = {
  tables: 'waiting w CROSS JOIN messages m ON m.id = w.message_id',
  wheres: ['true'],
  id: 'w.message_id',
}

/**
 * Returns the sources of a search with the range of each, newest first.
 *
 * @param indexEnd id from which on `device_messages` and `waiting` have no messages
 * @param segmentsOf returns the parts of a range that lie in one segment each
 */
export function sourcesOf(
  search: MessageSearch,
  { from, below }: IdRange,
  indexEnd: number,
  segmentsOf: (range: IdRange) => Iterable<IdRange>,
): readonly (IdRange & { source: Source })[] {
  const { deviceIds, cause, outcome, changedFromMs, changedToMs, incidentId } = search
  const status = statusOf(search)
  const only = (source: Source) => [{ source, from, below }]
  if (outcome === 'FAILED' || incidentId !== undefined) {
    const isDated = [changedFromMs, changedToMs, incidentId].some((each) => each !== undefined)
    return only(isDated ? failedSince(search) : rare(FAILED_STATUSES))
  }
  if (deviceIds === undefined && status !== 'NOT_DELIVERED') {
    if (status !== null && RARE_STATUSES.includes(status)) return only(rare([status]))
    return only(status === null && cause === 'EXPIRED' ? rare(['CANCELLED', 'UNKNOWN']) : ALL)
  }
  const indexed = { from, below: Math.min(below, indexEnd) }
  const ranges = deviceIds === undefined ? [indexed] : [...segmentsOf(indexed)]
  const source = deviceIds === undefined ? PENDING : ofDevices(deviceIds)
  return [
    { source: ALL, from: Math.max(from, indexEnd), below },
    ...ranges.map((range) => ({ source, ...range })),
  ].filter((each) => each.from < each.below)
}

function rare(statuses: readonly Status[]): Source {
  const wheres = statuses.map((status) => `m.status = '${status}' AND ${rareCondition('m.status')}`)
  return { tables: 'messages m INDEXED BY messages_rare', wheres, id: 'm.id' }
}

/** Returns the failures in a period. SQLite sorts their ids, which are in the index. */
function failedSince(search: MessageSearch): Source {
  const where = [failedCondition('m.status'), ...changedIn(search)].join(' AND ')
  return { tables: 'messages m INDEXED BY messages_failed', wheres: [where], id: 'm.id' }
}

function ofDevices(deviceIds: readonly string[]): Source {
  return {
    tables: 'device_messages d CROSS JOIN messages m ON m.id = d.message_id',
    wheres: deviceIds.map((_, i) => `d.segment = ${segmentOfId('@from')} AND d.device_id = @device${i}`),
    id: 'd.message_id',
  }
}

/** Returns the conditions of a search on the columns of `m`, and their named values. */
export function conditionsOf(search: MessageSearch): { sql: string; values: SearchValues } {
  const { ids, deviceIds, command, cause, senderId, outcome, changedFromMs, changedToMs, resent } = search
  const { incidentId } = search
  const status = statusOf(search)
  const values: Record<string, string | number> = {}
  const named = (name: string, value: string | number): string => {
    values[name] = value
    return `@${name}`
  }
  const sql = changedIn(search)
  if (changedFromMs !== undefined) named('changedFrom', changedFromMs)
  if (changedToMs !== undefined) named('changedTo', changedToMs)
  if (status !== null) sql.push(`m.status = ${named('status', status)}`)
  if (outcome === 'FAILED') sql.push(failedCondition('m.status'))
  if (command !== undefined) sql.push(`m.command = ${named('command', command)}`)
  if (cause !== undefined) sql.push(`m.cause = ${named('cause', cause)}`)
  if (senderId !== undefined) sql.push(`m.sender_id = ${named('sender', senderId)}`)
  if (ids !== undefined)
    sql.push(`m.id IN (SELECT value FROM json_each(${named('ids', JSON.stringify(ids))}))`)
  if (deviceIds !== undefined)
    sql.push(`m.device_id IN (${deviceIds.map((id, i) => named(`device${i}`, id)).join(', ')})`)
  if (search.search !== undefined) sql.push(containing(search.search, ['m.device_id', 'm.command'], named))
  if (search.text !== undefined) sql.push(containing(search.text, ['m.data'], named))
  if (resent !== undefined)
    sql.push(`${resent ? '' : 'NOT '}EXISTS (SELECT 1 FROM resends r WHERE r.message_id = m.id)`)
  if (incidentId !== undefined) {
    named('incident', incidentId)
    sql.push(failedCondition('m.status'), IS_MEMBER)
  }
  return { sql: sql.join(' AND ') || 'true', values }
}

const FIRST_OF_INCIDENT = '(SELECT min(first_ms) FROM incident_signals WHERE incident_id = @incident)'

/** Condition that the failure of `m` is a member of `@incident`. The key of the member leads to its row. */
const IS_MEMBER = `EXISTS (SELECT 1 FROM incident_signals s WHERE s.incident_id = @incident
  AND s.key = CASE m.cause ${FAILURE_CAUSES.map((cause) => `WHEN '${cause}' THEN '${failureKind(cause)}:'`).join(' ')}
    ELSE '${failureKind(null)}:' END || m.device_id || ':' || m.command
  AND s.device_id = m.device_id AND m.changed_at_ms BETWEEN s.first_ms AND coalesce(s.ended_ms, m.changed_at_ms))`

function changedIn({ changedFromMs, changedToMs, incidentId }: MessageSearch): string[] {
  return [
    ...(changedFromMs === undefined ? [] : ['m.changed_at_ms >= @changedFrom']),
    ...(changedToMs === undefined ? [] : ['m.changed_at_ms < @changedTo']),
    ...(incidentId === undefined ? [] : [`m.changed_at_ms >= ${FIRST_OF_INCIDENT}`]),
  ]
}

/** Returns the condition that a column contains a substring. SQLite's `lower` changes ASCII letters only. */
function containing(
  part: string,
  columns: readonly string[],
  named: (name: string, value: string) => string,
): string {
  const all = formsOf(part).flatMap((form, i) =>
    columns.map((column) => `instr(lower(${column}), ${named(`${column.slice(2)}Part${i}`, form)}) > 0`),
  )
  return `(${all.join(' OR ')})`
}

/** Returns the status of a search. A cause with a single status implies the status, which may have an index. */
function statusOf({ status, cause }: MessageSearch): Status | null {
  return status ?? (cause === undefined ? null : statusOfCause(cause))
}
