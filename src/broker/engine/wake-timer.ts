/** Wakes a device line at a time of the monotonic clock. Knows no line. */
import { type Clock, timerDelay } from '../vocabulary/clock.ts'

export class WakeTimer {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #onTime: () => void
  #timer: NodeJS.Timeout | null = null
  #atMs = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>, onTime: () => void) {
    this.#clock = clock
    this.#onTime = onTime
  }

  /** Sets the timer, unless an earlier one is set. A superfluous wake costs less than a new timer per dispatch. */
  wakeAt(atMs: number): void {
    if (this.#timer && this.#atMs <= atMs) return
    this.clear()
    this.#atMs = atMs
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        this.#onTime()
      },
      timerDelay(atMs - this.#clock.monotonicMs()),
    )
  }

  clear(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
