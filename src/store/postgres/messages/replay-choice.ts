/** Chooses the parked messages that one call replays. Pure. */
import type { QueueLimits } from '../../../broker/contract/store.ts'
import { hasRoom } from '../../../broker/vocabulary/queue-full.ts'

export interface ParkedMessage {
  readonly id: number
  readonly deviceId: string
  readonly bytes: number
  readonly isExpired: boolean
}

/** Number and bytes of a device's pending messages. */
export interface QueueSize {
  readonly messages: number
  readonly bytes: number
}

export interface ReplayChoice {
  readonly chosen: readonly ParkedMessage[]
  /** Number of messages that a further call would replay. */
  readonly left: number
  /** Number of messages whose queue is full or whose validity is over. */
  readonly skipped: number
}

const EMPTY: QueueSize = { messages: 0, bytes: 0 }

/**
 * Chooses the oldest messages that fit into their queues.
 *
 * @param parked the oldest message first
 * @param queues queues of the devices; may omit devices without pending messages
 * @param limit maximum chosen messages
 */
export function chooseReplays(
  parked: readonly ParkedMessage[],
  queues: ReadonlyMap<string, QueueSize>,
  limitsOf: (deviceId: string) => QueueLimits,
  limit: number,
): ReplayChoice {
  const sizes = new Map(queues)
  const chosen: ParkedMessage[] = []
  let left = 0
  let skipped = 0
  for (const message of parked) {
    const { deviceId, bytes, isExpired } = message
    const queue = sizes.get(deviceId) ?? EMPTY
    if (isExpired || !hasRoom(queue.messages, queue.bytes, bytes, limitsOf(deviceId))) skipped++
    else if (chosen.length === limit) left++
    else {
      chosen.push(message)
      sizes.set(deviceId, { messages: queue.messages + 1, bytes: queue.bytes + bytes })
    }
  }
  return { chosen, left, skipped }
}
