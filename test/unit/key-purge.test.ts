/** Old idempotency keys are removed at the start and every hour. */
import { expect, test, vi } from 'vitest'
import { removeOldKeys, startKeyPurge } from '../../src/broker/engine/key-purge.ts'
import { whenDone } from '../_support/cleanup.ts'
import { HeldClock } from '../_support/clock.ts'

const HOUR_MS = 3_600_000
const LOG = { debug() {}, error() {} }

test('keys of 24 hours: start, one hour passes → removed at both times, and not after the end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  whenDone(() => vi.useRealTimers())
  const clock = new HeldClock()
  const before: number[] = []
  const messages = { purgeSubmissions: async (ms: number) => before.push(ms) }
  const close = startKeyPurge({ messages, hours: 24, log: LOG, clock })
  vi.advanceTimersByTime(HOUR_MS)
  const wantedMs = clock.wallMs() - 24 * HOUR_MS
  expect(before).toEqual([wantedMs, wantedMs])
  await close()
  vi.advanceTimersByTime(HOUR_MS)
  expect(before).toHaveLength(2)
})

test('the store fails → one line in the log', async () => {
  const errors: string[] = []
  const messages = { purgeSubmissions: () => Promise.reject(new Error('disk')) }
  await removeOldKeys({ messages, hours: 24, log: { ...LOG, error: (_fields, text) => errors.push(text) } })
  expect(errors).toEqual(['old idempotency keys could not be removed; the next try is in an hour'])
})
