/**
 * Contract for the metrics of a storage: counters since the start of the process, and three gauges. Knows no SQL and no
 * text format.
 */

import { DELIVERY_BUCKETS, deliveryBucket } from '../vocabulary/delivery-buckets.ts'
import { Durations, LIFE_BOUNDS, WORK_BOUNDS } from '../vocabulary/durations.ts'
import { Tally } from '../vocabulary/tally.ts'
import type { AttemptOutcome } from './device-lease.ts'
import type { MaybePromise } from './store.ts'

/**
 * Ends of attempts. ACKNOWLEDGED: the device reported a status. HANDED_OVER: a message with the guarantee NO, which
 * needs no report. WITHDRAWN: the message was cancelled or superseded. The others end only the attempt.
 */
export const ATTEMPT_ENDS = [
  ...(['ACKNOWLEDGED', 'HANDED_OVER', 'WITHDRAWN'] as const),
  ...(['TIMEOUT', 'CONNECTION', 'BUSY', 'TOO_LARGE'] as const satisfies readonly AttemptOutcome[]),
] as const
export type AttemptEnd = (typeof ATTEMPT_ENDS)[number]

export class StoreCounts {
  readonly attempts = new Map<string, Tally<AttemptEnd>>()
  /** Time from storing to DELIVERED, or to the final status that a device reported first. */
  readonly deliveries = new Durations(LIFE_BOUNDS)
  /** Time from storing to a final status. */
  readonly completions = new Durations(LIFE_BOUNDS)
  readonly commits = new Durations(WORK_BOUNDS)
  readonly syncs = new Durations(WORK_BOUNDS)
  /** The times of `deliveries`, in the buckets of the statistics. */
  readonly deliveryBuckets = new Array<number>(DELIVERY_BUCKETS).fill(0)

  /** Counts a message that its device received. @param seconds time since it was stored */
  delivered(seconds: number): void {
    this.deliveries.observe(seconds)
    const bucket = deliveryBucket(seconds * 1_000)
    this.deliveryBuckets[bucket] = (this.deliveryBuckets[bucket] as number) + 1
  }

  attemptEnded(transport: string, end: AttemptEnd): void {
    let ends = this.attempts.get(transport)
    if (!ends) {
      ends = new Tally(ATTEMPT_ENDS)
      this.attempts.set(transport, ends)
    }
    ends.add(end)
  }
}

export interface StoreMetrics {
  readonly counts: StoreCounts

  /** Returns the number of pending messages whose delay is not over. */
  delayed(): MaybePromise<number>

  /** Returns whether the configured standby is missing now; null for a storage without one. */
  standbyMissing(): MaybePromise<boolean | null>

  /** Returns the ids of all parked messages. Reads each of them, so call it rarely. */
  parked(): MaybePromise<Iterable<number>>
}
