/** Takes a snapshot of the broker for the admin page: counters, two series for charts, and alerts. Changes nothing. */
import { type AlertFactsOptions, alertFacts } from './alert-facts.ts'
import { type Alert, findAlerts } from './alerts.ts'
import type { Counters, FailureSums, Series } from './counters.ts'
import type { Presence } from './presence.ts'
import type { Soon } from './store.ts'
import type { MessageRef, StoreStats } from './store-stats.ts'

/** Time within which a device counts as seen, in milliseconds. */
const SEEN_MS = 3_600_000

/** The state of the broker at one moment. Times are milliseconds since 1970. */
export interface OverviewSnapshot {
  readonly atMs: number
  /** Time at which the counters began. */
  readonly sinceMs: number
  readonly devices: { readonly online: number; readonly seen: number }
  readonly connections: number
  /** Number of pending messages. */
  readonly waiting: number
  /** The oldest pending message. */
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
  readonly counters: Counters
  readonly presence: Pick<Presence, 'count'>
  readonly facts: AlertFactsOptions
  /** Returns the number of open connections. */
  readonly connections: () => Soon<number>
  /** Returns milliseconds since 1970. */
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
    const counters = await this.#options.counters.ofAllNodes()
    const [oldest = null] = await store.oldest(1)
    const attention = await this.alerts(nowMs)
    return {
      atMs: nowMs,
      sinceMs: counters.sinceMs,
      devices: presence.count(nowMs - SEEN_MS),
      connections: await connections(),
      waiting: await store.pending(),
      oldest,
      failed: counters.failed(),
      perMinute: counters.perMinute(),
      minutes: counters.byMinute(),
      hours: counters.byHour(),
      attention,
    }
  }

  /** Returns the present alerts, most urgent first. */
  async alerts(nowMs = this.#now()): Promise<readonly Alert[]> {
    return findAlerts(await alertFacts(this.#options.facts, nowMs))
  }
}
