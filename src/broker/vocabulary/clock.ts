/** Defines the two clocks of the product. They are injected, so that a test can set the time. */

export interface Clock {
  /**
   * Returns milliseconds since 1970, for stored and displayed times. An operator may set this clock back or forward.
   */
  wallMs(): number
  /** Returns milliseconds since an arbitrary moment, for durations. The value never decreases. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/** Maximum delay of a Node timer, in milliseconds. A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/**
 * Rounds a delay in milliseconds up, and limits it to the maximum of a Node timer. The owner of the timer reads its
 * clock again when the timer fires.
 */
export function timerDelay(delayMs: number): number {
  return Math.min(Math.max(0, Math.ceil(delayMs)), LONGEST_TIMER_MS)
}
