/** Takes a snapshot of the broker for the admin page: figures, two series for charts, and alerts. */

import { type FailureCounts, MINUTE_MS, type StatisticsStore } from '../contract/statistics-store.ts'
import type { MaybePromise } from '../contract/store.ts'
import type { MessageRef, StoreStats } from '../contract/store-stats.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import { type AlertFactsOptions, alertFacts } from './alert-facts.ts'
import { type Alert, findAlerts } from './alerts.ts'
import type { Presence } from './presence.ts'
import type { Statistics } from './statistics.ts'
import { byHour, byMinute, perMinute, type Series } from './statistics-series.ts'

/** Time within which a device counts as seen, in milliseconds. */
const SEEN_MS = 3_600_000
/** Time for which failures are counted, in minutes, including the current minute. */
const FAILURE_MINUTES = 1_440

/** Names of the sums of failures. The page adds them up, so only failures may have one. */
export const FAILURE_NAMES = ['completedWithError', 'unknown', 'notAcknowledged'] as const

export type FailureSums = Readonly<Record<(typeof FAILURE_NAMES)[number], number>>

/** State of the broker at one moment. Times are milliseconds since 1970. */
export interface OverviewSnapshot {
  readonly atMs: number
  /** Start of the oldest minute in the statistics. */
  readonly sinceMs: number
  readonly devices: { readonly online: number; readonly seen: number }
  readonly connections: number
  readonly waiting: number
  readonly oldest: MessageRef | null
  readonly failed: FailureSums
  /** Messages stored in the last 60 seconds, estimated. */
  readonly perMinute: number
  readonly minutes: Series
  readonly hours: Series
  readonly attention: readonly Alert[]
}

export interface OverviewOptions {
  readonly store: StoreStats
  readonly statistics: Pick<Statistics, 'flush' | 'store'>
  readonly presence: Pick<Presence, 'count'>
  readonly facts: AlertFactsOptions
  readonly connections: () => MaybePromise<number>
  readonly now?: () => number
}

export class Overview {
  readonly #options: OverviewOptions
  readonly #now: () => number

  constructor(options: OverviewOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  async snapshot(): Promise<OverviewSnapshot> {
    const { store, presence, connections } = this.#options
    const nowMs = this.#now()
    await unlessStorageFails(this.#options.statistics.flush(), undefined)
    const statistics = readable(this.#options.statistics.store)
    const minutes = await byMinute(statistics, nowMs)
    const [oldest = null] = await store.oldest(1)
    const attention = await this.alerts(nowMs)
    return {
      atMs: nowMs,
      sinceMs: (await statistics.oldestMs(MINUTE_MS)) ?? nowMs,
      devices: presence.count(nowMs - SEEN_MS),
      connections: await connections(),
      waiting: await store.pending(),
      oldest,
      failed: await failureSums(statistics, nowMs),
      perMinute: perMinute(minutes, nowMs),
      minutes,
      hours: await byHour(statistics, nowMs),
      attention,
    }
  }

  /** Returns the current alerts, most urgent first. */
  async alerts(nowMs = this.#now()): Promise<readonly Alert[]> {
    return findAlerts(await alertFacts(this.#options.facts, nowMs))
  }
}

type Counts = Pick<StatisticsStore, 'rows' | 'failures' | 'oldestMs'>

const NO_FAILURES: FailureCounts = { failed: 0, unknown: 0, unacknowledged: 0 }

/**
 * Returns the reads of a store without errors: they find nothing while the storage fails, so that the alert about the
 * failure is still shown.
 */
function readable(store: Counts): Counts {
  return {
    rows: (...range) => unlessStorageFails(store.rows(...range), []),
    failures: (fromMs) => unlessStorageFails(store.failures(fromMs), NO_FAILURES),
    oldestMs: (stepMs) => unlessStorageFails(store.oldestMs(stepMs), null),
  }
}

async function unlessStorageFails<T>(result: Promise<T>, none: T): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (error instanceof BrokerError) return none
    throw error
  }
}

async function failureSums(store: Counts, nowMs: number): Promise<FailureSums> {
  const fromMs = nowMs - (nowMs % MINUTE_MS) - (FAILURE_MINUTES - 1) * MINUTE_MS
  const { failed, unknown, unacknowledged } = await store.failures(fromMs)
  return { completedWithError: failed - unknown, unknown, notAcknowledged: unacknowledged }
}
