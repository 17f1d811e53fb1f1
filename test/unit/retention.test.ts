/** The retention removes old messages by the clock and by the newest message. */
import { beforeEach, describe, expect, test } from 'vitest'
import { Retention } from '../../src/broker/engine/retention.ts'
import { HeldClock } from '../_support/clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Days that the history is kept. */
const DAYS = 30
const NOW_MS = 1_000 * DAY_MS

let clock: HeldClock
let newestMs: number | null
/** Each run adds the number of days before the test from which it kept messages. */
let kept: number[]
let warnings: object[]
let infos: object[]
let retention: Retention

beforeEach(() => {
  clock = new HeldClock(NOW_MS)
  newestMs = NOW_MS - HOUR_MS
  kept = []
  warnings = []
  infos = []
  retention = new Retention({
    days: DAYS,
    name: 'messages',
    records: {
      newestMs: async () => newestMs,
      async purge(beforeMs) {
        kept.push((NOW_MS - beforeMs) / DAY_MS)
        return 0
      },
    },
    log: {
      info: (fields) => void infos.push(fields),
      warn: (fields) => void warnings.push(fields),
      error() {},
    },
    clock,
  })
})

async function runHourly(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await retention.run()
    clock.advance(HOUR_MS)
  }
}

describe('retention', () => {
  test('a right clock → each run keeps 30 days', async () => {
    await runHourly(3)
    expect(kept).toEqual([30, 30 - 1 / 24, 30 - 2 / 24].map((days) => expect.closeTo(days)))
    expect(warnings).toEqual([])
  })

  test('no message → 30 days', async () => {
    newestMs = null
    await runHourly(1)
    expect(kept).toEqual([30])
  })

  test('the start is 40 days after the newest message → a day each hour, counted from that message', async () => {
    newestMs = NOW_MS - 40 * DAY_MS
    await runHourly(3)
    expect(kept).toEqual([69, 68, 67])
    expect(warnings).toHaveLength(1)
  })

  test('the clock jumps 40 days ahead → a day each hour; it is set back → as before', async () => {
    await runHourly(1)
    clock.setWall(clock.wallMs() + 40 * DAY_MS)
    await runHourly(2)
    clock.setWall(clock.wallMs() - 40 * DAY_MS)
    await runHourly(1)
    expect(kept).toEqual([30, 29, 28, 30 - 3 / 24].map((days) => expect.closeTo(days)))
    expect(warnings).toHaveLength(1)
    expect(infos).toEqual([{ days: DAYS }])
  })

  test('the server was off for ten days → caught up after ten hours', async () => {
    newestMs = NOW_MS - 10 * DAY_MS
    await runHourly(11)
    expect(kept[0]).toBe(39)
    expect(kept.at(-1)).toBeCloseTo(30 - 10 / 24)
    expect(warnings).toHaveLength(1)
    expect(infos).toEqual([{ days: DAYS }])
  })

  test('messages were stored with a clock that was ahead → 30 days by the clock', async () => {
    newestMs = NOW_MS + 40 * DAY_MS
    await runHourly(1)
    expect(kept).toEqual([30])
  })
})

test('retention: a run fails after it has removed some → what depends on the records is told', async () => {
  let told = 0
  const failing = new Retention({
    ...{ days: DAYS, name: 'messages', clock },
    records: { newestMs: async () => newestMs, purge: () => Promise.reject(new Error('away')) },
    log: { info() {}, warn() {}, error() {} },
    onRemoved: async () => void told++,
  })
  await failing.run()
  expect(told).toBe(1)
})
