/** Waits for a condition as long as a busy machine may need. */
import { vi } from 'vitest'
import { WAIT_MS } from './limits.ts'

/** Time in which most conditions come true. After it a condition is checked less often, so that a long wait costs little. */
const SOON_MS = 100
const LATER_INTERVAL_MS = 20

/** Repeats the call until it does not throw. */
export function eventually<T>(call: () => T | Promise<T>): Promise<T> {
  return vi
    .waitFor(call, { timeout: SOON_MS, interval: 1 })
    .catch(() => vi.waitFor(call, { timeout: WAIT_MS, interval: LATER_INTERVAL_MS }))
}
