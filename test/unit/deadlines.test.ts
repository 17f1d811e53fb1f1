/** The timer of the deadlines, with clocks that the test moves. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Expiry } from '../../src/broker/contract/store.ts'
import { type StoreListener, StoreListeners } from '../../src/broker/contract/store-listeners.ts'
import { Deadlines } from '../../src/broker/engine/deadlines.ts'
import type { Clock } from '../../src/broker/vocabulary/clock.ts'
import type { Cause } from '../../src/broker/vocabulary/status.ts'
import { whenDone } from '../_support/cleanup.ts'

const START_MS = 1_800_000_000_000
const HOUR_MS = 3_600_000

/** A store whose deadlines are times of the wall clock. A step carries out one. */
class FakeStore {
  due: { readonly atMs: number; readonly messageId: number; readonly cause: Cause }[] = []
  newest: number | null = null
  error: Error | null = null
  steps = 0
  looks = 0
  readonly #listeners = new StoreListeners()

  add(messageId: number, inMs: number, cause: Cause = 'EXPIRED'): void {
    this.due.push({ atMs: Date.now() + inMs, messageId, cause })
    this.due.sort((a, b) => a.atMs - b.atMs)
    this.#listeners.report({ is: 'deadline', inMs })
  }

  async expire(): Promise<Expiry> {
    this.steps++
    if (this.error) throw this.error
    const isDue = this.due[0] !== undefined && this.due[0].atMs <= Date.now()
    const done = isDue ? this.due.shift() : undefined
    const [next] = this.due
    const settled = done && done.cause !== 'STORED' ? [transition(done.messageId, done.cause)] : []
    return { settled, nextInMs: next ? Math.max(0, next.atMs - Date.now()) : null }
  }

  async newestMs(): Promise<number | null> {
    this.looks++
    return this.newest
  }

  watch(listener: StoreListener): () => void {
    return this.#listeners.add(listener)
  }
}

function transition(messageId: number, cause: Cause): Expiry['settled'][number] {
  return {
    messageId,
    attempts: 2,
    deviceId: 'pump',
    status: 'UNKNOWN',
    cause,
    replyTo: null,
    details: null,
    order: null,
  }
}

let store: FakeStore
let deadlines: Deadlines
let announced: number[]
let lines: object[]
let errors: string[]
const clock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: START_MS })
  whenDone(() => vi.useRealTimers())
  store = new FakeStore()
  announced = []
  lines = []
  errors = []
  deadlines = new Deadlines({
    messages: store,
    announce: ({ messageId }) => announced.push(messageId),
    log: {
      info: (fields) => lines.push(fields),
      warn: (fields) => lines.push(fields),
      error: (_, text) => errors.push(text),
    },
    clock,
  })
  whenDone(() => deadlines.close())
})

/** Lets time pass, and the steps that are due with it. */
async function pass(ms: number): Promise<void> {
  for (let rest = ms; rest > 0; rest -= 1_000) {
    vi.advanceTimersByTime(Math.min(rest, 1_000))
    await nextTurn()
  }
}

describe('deadlines', () => {
  test('passed before the start → carried out before the start resolves, each announced and logged', async () => {
    store.add(1, -5_000)
    store.add(2, -4_000, 'NOT_FINISHED')
    store.add(3, 10_000)
    await deadlines.start()
    expect(announced).toEqual([1, 2])
    expect(lines).toEqual([
      { messageId: 1, deviceId: 'pump', cause: 'EXPIRED', attempts: 2 },
      { messageId: 2, deviceId: 'pump', cause: 'NOT_FINISHED', attempts: 2 },
    ])
  })

  test('a stored deadline → carried out at its time', async () => {
    store.add(1, 10_000)
    await deadlines.start()
    await pass(9_999)
    expect(announced).toEqual([])
    await pass(1)
    expect(announced).toEqual([1])
  })

  test('a new deadline, earlier than the timer → carried out at its time', async () => {
    store.add(1, 50_000)
    await deadlines.start()
    store.add(2, 3_000)
    await pass(3_000)
    expect(announced).toEqual([2])
    await pass(47_000)
    expect(announced).toEqual([2, 1])
  })

  test('a thousand new deadlines → one timer', async () => {
    await deadlines.start()
    store.add(1, 10_000)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    for (let id = 2; id <= 1_000; id++) store.add(id, 20_000)
    expect(timers).not.toHaveBeenCalled()
  })

  test('the wall clock is set forward → carried out within a minute', async () => {
    store.add(1, HOUR_MS)
    await deadlines.start()
    vi.setSystemTime(START_MS + 2 * HOUR_MS)
    await pass(60_000)
    expect(announced).toEqual([1])
  })

  test('closed → nothing is carried out', async () => {
    store.add(1, 10_000)
    await deadlines.start()
    await deadlines.close()
    store.add(2, 1_000)
    const { steps } = store
    await pass(120_000)
    expect([announced, store.steps]).toEqual([[], steps])
  })
})

describe('a wall clock behind the newest message', () => {
  test('by 5,000 ms → carried out', async () => {
    store.newest = START_MS + 5_000
    store.add(1, -1)
    await deadlines.start()
    expect([announced, deadlines.clockBehindMs]).toEqual([[1], null])
  })

  test('by more → nothing until the clock has passed that time', async () => {
    store.newest = START_MS + 5_001
    store.add(1, -1)
    await deadlines.start()
    expect([announced, deadlines.clockBehindMs]).toEqual([[], 5_001])
    store.add(2, 1)
    await pass(1_000)
    expect([announced, deadlines.clockBehindMs]).toEqual([[], 4_001])
    await pass(4_000)
    expect(announced).toEqual([])
    await pass(1_000)
    expect([announced, deadlines.clockBehindMs]).toEqual([[1, 2], null])
    expect(errors).toEqual([])
  })

  test('set back while the server runs, with a message stored since → nothing', async () => {
    store.newest = START_MS
    store.add(1, 90_000)
    await deadlines.start()
    vi.setSystemTime(START_MS - HOUR_MS)
    store.newest = START_MS - HOUR_MS
    store.add(2, 1_000)
    await pass(2_000)
    expect(announced).toEqual([])
    expect(deadlines.clockBehindMs).toBeGreaterThan(HOUR_MS - 5_000)
    vi.setSystemTime(START_MS + 1)
    await pass(60_000)
    expect([announced, deadlines.clockBehindMs]).toEqual([[2], null])
    const jumps = lines.filter((line) => 'code' in line)
    expect(jumps).toEqual([
      { code: 'clock-jumped', seconds: -3_600 },
      { code: 'clock-jumped', seconds: expect.any(Number) },
    ])
  })

  test('set right by a few seconds, again and again → no line', async () => {
    await deadlines.start()
    for (let n = 0; n < 5; n++) {
      vi.setSystemTime(Date.now() + 4_000)
      await pass(60_000)
    }
    expect(lines).toEqual([])
  })
})

describe('a store that refuses', () => {
  test('several times → one line, tries every 5 s, and the deadline afterwards', async () => {
    store.add(1, -1)
    store.error = new Error('disk full')
    await deadlines.start()
    expect(errors).toEqual(['deadlines could not be carried out; the next try is in 5 s'])
    await pass(15_000)
    expect([store.steps, errors.length]).toEqual([4, 1])
    store.error = null
    await pass(5_000)
    expect(announced).toEqual([1])
    store.error = new Error('disk full')
    store.add(2, 1_000)
    await pass(1_000)
    expect(errors).toHaveLength(2)
  })
})
