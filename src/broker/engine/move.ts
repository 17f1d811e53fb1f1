/**
 * Decides what a change of a message's status writes. The drivers in this process call it with the stored message,
 * inside their transaction, and store the result. Knows no store and no clock.
 */
import {
  applies,
  type Cause,
  DELIVERY_CAUSES,
  SHOWN_CAUSES,
  type Status,
  TRANSITIONS,
  type TransitionFacts,
  type TransitionName,
} from '../vocabulary/status.ts'

/** Members of a stored message that decide whether a change applies to it, and what the change writes. */
export interface MovableMessage extends TransitionFacts {
  readonly changedAtMs: number
  /** Time of the first change by which the device has the message. */
  readonly deliveredAtMs: number | null
}

/** Lists what a change writes. Null keeps what the message has, except for `cause` and `changedBy`. */
export interface Moved {
  readonly status: Status
  /** Null where the status tells it. */
  readonly cause: Cause | null
  readonly changedAtMs: number
  /** Client that made the change; null for the device and the broker. */
  readonly changedBy: string | null
  readonly deliveredAtMs: number | null
  /** Client that reported DELIVERED with the first delivery. */
  readonly deliveredBy: string | null
  readonly brokenAtMs: number | null
  readonly supersededBy: number | null
}

/** Says who makes a change, and when. */
export interface MoveOptions {
  /** Client that makes the change; null for the device and the broker. */
  readonly by: string | null
  /** Id of the new message that supersedes the message. */
  readonly supersededBy?: number | undefined
  readonly nowMs: number
}

/**
 * Returns what a change writes; null if its rule does not allow it for the message.
 *
 * The time of a change is at least a millisecond after the previous change, so that the times of a message show the
 * order even if the clock was set back.
 */
export function move(message: MovableMessage, name: TransitionName, options: MoveOptions): Moved | null {
  if (!applies(name, message)) return null
  const { to, cause } = TRANSITIONS[name]
  const atMs = Math.max(options.nowMs, message.changedAtMs + (message.status === 'NOT_DELIVERED' ? 0 : 1))
  const isFirstDelivery = message.deliveredAtMs === null && DELIVERY_CAUSES.includes(cause)
  return {
    status: to,
    cause: SHOWN_CAUSES.includes(cause) ? cause : null,
    changedAtMs: atMs,
    changedBy: options.by,
    deliveredAtMs: isFirstDelivery ? atMs : null,
    deliveredBy: isFirstDelivery && to === 'DELIVERED' ? options.by : null,
    brokenAtMs: cause === 'CONNECTION_BROKE' ? atMs : null,
    supersededBy: options.supersededBy ?? null,
  }
}
