/** Reads the rows of the hand-over from PostgreSQL. */
import type { QueryResultRow } from 'pg'
import {
  type FirstRows,
  type HandoverEvent,
  type HandoverFailure,
  type HandoverRange,
  type HandoverRows,
  MAX_GROUPED,
  MAX_READ_ROWS,
  type ServiceLine,
} from '../../../broker/contract/handover-store.ts'
import { FAILURE_CAUSES, type FailureCause } from '../../../broker/contract/store-stats.ts'
import { FAILED_STATUSES } from '../../../broker/vocabulary/status.ts'
import { HANDOVER_STATEMENTS } from '../../handover-statements.ts'
import { type IncidentRow, toIncident } from '../../incident-rows.ts'
import { decodeText } from '../database/text.ts'
import { detailOf } from '../records/audit-lines.ts'
import { CAUSE_CODES, codesOf, STATUS_CODES } from '../schema/codes.ts'
import { messagesOf } from '../schema/rare-messages.ts'
import type { Reads } from './reads.ts'

const OWN_CAUSES = codesOf(CAUSE_CODES, FAILURE_CAUSES)

/** Returns the newest failures of a time. */
function failuresBetween(from: string, to: string): string {
  const ids = `(SELECT message_id AS id FROM rare_messages
    WHERE changed_at_ms >= ${from} AND changed_at_ms < ${to} AND status IN (${codesOf(STATUS_CODES, FAILED_STATUSES)})
    ORDER BY changed_at_ms DESC, message_id DESC LIMIT ${MAX_GROUPED})`
  return messagesOf(ids, 'm.device_id, m.command, m.changed_at_ms AS at_ms, m.cause, m.reason')
}

const FAILURES = `SELECT command, cause, reason, count(*) FILTER (WHERE at_ms >= :from) AS count,
    count(*) FILTER (WHERE at_ms >= :from AND is_resent) AS resent, count(DISTINCT device_id) FILTER (WHERE at_ms >= :from) AS devices,
    count(*) FILTER (WHERE at_ms < :from) AS before, max(at_ms) AS "lastMs"
  FROM (SELECT f.command, f.device_id, f.at_ms, f.reason, CASE WHEN f.cause IN (${OWN_CAUSES}) THEN f.cause END AS cause,
      EXISTS (SELECT FROM resends r WHERE r.message_id = f.id) AS is_resent
    FROM (SELECT * FROM ${failuresBetween(':from', ':to')} now UNION ALL SELECT * FROM ${failuresBetween(':before', ':from')} earlier) f) failed
  GROUP BY command, cause, reason HAVING count(*) FILTER (WHERE at_ms >= :from) > 0 ORDER BY 4 DESC, 8 DESC, 1 LIMIT ${MAX_READ_ROWS}`

const SIGN_INS = `SELECT c.device_id AS "deviceId", l.at_ms AS "atMs" FROM client_logins l JOIN clients c ON c.id = l.client_id
  WHERE c.role <> 'DEVISE' AND l.at_ms >= :from AND l.at_ms < :to ORDER BY 2 DESC, 1 LIMIT ${MAX_READ_ROWS}`

export async function handoverRows(
  reads: Pick<Reads, 'run'>,
  { fromMs: from, toMs: to, beforeMs: before }: HandoverRange,
): Promise<HandoverRows> {
  const all = async <Row>(sql: string): Promise<Row[]> => {
    const { text, values } = numbered(sql.replaceAll(':client', 'client_id'), { from, to, before })
    return (await reads.run<QueryResultRow>(text, values)).map(decoded) as Row[]
  }
  const found = async <Row>(sql: string): Promise<FirstRows<Row>> => {
    const rows = await all<Row & { readonly total: number }>(sql)
    return { total: rows[0]?.total ?? 0, rows: rows.map(({ total, ...row }) => row as unknown as Row) }
  }
  const { incidents, firstSeen, returned, events, services, serviceLines, notes, changes } =
    HANDOVER_STATEMENTS
  const failures = await all<Omit<HandoverFailure, 'cause'> & { readonly cause: number | null }>(FAILURES)
  return {
    incidents: (await all<IncidentRow & { readonly note: string | null }>(incidents)).map((row) => ({
      ...toIncident(row),
      note: row.note,
    })),
    failures: failures.map(({ cause, ...row }) => ({
      ...row,
      cause: cause === null ? null : (CAUSE_CODES.name(cause) as FailureCause),
    })),
    firstSeen: await found(firstSeen),
    returned: await all(returned),
    events: (await all<HandoverEvent & { readonly detail: string }>(events)).map((row) => ({
      ...row,
      detail: JSON.parse(row.detail),
    })),
    services: await all(services),
    serviceLines: (await all<ServiceLine>(serviceLines)).map((row) => ({
      ...row,
      detail: detailOf(row.detail),
    })),
    notes: await found(notes),
    changes: await all(changes),
    signIns: await all(SIGN_INS),
  }
}

/** Replaces the names of a statement by the numbers of its values. */
function numbered(sql: string, times: Readonly<Record<'from' | 'to' | 'before', number>>) {
  const names: ('from' | 'to' | 'before')[] = []
  const text = sql.replaceAll(/:(from|to|before)\b/g, (_, name: 'from' | 'to' | 'before') => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}::bigint`
  })
  return { text, values: names.map((name) => times[name]) }
}

/** Returns a row with its texts as the broker knows them. A detail has its own form. */
function decoded(row: QueryResultRow): QueryResultRow {
  const members = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' && name !== 'detail' ? decodeText(value) : value,
  ])
  return Object.fromEntries(members)
}
