/** Creates the error for a queue without room, with the same text for all drivers. */
import { QueueFull, type QueueState } from './errors.ts'

/**
 * Returns the error for a message without room in its queue.
 *
 * @param queue the queue without the messages that the refused message would have cancelled
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
