/** Removes old messages, and old lines of the audit trail, once an hour. A pending message is never removed. */
import type { Log } from '../../process/log.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'
import { startPeriodic } from './periodic.ts'

const DAY_MS = 86_400_000
const PERIOD_MS = 3_600_000

/** Records that are removed when they are old. */
export interface DatedRecords {
  /** Removes records older than a time, in milliseconds since 1970. Returns their number. */
  purge(beforeMs: number): Promise<number>
  /** Returns the time of the newest record; null without records. */
  newestMs(): Promise<number | null>
}

export interface RetentionOptions {
  readonly records: DatedRecords
  readonly name: string
  /** Number of days for which a record is kept; 0 means for ever. */
  readonly days: number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly clock?: Clock
  /** Called after a run that removed records, or may have removed some before it failed. Never rejects. */
  readonly onRemoved?: () => Promise<void>
}

/**
 * Removes old records now and then every hour. @returns function that stops this; resolves when the current run is over
 */
export function startRetention(options: RetentionOptions): () => Promise<void> {
  if (options.days === 0) return async () => {}
  const retention = new Retention(options)
  return startPeriodic(() => retention.run(), PERIOD_MS, { atOnce: true })
}

/**
 * Decides which records are old. A wrong wall clock must not remove the history, so a run removes at most one day's
 * worth beyond the previous run. The first run counts from the newest record if that is more than a day old.
 */
export class Retention {
  readonly #options: RetentionOptions
  readonly #clock: Clock
  /** Time before which the latest run removed records; null before the first run. */
  #doneMs: number | null = null
  /** True while the runs are more than a day behind the clock. */
  #isBehind = false

  constructor(options: RetentionOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  async run(): Promise<void> {
    const { records, name, days, log } = this.#options
    try {
      const wantedMs = this.#clock.wallMs() - days * DAY_MS
      const startMs = await this.#startMs(wantedMs)
      const beforeMs = Math.min(wantedMs, startMs + DAY_MS)
      if (beforeMs < wantedMs && !this.#isBehind) {
        const passedDays = Math.round((wantedMs - startMs) / DAY_MS)
        log.warn(
          { passedDays, days },
          `by the clock, ${passedDays} days have passed since the newest of the ${name} or the last removal, so at most one day of history is removed each hour. If that is wrong, set the clock of this machine`,
        )
      }
      if (beforeMs >= wantedMs && this.#isBehind) {
        log.info({ days }, `old ${name} are removed by the clock again`)
      }
      this.#isBehind = beforeMs < wantedMs
      const removed = await records.purge(beforeMs)
      this.#doneMs = beforeMs
      if (removed === 0) return
      log.info({ removed, days }, `old ${name} removed`)
      await this.#options.onRemoved?.()
    } catch (error) {
      log.error({ err: error }, `old ${name} could not be removed; the next try is in an hour`)
      await this.#options.onRemoved?.()
    }
  }

  /** Returns the time from which this run may remove one day's worth. */
  async #startMs(wantedMs: number): Promise<number> {
    if (this.#doneMs !== null) return this.#doneMs
    const { records, days } = this.#options
    const newestMs = await records.newestMs()
    return newestMs === null ? wantedMs : newestMs - days * DAY_MS
  }
}
