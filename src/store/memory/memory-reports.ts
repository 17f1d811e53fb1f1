/** Applies acknowledgements and their reports in the memory driver. */

import type { StoredReport } from '../../broker/contract/message-log.ts'
import type { Acknowledgement, Outcome } from '../../broker/contract/store.ts'
import type { Report } from '../../broker/vocabulary/message.ts'
import { ACK_TRANSITIONS, isLate } from '../../broker/vocabulary/status.ts'
import type { MemoryData } from './memory-data.ts'

const NO_REPORT: StoredReport = {
  reason: null,
  result: null,
  resultDropped: false,
  lateStatus: null,
  lateAtMs: null,
  lateReason: null,
}

export function acknowledge(data: MemoryData, acknowledgement: Acknowledgement): Outcome | null {
  const { deviceId, messageId, status, by, report } = acknowledgement
  const message = data.messages.get(messageId)
  if (message?.content.deviceId !== deviceId) return null
  const transition = data.apply(message, ACK_TRANSITIONS[status], { by, report })
  const hasFinal = status === 'DELIVERED' && (message.report?.lateStatus ?? status) !== 'DELIVERED'
  if (!transition && !hasFinal && isLate(status, message.status)) {
    const late = { lateStatus: status, lateAtMs: data.clock.wallMs(), lateReason: report?.reason ?? null }
    message.report = { ...(message.report ?? NO_REPORT), ...late }
  }
  return { status: message.status, transition }
}

/** Merges a report into the earlier one. Omitted members keep their values. */
export function withReport(
  earlier: StoredReport | null,
  { reason, result, resultDropped }: Report,
): StoredReport {
  const base = earlier ?? NO_REPORT
  const hasResult = result !== null || resultDropped
  return { ...base, reason: reason ?? base.reason, ...(hasResult && { result, resultDropped }) }
}
