/** Builds the details of a message's status for its producer. */

import type { MessageExtras } from '../broker/contract/message-log.ts'
import { attemptNumber } from '../broker/views/timeline.ts'
import { causeOf, type MessageRecord } from '../broker/vocabulary/message.ts'
import { NO_REPORT_TEXTS, reportTextsOf } from '../broker/vocabulary/report-table.ts'
import type { ResultDetails } from '../wire/results.ts'

export function resultDetails(
  message: MessageRecord,
  { report, attemptCount }: MessageExtras,
): ResultDetails {
  return {
    cause: causeOf(message),
    ...reportTextsOf(report ?? NO_REPORT_TEXTS),
    result: report?.result ?? null,
    attempts: attemptNumber(message, attemptCount),
    date: message.changedAtMs,
  }
}
