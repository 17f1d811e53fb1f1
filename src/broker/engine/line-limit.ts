/**
 * Limits the rate of log lines about events that a peer can cause at will: some per second, then the number of the
 * others.
 */
import { systemClock } from '../vocabulary/clock.ts'

const SECOND_MS = 1_000

export interface LineLimitOptions {
  readonly linesPerSecond: number
  /** Writes the line about the events of a second without their own lines. */
  readonly summarize: (count: number) => void
  /** Returns monotonic milliseconds. */
  readonly monotonicMs?: (() => number) | undefined
}

export class LineLimit {
  readonly #options: LineLimitOptions
  readonly #monotonicMs: () => number
  #secondBeganMs = Number.NEGATIVE_INFINITY
  #events = 0
  /** Timer of the summary; null while each event had a line. */
  #summary: NodeJS.Timeout | null = null

  constructor(options: LineLimitOptions) {
    this.#options = options
    this.#monotonicMs = options.monotonicMs ?? (() => systemClock.monotonicMs())
  }

  /** Counts an event. Returns true if it may have its own line. */
  admits(): boolean {
    const nowMs = this.#monotonicMs()
    if (nowMs - this.#secondBeganMs >= SECOND_MS) {
      this.close()
      this.#secondBeganMs = nowMs
      this.#events = 0
    }
    this.#events++
    if (this.#events <= this.#options.linesPerSecond) return true
    // Without a timer, the end of a flood would have no line before the next event.
    this.#summary ??= setTimeout(() => this.close(), this.#secondBeganMs + SECOND_MS - nowMs).unref()
    return false
  }

  close(): void {
    if (this.#summary === null) return
    clearTimeout(this.#summary)
    this.#summary = null
    this.#options.summarize(this.#events - this.#options.linesPerSecond)
    this.#events = this.#options.linesPerSecond
  }
}
