/** How the broker is doing, at a glance: counters, two series for charts, and what needs a human. Changes nothing. */
import { ATTENTION, type Attention, attentionTo, type Unanswered } from './attention.ts'
import type { Presence } from './presence.ts'
import type { RejectionLog } from './rejection-log.ts'
import type { Placed, StoreState } from './state.ts'
import type { Failed, Series, Tally } from './tally.ts'

/** A device was there lately when it was seen within this time. */
const LATELY_MS = 3_600_000

export interface Glance {
  readonly atMs: number
  /** When the counters began. */
  readonly sinceMs: number
  readonly devices: { readonly online: number; readonly seen: number }
  readonly connections: number
  readonly waiting: number
  readonly oldest: Placed | null
  readonly failed: Failed
  readonly perMinute: number
  readonly minutes: Series
  readonly hours: Series
  readonly attention: readonly Attention[]
}

export interface OverviewOptions {
  readonly store: StoreState
  readonly tally: Tally
  readonly presence: Pick<Presence, 'count'>
  readonly rejections: Pick<RejectionLog, 'all'>
  readonly queueLimit: number
  /** Open connections. */
  readonly connections: () => number
  /** Messages that went out at least so many times in vain. */
  readonly unanswered: (times: number) => readonly Unanswered[]
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

  async look(): Promise<Glance> {
    const { store, tally, presence, rejections, queueLimit, connections, unanswered } = this.#options
    const nowMs = this.#now()
    const [oldest = null] = await store.oldest(1)
    const attention = await attentionTo({
      store,
      space: await store.space(),
      queueLimit,
      unanswered: unanswered(ATTENTION.unanswered),
      rejections: rejections.all(),
      nowMs,
    })
    return {
      atMs: nowMs,
      sinceMs: tally.sinceMs,
      devices: presence.count(nowMs - LATELY_MS),
      connections: connections(),
      waiting: await store.pending(),
      oldest,
      failed: tally.failed(),
      perMinute: tally.perMinute(),
      minutes: tally.byMinute(),
      hours: tally.byHour(),
      attention,
    }
  }
}
