/** Reads and stores the reports of devices, in the running transaction. Knows no queues. */
import type { Statement } from 'better-sqlite3'
import type { StoredReport } from '../../../broker/contract/message-log.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'

type Row = Omit<StoredReport, 'resultDropped'> & { readonly resultDropped: 0 | 1 }

export class Reports {
  readonly #find: Statement<[messageId: number], Row>
  readonly #put: WriteStatement

  constructor(writer: Writer) {
    this.#find = writer.prepare(
      `SELECT reason, result, result_dropped AS resultDropped, late_status AS lateStatus, late_at_ms AS lateAtMs,
         late_reason AS lateReason
       FROM reports WHERE message_id = ?`,
    )
    this.#put = writer.prepare(
      `INSERT OR REPLACE INTO reports (message_id, reason, result, result_dropped, late_status, late_at_ms, late_reason)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
  }

  /** Returns the report of a message; null without one. */
  find(messageId: number): StoredReport | null {
    const row = this.#find.get(messageId)
    return row === undefined ? null : { ...row, resultDropped: row.resultDropped === 1 }
  }

  /** Replaces the report of a message. @param report null: it stays */
  put(messageId: number, report: StoredReport | null): void {
    if (report === null) return
    const { reason, result, resultDropped, lateStatus, lateAtMs, lateReason } = report
    this.#put.run(messageId, reason, result, Number(resultDropped), lateStatus, lateAtMs, lateReason)
  }
}
