/** The limits of a queue: whether it has room for a message, and the error when it has none. The drivers share both. */
import type { QueueLimits } from '../contract/store.ts'
import { QueueFull, type QueueState } from './errors.ts'

/**
 * Returns whether a queue has room for a message. An empty queue has room for any message.
 *
 * @param size number of the messages in the queue, without those that the new message cancels
 * @param bytes bytes of those messages
 * @param added bytes of the new message
 */
export function hasRoom(size: number, bytes: number, added: number, limits: QueueLimits): boolean {
  if (size <= 0) return true
  return size < limits.messages && (limits.bytes === 0 || bytes + added <= limits.bytes)
}

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
