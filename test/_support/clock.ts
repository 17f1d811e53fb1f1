/** Clocks that a test moves. */
import type { Clock } from '../../src/broker/vocabulary/clock.ts'

/** Clock that stands still until a test moves it. */
export class HeldClock implements Clock {
  #wallMs: number
  #monotonicMs = 5_000

  constructor(wallMs = 1_000_000) {
    this.#wallMs = wallMs
  }

  wallMs(): number {
    return this.#wallMs
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  advance(ms: number): void {
    this.#wallMs += ms
    this.#monotonicMs += ms
  }

  /** Sets the wall clock alone, like an operator. */
  setWall(ms: number): void {
    this.#wallMs = ms
  }
}

/** Returns a clock whose both times are a variable of the test. */
export function clockOf(nowMs: () => number): Clock {
  return { wallMs: nowMs, monotonicMs: nowMs }
}
