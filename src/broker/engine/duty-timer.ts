/** Repeats a duty of the broker with one timer, at times determined by the duty, until it succeeds. Knows no store. */
import { type Clock, timerDelay } from '../vocabulary/clock.ts'

/** Pause after a failed run, in milliseconds. */
export const RETRY_MS = 5_000

export interface Duty {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /**
   * Processes due work. Resolves to the time until the next run, in milliseconds; Infinity if there is nothing to do.
   */
  readonly run: () => Promise<number>
  /** Called with the error of a failed run after a successful run. The next run is after {@link RETRY_MS}. */
  readonly onFailure: (error: unknown) => void
}

export class DutyTimer {
  readonly #duty: Duty
  #timer: NodeJS.Timeout | null = null
  /** Time of the next run, on the monotonic clock. */
  #nextMs = Number.POSITIVE_INFINITY
  #running: Promise<void> | null = null
  #hasFailed = false
  #isClosed = false

  constructor(duty: Duty) {
    this.#duty = duty
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Schedules the next run after this time at the latest. */
  wakeIn(inMs: number): void {
    const atMs = this.#duty.clock.monotonicMs() + Math.max(1, inMs)
    if (this.#isClosed || atMs >= this.#nextMs) return
    this.#nextMs = atMs
    if (this.#running === null) this.#arm()
  }

  async run(): Promise<void> {
    this.#nextMs = Number.POSITIVE_INFINITY
    this.#running = this.#try().then((inMs) => this.wakeIn(inMs))
    await this.#running
    this.#running = null
    if (!this.#isClosed) this.#arm()
  }

  /** Stops the timer. Resolves when the current run is over. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#clear()
    await this.#running
  }

  async #try(): Promise<number> {
    try {
      const inMs = await this.#duty.run()
      this.#hasFailed = false
      return inMs
    } catch (error) {
      if (!this.#hasFailed && !this.#isClosed) this.#duty.onFailure(error)
      this.#hasFailed = true
      return RETRY_MS
    }
  }

  #arm(): void {
    this.#clear()
    if (this.#nextMs === Number.POSITIVE_INFINITY) return
    const delayMs = timerDelay(this.#nextMs - this.#duty.clock.monotonicMs())
    this.#timer = setTimeout(() => void this.run(), delayMs)
    this.#timer.unref()
  }

  #clear(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
