/** Reads and stores the reports of devices, in the running transaction. Knows no queues. */
import type { Statement } from 'better-sqlite3'
import type { StoredReport } from '../../../broker/contract/message-log.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import {
  PUT_REPORT,
  REPORT_COLUMNS,
  type ReportRow,
  reportOfRow,
  reportValues,
} from '../schema/report-columns.ts'

export class Reports {
  readonly #find: Statement<[messageId: number], ReportRow>
  readonly #put: WriteStatement

  constructor(writer: Writer) {
    this.#find = writer.prepare(`SELECT ${REPORT_COLUMNS} FROM reports r WHERE r.message_id = ?`)
    this.#put = writer.prepare(PUT_REPORT)
  }

  /** Returns the report of a message; null without one. */
  find(messageId: number): StoredReport | null {
    const row = this.#find.get(messageId)
    return row === undefined ? null : reportOfRow(row)
  }

  /** Replaces the report of a message. @param report null: it stays */
  put(messageId: number, report: StoredReport | null): void {
    if (report !== null) this.#put.run(...reportValues(messageId, report))
  }
}
