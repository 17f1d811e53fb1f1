/**
 * Defines the holds on the dispatch to one device: changes of its rare holds, and the hold that is in effect. Reads no
 * clock. Times are milliseconds of one monotonic clock.
 */

import type { LineState } from '../contract/device-lease.ts'
import type { DispatchRules } from './dispatch-rules.ts'
import { type DispatchState, NEVER, NO_HOLDS, type RareHolds, type Unfinished } from './dispatch-state.ts'

const NONE: readonly number[] = []

/** Returns the unfinished messages of a line, excluding those that ended during the store call. */
export function unfinishedOf(
  { holds }: DispatchState,
  { unfinished }: LineState,
  nowMs: number,
  rules: DispatchRules,
): Unfinished[] {
  // Without this rule a device may have thousands of unfinished messages.
  if (!rules.nextAfterCompleted) return []
  return unfinished
    .filter(({ messageId }) => !holds.finishedIds.includes(messageId))
    .map(({ messageId, forMs }) => ({ messageId, untilMs: nowMs + forMs }))
}

/** Returns the same object if nothing changes, so that most devices share {@link NO_HOLDS}. */
export function withUnfinished(holds: RareHolds, unfinished: readonly Unfinished[]): RareHolds {
  return unfinished.length === 0 && holds.unfinished.length === 0 ? holds : { ...holds, unfinished }
}

/** Returns the holds after a claim of an empty queue. @param dueInMs time until a delayed message is due */
export function dueIn(holds: RareHolds, dueInMs: number | null, nowMs: number): RareHolds {
  if (dueInMs !== null) return { ...holds, dueAtMs: nowMs + Math.max(1, dueInMs) }
  return holds.dueAtMs === NO_HOLDS.dueAtMs ? holds : { ...holds, dueAtMs: NO_HOLDS.dueAtMs }
}

/** Returns the holds after the answer to a call. */
export function answered(holds: RareHolds): RareHolds {
  if (!holds.pauseBegan && holds.finishedIds.length === 0) return holds
  return { ...holds, pauseBegan: false, finishedIds: NONE }
}

/** Returns the time before which no claim may be made. */
export function heldUntil(holds: RareHolds, rules: DispatchRules): number {
  if (holds === NO_HOLDS) return NEVER
  return Math.max(holds.retryAtMs, holds.busyUntilMs, unfinishedUntil(holds, rules))
}

/** Returns the latest end of a finish deadline that holds the queue. */
function unfinishedUntil({ unfinished }: RareHolds, { nextAfterCompleted }: DispatchRules): number {
  if (!nextAfterCompleted) return NEVER
  return unfinished.reduce((untilMs, each) => Math.max(untilMs, each.untilMs), NEVER)
}

/** Reason why no message is dispatched to a device now. */
export interface Hold {
  readonly is:
    | 'IDLE'
    | 'PACING'
    | 'BUSY'
    | 'RETRYING'
    | 'LATER'
    | 'UNFINISHED'
    | 'ACKNOWLEDGEMENT'
    | 'BACK_OFF'
  /** Message in flight; null for a hold without one. */
  readonly messageId: number | null
  /** Time until the end of the hold, in milliseconds; 0 for a hold without an end in time. */
  readonly forMs: number
}

/** Returns the hold on the dispatch to a device. Of several holds it returns the one that ends last. */
export function holdOf(state: DispatchState, nowMs: number, rules: DispatchRules): Hold {
  const { flight, holds } = state
  if (flight) {
    const is = flight.backsOff ? 'BACK_OFF' : 'ACKNOWLEDGEMENT'
    return { is, messageId: flight.id, forMs: rest(flight.untilMs, nowMs) }
  }
  const candidates = [
    holdUntil('PACING', state.lastMs + rules.intervalMs, nowMs),
    holdUntil('BUSY', holds.busyUntilMs, nowMs),
    holdUntil('UNFINISHED', unfinishedUntil(holds, rules), nowMs),
    holdUntil('RETRYING', holds.retryAtMs, nowMs),
  ].filter(({ forMs }) => forMs > 0)
  if (candidates.length > 0) return candidates.reduce((last, each) => (each.forMs > last.forMs ? each : last))
  const isLater = !state.mayBePending && holds.dueAtMs !== NO_HOLDS.dueAtMs
  return isLater ? holdUntil('LATER', holds.dueAtMs, nowMs) : { is: 'IDLE', messageId: null, forMs: 0 }
}

function holdUntil(is: Hold['is'], untilMs: number, nowMs: number): Hold {
  return { is, messageId: null, forMs: rest(untilMs, nowMs) }
}

function rest(untilMs: number, nowMs: number): number {
  return Math.max(0, untilMs - nowMs)
}
