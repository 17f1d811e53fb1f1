/** Reads the rows of the hand-over from SQLite. Blocks its thread, so it runs on a reader thread. */
import type { Database } from 'better-sqlite3'
import {
  type FirstRows,
  type HandoverEvent,
  type HandoverFailure,
  type HandoverNote,
  type HandoverRange,
  type HandoverRows,
  type HandoverService,
  MAX_GROUPED,
  MAX_READ_ROWS,
  type PersonChanges,
  type ReturnedDevice,
  type SeenFirst,
  type ServiceLine,
  type SignIn,
} from '../../../broker/contract/handover-store.ts'
import { FAILURE_CAUSES } from '../../../broker/contract/store-stats.ts'
import { HANDOVER_STATEMENTS } from '../../handover-statements.ts'
import { type IncidentRow, toIncident } from '../../incident-rows.ts'
import { failedCondition } from '../schema/rare-statuses.ts'

/** Returns the newest failures of a time. */
function failuresBetween(from: string, to: string): string {
  return `SELECT * FROM (SELECT m.command, m.device_id, m.changed_at_ms AS at_ms,
      CASE WHEN m.cause IN (${FAILURE_CAUSES.map((cause) => `'${cause}'`).join(', ')}) THEN m.cause END AS cause,
      (SELECT reason FROM reports WHERE message_id = m.id) AS reason,
      EXISTS (SELECT 1 FROM resends WHERE message_id = m.id) AS is_resent
    FROM messages m INDEXED BY messages_failed
    WHERE m.changed_at_ms >= ${from} AND m.changed_at_ms < ${to} AND ${failedCondition('m.status')}
    ORDER BY m.changed_at_ms DESC LIMIT ${MAX_GROUPED})`
}

const FAILURES = `SELECT command, cause, reason, sum(at_ms >= :from) AS count, sum(at_ms >= :from AND is_resent) AS resent,
    count(DISTINCT CASE WHEN at_ms >= :from THEN device_id END) AS devices, sum(at_ms < :from) AS before, max(at_ms) AS lastMs
  FROM (${failuresBetween(':from', ':to')} UNION ALL ${failuresBetween(':before', ':from')})
  GROUP BY command, cause, reason HAVING sum(at_ms >= :from) > 0 ORDER BY 4 DESC, 8 DESC, 1 LIMIT ${MAX_READ_ROWS}`

const SIGN_INS = `SELECT device_id AS deviceId, last_login_at_ms AS atMs FROM clients
  WHERE role <> 'DEVISE' AND last_login_at_ms >= :from AND last_login_at_ms < :to ORDER BY 2 DESC, 1 LIMIT ${MAX_READ_ROWS}`

export class HandoverScan {
  readonly #db: Database

  /** @param db connection for reads */
  constructor(db: Database) {
    this.#db = db
  }

  read({ fromMs: from, toMs: to, beforeMs: before }: HandoverRange): HandoverRows {
    const all = <Row>(sql: string): Row[] =>
      this.#db.prepare<[object], Row>(sql.replaceAll(':client', 'client')).all({ from, to, before })
    const found = <Row>(sql: string): FirstRows<Row> => {
      const rows = all<Row & { readonly total: number }>(sql)
      return { total: rows[0]?.total ?? 0, rows: rows.map(({ total, ...row }) => row as unknown as Row) }
    }
    const parsed = <Row>(sql: string): Row[] =>
      all<Row & { readonly detail: string }>(sql).map((row) => ({ ...row, detail: JSON.parse(row.detail) }))
    const { incidents, firstSeen, returned, events, services, serviceLines, notes, changes } =
      HANDOVER_STATEMENTS
    // One transaction, so that the lists show one state.
    return this.#db.transaction(() => ({
      incidents: all<IncidentRow & { readonly note: string | null }>(incidents).map((row) => ({
        ...toIncident(row),
        note: row.note,
      })),
      failures: all<HandoverFailure>(FAILURES),
      firstSeen: found<SeenFirst>(firstSeen),
      returned: all<ReturnedDevice>(returned),
      events: parsed<HandoverEvent>(events),
      services: all<HandoverService>(services),
      serviceLines: parsed<ServiceLine>(serviceLines),
      notes: found<HandoverNote>(notes),
      changes: all<PersonChanges>(changes),
      signIns: all<SignIn>(SIGN_INS),
    }))()
  }
}
