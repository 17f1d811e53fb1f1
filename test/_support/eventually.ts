/** Waits for a condition as long as a busy machine may need. */
import { vi } from 'vitest'
import { WAIT_MS } from './limits.ts'

/** Repeats the call until it does not throw. */
export function eventually<T>(call: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(call, { timeout: WAIT_MS, interval: 1 })
}
