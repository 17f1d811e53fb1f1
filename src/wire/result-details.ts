/** Makes the details of a message's status, as its producer sees them. */
import { causeOf, type MessageRecord } from '../broker/message.ts'
import type { MessageExtras } from '../broker/message-log.ts'
import type { ResultDetails } from '../wire/results.ts'

/** Returns the details of a message's status, as its producer sees them. */
export function resultDetails(
  message: MessageRecord,
  { report, attemptCount }: MessageExtras,
): ResultDetails {
  const { guarantee, deliveredAtMs, changedAtMs } = message
  // A poll that returned a NO message has no row in the attempts.
  const least = guarantee === 'NO' && deliveredAtMs !== null ? 1 : 0
  return {
    cause: causeOf(message),
    reason: report?.reason ?? null,
    result: report?.result ?? null,
    attempts: Math.max(least, attemptCount),
    date: changedAtMs,
  }
}
