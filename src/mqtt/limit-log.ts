/** Logs that a limit is hit: one line, until the limit has been quiet for a while. Knows no limit. */
import type { Log } from '../process/log.ts'

/** Time without a hit after which the next hit is logged again. */
const QUIET_MS = 60_000

export interface LimitLogOptions {
  readonly log: Pick<Log, 'warn'>
  /** Returns milliseconds since 1970. */
  readonly now?: () => number
}

export class LimitLog {
  readonly #options: LimitLogOptions
  readonly #hits = new Map<string, number>()

  constructor(options: LimitLogOptions) {
    this.#options = options
  }

  /**
   * Records that a limit was hit. Later hits are silent until the limit was not hit for {@link QUIET_MS}.
   *
   * @param limit name of the limit, from a closed list, never text of a client
   * @param message consequence of the limit
   */
  hit(limit: string, fields: object, message: string): void {
    const { log, now = Date.now } = this.#options
    const nowMs = now()
    const before = this.#hits.get(limit)
    this.#hits.set(limit, nowMs)
    if (before === undefined || nowMs - before >= QUIET_MS) log.warn({ limit, ...fields }, message)
  }
}
