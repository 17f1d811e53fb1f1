/** Sends the result of a repeated submit to its producer once more. The repetition may mean that the first result was lost. */
import type { Submission } from '../broker/message.ts'
import type { MessageLog } from '../broker/message-log.ts'
import type { Submitted } from '../broker/submissions.ts'
import { notifyAll } from '../transport/dispatch.ts'
import type { Transport } from '../transport/transport.ts'
import { resultDetails } from '../wire/result-details.ts'
import type { ResultDetails } from '../wire/results.ts'

export function repeatedResults(
  messageLog: Pick<MessageLog, 'getAll'>,
  transports: readonly Transport[],
): (submission: Submission, submitted: Submitted) => Promise<void> {
  return async ({ replyTo, details }, { id, status }) => {
    if (!replyTo?.correlationId || replyTo.producerId === null) return
    const result = { id, tmpId: replyTo.correlationId, deliveryStatus: status }
    const found = details ? await detailsOf(messageLog, id) : null
    notifyAll(transports, replyTo.producerId, found === null ? result : { ...result, details: found })
  }
}

async function detailsOf(messageLog: Pick<MessageLog, 'getAll'>, id: number): Promise<ResultDetails | null> {
  const [message] = await messageLog.getAll([id])
  return message ? resultDetails(message, message.extras) : null
}
