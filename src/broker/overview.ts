/** How the broker is doing, at a glance: counters, two series for charts, and what needs a human. Changes nothing. */
import { ALERT_LIMITS, type Alert, findAlerts, type UnansweredMessage } from './alerts.ts'
import type { Counters, Failed, Series } from './counters.ts'
import type { Presence } from './presence.ts'
import type { RejectionLog } from './rejection-log.ts'
import type { MessageRef, StoreStats } from './store-stats.ts'

/** A device was there lately when it was seen within this time. */
const LATELY_MS = 3_600_000

export interface OverviewSnapshot {
  readonly atMs: number
  /** When the counters began. */
  readonly sinceMs: number
  readonly devices: { readonly online: number; readonly seen: number }
  readonly connections: number
  readonly waiting: number
  readonly oldest: MessageRef | null
  readonly failed: Failed
  readonly perMinute: number
  readonly minutes: Series
  readonly hours: Series
  readonly attention: readonly Alert[]
}

export interface OverviewOptions {
  readonly store: StoreStats
  readonly counters: Counters
  readonly presence: Pick<Presence, 'count'>
  readonly rejections: Pick<RejectionLog, 'all'>
  readonly queueLimit: number
  /** Open connections. */
  readonly connections: () => number
  /** Messages that went out at least so many times in vain. */
  readonly unanswered: (times: number) => readonly UnansweredMessage[]
  /** Milliseconds since 1970. */
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
    const { store, counters, presence, rejections, queueLimit, connections, unanswered } = this.#options
    const nowMs = this.#now()
    const [oldest = null] = await store.oldest(1)
    const attention = await findAlerts({
      store,
      space: await store.space(),
      queueLimit,
      unanswered: unanswered(ALERT_LIMITS.unanswered),
      rejections: rejections.all(),
      nowMs,
    })
    return {
      atMs: nowMs,
      sinceMs: counters.sinceMs,
      devices: presence.count(nowMs - LATELY_MS),
      connections: connections(),
      waiting: await store.pending(),
      oldest,
      failed: counters.failed(),
      perMinute: counters.perMinute(),
      minutes: counters.byMinute(),
      hours: counters.byHour(),
      attention,
    }
  }
}
