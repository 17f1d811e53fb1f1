/**
 * Sends the result of a repeated submit to its producer once more, because the repetition may mean that the first
 * result was lost.
 */

import type { MessageLog } from '../broker/contract/message-log.ts'
import type { Broker } from '../broker/engine/broker.ts'
import type { Submitted } from '../broker/engine/submissions.ts'
import type { Submission } from '../broker/vocabulary/message.ts'
import { notifyAll } from '../transport/dispatch.ts'
import type { Transport } from '../transport/transport.ts'
import { resultDetails } from '../wire/result-details.ts'

export function repeatedResults(
  broker: Pick<Broker, 'onChange'>,
  messageLog: Pick<MessageLog, 'getAll'>,
  transports: readonly Transport[],
): (submission: Submission, submitted: Submitted) => Promise<void> {
  return async ({ replyTo, details }, { id }) => {
    if (!replyTo?.correlationId || replyTo.producerId === null) return
    // The producer receives a change during the read as usual, and must not receive an older status after it.
    let hasChanged = false
    const unsubscribe = broker.onChange(({ messageId }) => {
      hasChanged ||= messageId === id
    })
    const [message] = await messageLog.getAll([id]).finally(unsubscribe)
    if (hasChanged || message === undefined) return
    const result = { id, tmpId: replyTo.correlationId, deliveryStatus: message.status }
    const shown = details ? { ...result, details: resultDetails(message, message.extras) } : result
    notifyAll(transports, replyTo.producerId, shown)
  }
}
