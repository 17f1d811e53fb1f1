/** The two clocks of the product, injected so that a test can hold them. */

export interface Clock {
  /** Returns milliseconds since 1970, for what is stored and shown. An operator may set this clock back or forward. */
  wallMs(): number
  /** Returns milliseconds since an arbitrary moment. The value never decreases, so durations are measured with it. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/** Largest delay that a timer of Node takes, in milliseconds. A larger one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/** Limits a delay to what a timer of Node takes. The owner of the timer looks at its clock again when it fires. */
export function timerDelay(delayMs: number): number {
  return Math.min(Math.max(0, Math.ceil(delayMs)), LONGEST_TIMER_MS)
}
