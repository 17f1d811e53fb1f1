/** Makes the error for a queue without room. Both drivers answer with its text. */
import { QueueFull, type QueueState } from './errors.ts'

/**
 * Returns the error for a message that its queue has no room for.
 *
 * @param queue the queue without the messages that the refused one would have cancelled
 * @param bytes size of the refused message
 */
export function queueFull(deviceId: string, queue: QueueState, bytes: number): QueueFull {
  const { waiting, limit, limitBytes } = queue
  const reason =
    waiting >= limit
      ? `${limit} messages are pending for device "${deviceId}", which is the limit: nothing was stored.`
      : `${queue.bytes} bytes are pending for device "${deviceId}", and ${bytes} more exceed the limit of ${limitBytes}: nothing was stored.`
  return new QueueFull(reason, queue)
}
