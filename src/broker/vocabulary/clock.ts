/** Defines the two clocks of the product. They are injected, so that a test can set the time. */

export interface Clock {
  /** Returns milliseconds since 1970, for what is stored and shown. An operator may set this clock back or forward. */
  wallMs(): number
  /** Returns milliseconds since an arbitrary moment. The value never decreases, so durations are measured with it. */
  monotonicMs(): number
}

/** The clocks of the machine. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/** Largest delay that a timer of Node takes, in milliseconds. A larger one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/**
 * Rounds a delay in milliseconds up, and limits it to what a timer of Node takes. The owner of the timer reads its clock
 * again when the timer fires.
 */
export function timerDelay(delayMs: number): number {
  return Math.min(Math.max(0, Math.ceil(delayMs)), LONGEST_TIMER_MS)
}
