/** Makes the details of a message's status, as its producer sees them. */
import { causeOf, type MessageRecord } from '../broker/message.ts'
import type { MessageExtras } from '../broker/message-log.ts'
import { attemptNumber } from '../broker/timeline.ts'
import type { ResultDetails } from '../wire/results.ts'

/** Returns the details of a message's status, as its producer sees them. */
export function resultDetails(
  message: MessageRecord,
  { report, attemptCount }: MessageExtras,
): ResultDetails {
  return {
    cause: causeOf(message),
    reason: report?.reason ?? null,
    result: report?.result ?? null,
    attempts: attemptNumber(message, attemptCount),
    date: message.changedAtMs,
  }
}
