/** Defines the latest attempt with a pending message, as kept by the queues. Knows no queues and no SQL. */
import type { AttemptOutcome } from '../../../broker/contract/device-lease.ts'

export const POLLS = 'REST'

/** Latest attempt with a pending message. A message without one was never dispatched. */
export interface LatestAttempt {
  readonly id: number
  /** Number of the attempt; 0 if the storage refused to record the only dispatch. */
  readonly number: number
  /** Attempts since the message was stored or replayed, excluding attempts that ended as BUSY. */
  readonly counted: number
  readonly transport: string
  /** Time of the dispatch, in milliseconds since 1970. */
  readonly atMs: number
  /** End of the attempt on the monotonic clock, in milliseconds. */
  readonly untilMs: number
  /** Null while the attempt is open. `OVER`: something ended it without an outcome, such as a replay. */
  readonly outcome: AttemptOutcome | 'OVER' | null
  /** True if the attempt is stored in `messages.polled_at_ms` and has no row in the attempts. */
  readonly isPoll: boolean
  /** Time of the latest replay, before which no later attempt is stored; 0 without one. */
  readonly replayedAtMs: number
}

export function endedAttempt(attempt: LatestAttempt, outcome: AttemptOutcome): LatestAttempt {
  const { id, number, counted, transport, atMs, untilMs, replayedAtMs } = attempt
  const kept = outcome === 'BUSY' ? counted - 1 : counted
  return { id, number, counted: kept, transport, atMs, untilMs, outcome, isPoll: false, replayedAtMs }
}
