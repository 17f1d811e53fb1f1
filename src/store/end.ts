/**
 * Defines the end of a duration on both clocks: the end of a delay, a pause or a finish time. It has come when either
 * clock has reached it. A wall clock that is set back therefore prolongs no duration, and a wall clock that is set
 * forward ends it, like everything with a date. Knows no store.
 */
import type { Clock } from '../broker/vocabulary/clock.ts'

export interface End {
  /** Milliseconds since 1970. */
  readonly wallMs: number
  /** Milliseconds of the monotonic clock of this process. */
  readonly monotonicMs: number
}

/**
 * Returns the end of a duration that begins now, or whose end was stored. If the wall clock is before the beginning,
 * the whole duration remains from now on.
 *
 * @param wallMs time of the end
 * @param durationMs the whole duration
 */
export function endAt(wallMs: number, durationMs: number, clock: Clock): End {
  const leftMs = Math.min(wallMs - clock.wallMs(), durationMs)
  return { wallMs, monotonicMs: clock.monotonicMs() + leftMs }
}

/** Returns the time until an end, in milliseconds; 0 if it has come. */
export function restMs({ wallMs, monotonicMs }: End, clock: Clock): number {
  return Math.max(0, Math.min(wallMs - clock.wallMs(), monotonicMs - clock.monotonicMs()))
}
