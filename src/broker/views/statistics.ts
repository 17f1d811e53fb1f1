/**
 * Adds the counts of this process to the stored statistics. Reads the counters of the metrics, so a message causes no
 * further cost. Knows no timer.
 */

import { type CountedMinute, HOUR_MS, MINUTE_MS, type StatisticsStore } from '../contract/statistics-store.ts'
import type { MaybePromise } from '../contract/store.ts'
import type { StoreCounts } from '../contract/store-metrics.ts'
import type { ChangeCounts } from '../vocabulary/change-counts.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'

/** Period in which an idle process stores the time that it ran. A crash loses at most this time of it. */
const IDLE_MS = 5 * MINUTE_MS

/** Counters since the start of the process. */
interface Snapshot {
  readonly stored: number
  readonly completed: number
  readonly unacknowledged: number
  readonly deliveries: readonly number[]
  /** Changes of any kind. Each may change the number of pending messages. */
  readonly changes: number
}

export interface StatisticsOptions {
  readonly store: StatisticsStore
  readonly changes: Pick<ChangeCounts, 'of' | 'all'>
  readonly counts: Pick<StoreCounts, 'deliveryBuckets'>
  readonly pending: () => MaybePromise<number>
  readonly clock?: Clock
}

export class Statistics {
  readonly store: StatisticsStore
  /** Time at which the process began to count, in milliseconds since 1970. */
  readonly startedMs: number
  readonly #options: StatisticsOptions
  readonly #clock: Clock
  #unacknowledged = 0
  /** Counters of the latest stored call. */
  #last: Snapshot
  #lastMs: number
  #lastMonotonicMs: number
  #hasStored = false
  #storing: Promise<void> = Promise.resolve()

  constructor(options: StatisticsOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.store = options.store
    this.startedMs = this.#clock.wallMs()
    this.#lastMs = this.startedMs
    this.#lastMonotonicMs = this.#clock.monotonicMs()
    this.#last = this.#snapshot()
  }

  /** Counts an attempt that ended without an acknowledgement. */
  ackTimedOut(): void {
    this.#unacknowledged++
  }

  /** Stores the counts since the previous call, and the minutes that the process ran since then, for a reader. */
  flush(): Promise<void> {
    return this.#flushAfter(MINUTE_MS)
  }

  /** Stores the counts since the previous call. The minutes of an idle process are stored together. */
  flushDue(): Promise<void> {
    return this.#flushAfter(IDLE_MS)
  }

  #flushAfter(idleMs: number): Promise<void> {
    this.#storing = this.#storing.catch(() => {}).then(() => this.#flush(idleMs))
    return this.#storing
  }

  async #flush(idleMs: number): Promise<void> {
    const now = this.#snapshot()
    const nowMs = this.#clock.wallMs()
    if (!this.#isDue(now, nowMs, idleMs)) return
    const monotonicMs = this.#clock.monotonicMs()
    // A clock that an operator set forward adds no time in which the process ran.
    const upFromMs = Math.max(this.#lastMs, nowMs - Math.ceil(monotonicMs - this.#lastMonotonicMs))
    const counted = {
      stored: now.stored - this.#last.stored,
      completed: now.completed - this.#last.completed,
      unacknowledged: now.unacknowledged - this.#last.unacknowledged,
      deliveries: now.deliveries.map((count, i) => count - (this.#last.deliveries[i] as number)),
      pending: await this.#options.pending(),
    }
    await this.#options.store.add(minutesOf(counted, Math.min(upFromMs, nowMs), nowMs))
    this.#last = now
    this.#lastMs = nowMs
    this.#lastMonotonicMs = monotonicMs
    this.#hasStored = true
  }

  #isDue(now: Snapshot, nowMs: number, idleMs: number): boolean {
    if (!this.#hasStored || now.changes !== this.#last.changes) return true
    if (now.unacknowledged !== this.#last.unacknowledged) return true
    return Math.floor(nowMs / idleMs) !== Math.floor(this.#lastMs / idleMs)
  }

  #snapshot(): Snapshot {
    const { changes, counts } = this.#options
    return {
      stored: changes.of('NOT_DELIVERED', 'STORED'),
      completed: changes.of('COMPLETED', 'ACKNOWLEDGED'),
      unacknowledged: this.#unacknowledged,
      deliveries: [...counts.deliveryBuckets],
      changes: changes.all,
    }
  }
}

type Counted = Pick<CountedMinute, 'stored' | 'completed' | 'unacknowledged' | 'pending'> & {
  readonly deliveries: readonly number[]
}

/** Returns the minutes in which the process ran. The last minute has the counts. */
function minutesOf({ deliveries, ...counts }: Counted, fromMs: number, toMs: number): CountedMinute[] {
  const minutes: CountedMinute[] = []
  const delivered = deliveries.reduce((sum, each) => sum + each, 0)
  const none = { stored: 0, delivered: 0, completed: 0, unacknowledged: 0, pending: counts.pending }
  const last = toMs - (toMs % MINUTE_MS)
  // Before a longer gap the process was suspended, or its storage did not answer.
  for (let atMs = Math.max(fromMs - (fromMs % MINUTE_MS), last - HOUR_MS); atMs <= last; atMs += MINUTE_MS) {
    const up = { upFromMs: Math.max(fromMs, atMs), upToMs: Math.min(toMs, atMs + MINUTE_MS) }
    if (atMs < last) minutes.push({ atMs, ...none, ...up, deliveries: null })
    else minutes.push({ atMs, ...counts, ...up, delivered, deliveries: delivered === 0 ? null : deliveries })
  }
  return minutes
}
