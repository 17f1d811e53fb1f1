/** Duties: work is repeated until it is done, and once more when the process stops. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import { Duties } from '../../src/process/duties.ts'
import { whenDone } from '../_support/cleanup.ts'

let duties: Duties
let tries: number
let isAway: boolean
let failures: unknown[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  whenDone(() => vi.useRealTimers())
  duties = new Duties()
  tries = 0
  isAway = true
  failures = []
})

const perform = (): Promise<void> =>
  duties.perform(
    async () => {
      tries++
      if (isAway) throw new Error(`try ${tries}`)
    },
    (error) => failures.push((error as Error).message),
  )

async function pass(seconds: number): Promise<void> {
  for (let n = 0; n < seconds; n++) {
    vi.advanceTimersByTime(1_000)
    await nextTurn()
  }
}

test('duty: done at once → not repeated', async () => {
  isAway = false
  await perform()
  await pass(60)
  expect([tries, failures]).toEqual([1, []])
})

test('duty: fails for a minute → repeated at least every 5 seconds, reported once, done then', async () => {
  await perform()
  await pass(60)
  const before = tries
  expect(before).toBeGreaterThanOrEqual(12)
  isAway = false
  await pass(6)
  expect(tries).toBe(before + 1)
  await pass(60)
  expect([tries, failures]).toEqual([before + 1, ['try 1']])
})

test('close: a duty is not done → one last try at once, also when it fails', async () => {
  await perform()
  await pass(20)
  const before = tries
  await duties.close()
  expect(tries).toBe(before + 1)
  await perform()
  await pass(60)
  expect(tries).toBe(before + 2)
})
