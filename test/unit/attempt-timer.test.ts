/** The end of attempts that no connection waits for: at their time, again after an error, and never twice. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { DeviceAttempt, EndedAttempt } from '../../src/broker/contract/device-lease.ts'
import { StoreListeners } from '../../src/broker/contract/store-listeners.ts'
import { AttemptTimer, type RunningAttempt } from '../../src/broker/engine/attempt-timer.ts'
import { whenDone } from '../_support/cleanup.ts'

const MAX_ATTEMPTS = 3

const attempt = (id: number, counted = 1, atMs = 7): RunningAttempt => {
  return { id, number: counted, counted, maxAttempts: null, atMs }
}

let timer: AttemptTimer
let open: DeviceAttempt[]
let listeners: StoreListeners
let error: Error | null
let log: string[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  whenDone(() => vi.useRealTimers())
  open = []
  error = null
  log = []
  listeners = new StoreListeners()
  timer = new AttemptTimer({
    messages: {
      async endAttempt(deviceId: string, { messageId, number }: EndedAttempt) {
        if (error) throw error
        log.push(`end ${deviceId} ${messageId} ${number}`)
        return true
      },
      async openAttempts() {
        if (error) throw error
        return open
      },
      watch: (listener) => listeners.add(listener),
    },
    isLast: (_, { counted }) => counted >= MAX_ATTEMPTS,
    async park(deviceId, messageId, number) {
      log.push(`park ${deviceId} ${messageId} ${number}`)
      return true
    },
    timedOut: (deviceId, messageId) => log.push(`timed out ${deviceId} ${messageId}`),
    clock: { monotonicMs: () => performance.now() },
    log: { error: (_, text) => log.push(text) },
  })
  whenDone(() => timer.close())
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('an attempt', () => {
  test('its time comes → ended, and counted as timed out; the last one → parked', async () => {
    timer.add('pump', attempt(1), 30_000)
    timer.add('valve', attempt(2, MAX_ATTEMPTS), 20_000)
    await pass(19_999)
    expect(log).toEqual([])
    await pass(1)
    expect(log).toEqual(['park valve 2 3'])
    await pass(10_000)
    expect(log.slice(1)).toEqual(['end pump 1 1', 'timed out pump 1'])
    await pass(600_000)
    expect(log).toHaveLength(3)
  })

  test('its message is settled → nothing; parked and replayed → the next attempt ends', async () => {
    const change = {
      deviceId: 'pump',
      messageId: 1,
      cause: 'ACKNOWLEDGED',
      replyTo: null,
      details: null,
      order: null,
    } as const
    timer.add('pump', attempt(1), 30_000)
    timer.settled({ ...change, status: 'DELIVERED' })
    await pass(30_000)
    expect(log).toEqual([])

    timer.add('pump', attempt(1, 2), 30_000)
    timer.settled({ ...change, status: 'UNKNOWN' })
    await pass(30_000)
    expect(log).toEqual(['end pump 1 2', 'timed out pump 1'])
  })

  test('a later attempt with the device begins → that one alone', async () => {
    timer.add('pump', attempt(1), 30_000)
    await pass(10_000)
    timer.add('pump', attempt(1, 2), 60_000)
    await pass(60_000)
    expect(log).toEqual(['end pump 1 2', 'timed out pump 1'])
  })

  test('the validity of its message ends before, or with it → nothing: the deadline of the validity ends the attempt', async () => {
    timer.add('pump', { ...attempt(1), remainingMs: 30_000 }, 30_000)
    timer.add('valve', { ...attempt(2), remainingMs: 30_001 }, 30_000)
    await pass(30_001)
    expect(log).toEqual(['end valve 2 1', 'timed out valve 2'])
  })

  test('a connection waits for its end → nothing', async () => {
    timer.isAwaited = (deviceId, messageId) => deviceId === 'pump' && messageId === 1
    timer.add('pump', attempt(1), 30_000)
    await pass(30_000)
    expect(log).toEqual([])
  })

  test('the store refuses the end → one line, and again every 5 seconds until it is stored', async () => {
    error = new Error('full')
    timer.add('pump', attempt(1), 30_000)
    timer.add('valve', attempt(2), 30_001)
    await pass(36_000)
    expect(log).toEqual(['attempts could not be ended; the next try is in 5 s'])
    error = null
    await pass(5_000)
    expect(log.slice(1).toSorted()).toEqual([
      'end pump 1 1',
      'end valve 2 1',
      'timed out pump 1',
      'timed out valve 2',
    ])
  })

  test('ten thousand attempts in any order, most of them settled → each other one at its time', async () => {
    const timesMs = Array.from({ length: 10_000 }, (_, n) => 1 + ((n * 7_919) % 10_007))
    for (const [n, forMs] of timesMs.entries()) timer.add(`d${n}`, attempt(n), forMs)
    for (const n of timesMs.keys())
      if (n % 100 !== 0)
        timer.settled({
          ...{ deviceId: `d${n}`, messageId: n, status: 'COMPLETED', cause: 'ACKNOWLEDGED' },
          ...{ replyTo: null, details: null, order: null },
        })
    await pass(10_007)
    const wanted = [...timesMs.entries()].filter(([n]) => n % 100 === 0).sort(([, a], [, b]) => a - b)
    expect(log.filter((line) => line.startsWith('end'))).toEqual(wanted.map(([n]) => `end d${n} ${n} 1`))
  })
})

describe('the open attempts of the store', () => {
  const stored = (messageId: number, runningMs: number, atMs = 7): DeviceAttempt => ({
    ...{ deviceId: 'pump', messageId, number: 1, counted: 1, maxAttempts: null, remainingMs: null },
    ...{ finishSeconds: null, runningMs, atMs },
  })

  test('at the start, and when a node is gone → read, and ended at their times', async () => {
    open = [stored(1, 0)]
    timer.start()
    await pass(2)
    expect(log).toEqual(['end pump 1 1', 'timed out pump 1'])

    open = [stored(2, 10_000)]
    listeners.report({ is: 'attempts-left' })
    await pass(10_002)
    expect(log.slice(2)).toEqual(['end pump 2 1', 'timed out pump 2'])
  })

  test('a later attempt of the device is known → it stays', async () => {
    timer.add('pump', attempt(1, 2, 9), 30_000)
    open = [stored(1, 0)]
    timer.start()
    await pass(30_000)
    expect(log).toEqual(['end pump 1 2', 'timed out pump 1'])
  })

  test('the store refuses the read → again after 5 seconds', async () => {
    error = new Error('away')
    open = [stored(1, 0)]
    timer.start()
    await pass(10)
    error = null
    await pass(5_010)
    expect(log).toEqual([
      'open attempts could not be read; the next try is in 5 s',
      ...['end pump 1 1', 'timed out pump 1'],
    ])
  })
})
