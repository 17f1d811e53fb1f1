/** Limits the connections of a listener. Knows no protocol. */
import type { Log } from '../process/log.ts'

const LOG_INTERVAL_MS = 60_000

export interface ConnectionLimitOptions {
  readonly name: string
  readonly maximum: number
  readonly setting: string
  readonly log: Pick<Log, 'warn'>
  /** Returns monotonic milliseconds. */
  readonly monotonicMs?: () => number
}

/** Maximum connections of a listener. Logs connections beyond it: at once, then at most once a minute. */
export class ConnectionLimit {
  readonly maximum: number
  readonly #options: ConnectionLimitOptions
  #closed = 0
  #nextLineMs = Number.NEGATIVE_INFINITY

  constructor(options: ConnectionLimitOptions) {
    this.maximum = options.maximum
    this.#options = options
  }

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
