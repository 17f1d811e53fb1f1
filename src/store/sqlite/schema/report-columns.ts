/** Derives the SQL columns of a report from the table of its texts. */
import type { StoredReport } from '../../../broker/contract/message-log.ts'
import { REPORT_TEXT_LIST, reportTextsOf } from '../../../broker/vocabulary/report-table.ts'
import type { Value } from '../database/transactions.ts'

/** Report as SQLite returns it. */
export type ReportRow = Omit<StoredReport, 'resultDropped'> & { readonly resultDropped: 0 | 1 }

/** Texts of a report `r`, named by the table of texts. */
export const TEXT_COLUMNS = REPORT_TEXT_LIST.map(({ name, column }) => `r.${column} AS ${name}`).join(', ')

/** Columns of a report `r` for {@link reportOfRow}. */
export const REPORT_COLUMNS = `${TEXT_COLUMNS}, r.result, r.result_dropped AS resultDropped,
  r.late_status AS lateStatus, r.late_at_ms AS lateAtMs, r.late_reason AS lateReason`

/** Statement that stores a report with the values of {@link reportValues}. */
export const PUT_REPORT = `INSERT OR REPLACE INTO reports
  (message_id, result, result_dropped, late_status, late_at_ms, late_reason, ${REPORT_TEXT_LIST.map(({ column }) => column).join(', ')})
  VALUES (?, ?, ?, ?, ?, ?, ${REPORT_TEXT_LIST.map(() => '?').join(', ')})`

export function reportValues(messageId: number, report: StoredReport): Value[] {
  const { result, resultDropped, lateStatus, lateAtMs, lateReason } = report
  const texts = REPORT_TEXT_LIST.map(({ name }) => report[name])
  return [messageId, result, Number(resultDropped), lateStatus, lateAtMs, lateReason, ...texts]
}

export function reportOfRow(row: ReportRow): StoredReport {
  const { result, resultDropped, lateStatus, lateAtMs, lateReason } = row
  return {
    ...reportTextsOf(row),
    result,
    resultDropped: resultDropped === 1,
    lateStatus,
    lateAtMs,
    lateReason,
  }
}
