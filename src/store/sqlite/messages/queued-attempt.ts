/** Defines the latest attempt with a pending message, as kept by the queues. Knows no queues and no SQL. */
import type { AttemptOutcome } from '../../../broker/contract/device-lease.ts'
import type { LatestAttempt } from '../../../broker/engine/dispatch-choice.ts'

export const POLLS = 'REST'

/** Latest attempt with a pending message, with the parts that only this driver needs. */
export interface QueuedAttempt extends LatestAttempt {
  readonly transport: string
  /** True if the attempt is stored in `messages.polled_at_ms` and has no row in the attempts. */
  readonly isPoll: boolean
  /** Time of the latest replay, before which no later attempt is stored; 0 without one. */
  readonly replayedAtMs: number
}

export function endedAttempt(attempt: QueuedAttempt, outcome: AttemptOutcome): QueuedAttempt {
  const { id, number, counted, transport, atMs, untilMs, replayedAtMs } = attempt
  const kept = outcome === 'BUSY' ? counted - 1 : counted
  return { id, number, counted: kept, transport, atMs, untilMs, outcome, isPoll: false, replayedAtMs }
}
