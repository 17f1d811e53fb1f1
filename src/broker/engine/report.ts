/** Decides what a report of a device leaves with its message. Knows no store and no clock. */
import type { StoredReport } from '../contract/message-log.ts'
import type { Acknowledgement } from '../contract/store.ts'
import type { Report } from '../vocabulary/message.ts'
import { hasReportText, NO_REPORT_TEXTS, reportTexts } from '../vocabulary/report-table.ts'
import { isLate, type Status } from '../vocabulary/status.ts'

const NO_REPORT: StoredReport = {
  ...NO_REPORT_TEXTS,
  result: null,
  resultDropped: false,
  lateStatus: null,
  lateAtMs: null,
  lateReason: null,
}

/**
 * Merges a report into the earlier one; null if the report leaves nothing. A part that the report leaves out keeps its
 * value.
 */
export function withReport(earlier: StoredReport | null, report: Report): StoredReport | null {
  const base = earlier ?? NO_REPORT
  const hasResult = report.result !== null || report.resultDropped
  if (!hasReportText(report) && !hasResult) return null
  return {
    ...reportTexts((name) => report[name] ?? base[name]),
    result: hasResult ? report.result : base.result,
    resultDropped: hasResult ? report.resultDropped : base.resultDropped,
    lateStatus: base.lateStatus,
    lateAtMs: base.lateAtMs,
    lateReason: base.lateReason,
  }
}

/**
 * Returns the report of a message after an acknowledgement that changed nothing; null if the acknowledgement leaves
 * nothing. A late DELIVERED does not replace a final report.
 *
 * @param current status of the message
 */
export function withLateReport(
  earlier: StoredReport | null,
  { status, report }: Pick<Acknowledgement, 'status' | 'report'>,
  current: Status,
  nowMs: number,
): StoredReport | null {
  const base = earlier ?? NO_REPORT
  const hasFinal = base.lateStatus !== null && base.lateStatus !== 'DELIVERED'
  if (!isLate(status, current) || (status === 'DELIVERED' && hasFinal)) return null
  return { ...base, lateStatus: status, lateAtMs: nowMs, lateReason: report?.reason ?? null }
}
