/** Limits the connections of a listener. Knows no protocol. */
import type { Log } from '../process/log.ts'

/** Minimum time between two log lines of one limit. */
const LOG_INTERVAL_MS = 60_000

export interface ConnectionLimitOptions {
  /** Name of the listener, for the log. */
  readonly name: string
  readonly maximum: number
  /** Key of the setting, for the log. */
  readonly setting: string
  readonly log: Pick<Log, 'warn'>
  /** Returns milliseconds of a clock that is never set back. */
  readonly monotonicMs?: () => number
}

/** The maximum of a listener, and the log lines about connections beyond it: one at first, then at most one a minute. */
export class ConnectionLimit {
  readonly maximum: number
  readonly #options: ConnectionLimitOptions
  #closed = 0
  #nextLineMs = Number.NEGATIVE_INFINITY

  constructor(options: ConnectionLimitOptions) {
    this.maximum = options.maximum
    this.#options = options
  }

  /** Records that a connection was closed because of the limit. */
  onClosed(): void {
    this.#closed++
    const { name, setting, log, monotonicMs = () => performance.now() } = this.#options
    const nowMs = monotonicMs()
    if (nowMs < this.#nextLineMs) return
    log.warn(
      { maximum: this.maximum, closed: this.#closed },
      `${name}: ${this.maximum} connections are open, so new ones are closed. Find out who opens them, or raise ${setting}`,
    )
    this.#closed = 0
    this.#nextLineMs = nowMs + LOG_INTERVAL_MS
  }
}
