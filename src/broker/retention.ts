/** Removes old messages once an hour. A pending message is never removed. */
import { type Clock, systemClock } from './clock.ts'
import { startPeriodic } from './periodic.ts'
import type { MessageStore } from './store.ts'

const DAY_MS = 86_400_000
const PERIOD_MS = 3_600_000

export interface RetentionOptions {
  readonly messages: Pick<MessageStore, 'purge' | 'newestMs'>
  /** Number of days for which a message is kept after its latest change; 0: for ever. */
  readonly days: number
  readonly log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  readonly clock?: Clock
}

/** Removes old messages now and then every hour. @returns ends this; resolves when the present run is over */
export function startRetention(options: RetentionOptions): () => Promise<void> {
  if (options.days === 0) return async () => {}
  const retention = new Retention(options)
  return startPeriodic(() => retention.run(), PERIOD_MS, { atOnce: true })
}

/**
 * Decides which messages are old. A wall clock that is wrong must not remove the history. So a run removes at most one
 * day's worth beyond the run before. The first run counts from the newest message if that is more than a day old.
 */
export class Retention {
  readonly #options: RetentionOptions
  readonly #clock: Clock
  /** Time before which the latest run removed messages; null before the first run. */
  #doneMs: number | null = null

  constructor(options: RetentionOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  async run(): Promise<void> {
    const { messages, days, log } = this.#options
    try {
      const wantedMs = this.#clock.wallMs() - days * DAY_MS
      const startMs = await this.#startMs(wantedMs)
      const beforeMs = Math.min(wantedMs, startMs + DAY_MS)
      if (beforeMs < wantedMs) {
        const passedDays = Math.round((wantedMs - startMs) / DAY_MS)
        log.warn(
          { passedDays, days },
          `by the clock, ${passedDays} days have passed since the newest message or the last removal, so at most one day of history is removed each hour. If that is wrong, set the clock of this machine`,
        )
      }
      const removed = await messages.purge(beforeMs)
      this.#doneMs = beforeMs
      if (removed > 0) log.info({ removed, days }, 'old messages removed')
    } catch (error) {
      log.error({ err: error }, 'old messages could not be removed; the next try is in an hour')
    }
  }

  /** Returns the time from which this run may remove one day's worth. */
  async #startMs(wantedMs: number): Promise<number> {
    if (this.#doneMs !== null) return this.#doneMs
    const { messages, days } = this.#options
    const newestMs = await messages.newestMs()
    return newestMs === null ? wantedMs : newestMs - days * DAY_MS
  }
}
