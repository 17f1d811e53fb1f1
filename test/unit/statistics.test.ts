/** Tests the counts over time: buckets of delivery times, what a process stores, and reports. */
import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, type StatisticsStore } from '../../src/broker/contract/statistics-store.ts'
import { StoreCounts } from '../../src/broker/contract/store-metrics.ts'
import { Statistics } from '../../src/broker/views/statistics.ts'
import { statisticsReport } from '../../src/broker/views/statistics-report.ts'
import { byHour, byMinute, perMinute } from '../../src/broker/views/statistics-series.ts'
import { ChangeCounts } from '../../src/broker/vocabulary/change-counts.ts'
import {
  DELIVERY_BUCKETS,
  deliveryBucket,
  deliveryPercentile,
} from '../../src/broker/vocabulary/delivery-buckets.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { seeded } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'

const DAY_MS = 24 * HOUR_MS
const NOON = 1_000 * DAY_MS + 12 * HOUR_MS

describe('delivery times', () => {
  test('bucket: any time → its bounds are a factor of 1.8 apart, and the bucket grows with the time', () => {
    expect([0, 9.9, 10, 17, 18, 100, 1e12, -5].map(deliveryBucket)).toEqual([0, 0, 1, 1, 2, 5, 31, 0])
    expect(deliveryBucket(Number.MAX_VALUE)).toBe(DELIVERY_BUCKETS - 1)
  })

  test('percentile: times at random → at most one bucket from the exact one', () => {
    const random = seeded(7)
    for (let run = 0; run < runs(20); run++) {
      const times = Array.from({ length: 1 + Math.floor(random() * 200) }, () => 10 ** (1 + random() * 5))
      const buckets = new Array<number>(DELIVERY_BUCKETS).fill(0)
      for (const ms of times) buckets[deliveryBucket(ms)] = (buckets[deliveryBucket(ms)] as number) + 1
      times.sort((a, b) => a - b)
      for (const share of [0.5, 0.95]) {
        const exact = times[Math.ceil(share * times.length) - 1] as number
        const found = deliveryPercentile(buckets, share) as number
        expect(found / exact).toBeGreaterThan(1 / 1.8)
        expect(found / exact).toBeLessThan(1.8)
      }
    }
    expect(deliveryPercentile(new Array(DELIVERY_BUCKETS).fill(0), 0.5)).toBeNull()
  })
})

class Rig {
  readonly clock = new HeldClock(NOON)
  readonly changes = new ChangeCounts()
  readonly counts = new StoreCounts()
  readonly messages = openMemory({ clock: this.clock, random: () => 0 })
  pending = 0
  /** Number of calls of the store. */
  writes = 0
  fails = false
  readonly store: StatisticsStore = {
    ...this.messages.statistics,
    add: async (minutes) => {
      this.writes++
      if (this.fails) throw new Error('no room')
      await this.messages.statistics.add(minutes)
    },
  }
  readonly statistics = new Statistics({ ...this, pending: () => this.pending })

  stored(): void {
    this.changes.count({ status: 'NOT_DELIVERED', cause: 'STORED' })
    this.pending++
  }

  completed(seconds: number): void {
    this.changes.count({ status: 'COMPLETED', cause: 'ACKNOWLEDGED' })
    this.counts.delivered(seconds)
    this.pending--
  }

  rows = (stepMs: typeof MINUTE_MS | typeof HOUR_MS = MINUTE_MS) => this.store.rows(stepMs, 0, 2 * NOON)
}

describe('statistics of a process', () => {
  test('flush: messages stored and completed → one write, in their minute; nothing new → none in the same minute', async () => {
    const rig = new Rig()
    for (let n = 0; n < 3; n++) rig.stored()
    rig.completed(0.4)
    rig.statistics.ackTimedOut()
    rig.clock.advance(1_000)
    await rig.statistics.flush()
    rig.clock.advance(1_000)
    await rig.statistics.flush()
    expect(rig.writes).toBe(1)
    const counts = { stored: 3, delivered: 1, completed: 1, unacknowledged: 1, pending: 2 }
    expect(await rig.rows()).toMatchObject([{ atMs: NOON, ...counts, upMs: 1_000 }])
    rig.completed(0.4)
    await rig.statistics.flush()
    expect(await rig.rows()).toMatchObject([{ completed: 2, pending: 2, upMs: 2_000 }])
  })

  test('flush: an idle process → a write each minute that counts the time of the process', async () => {
    const rig = new Rig()
    for (let second = 0; second < 150; second++) {
      await rig.statistics.flush()
      rig.clock.advance(1_000)
    }
    expect(rig.writes).toBe(3)
    expect((await rig.rows()).map(({ upMs, pending }) => [upMs, pending])).toEqual([
      [60_000, 0],
      [60_000, 0],
      [0, 0],
    ])
  })

  test('flushDue: an idle process → a write every five minutes that counts each minute', async () => {
    const rig = new Rig()
    for (let second = 0; second <= 12 * 60; second++) {
      await rig.statistics.flushDue()
      rig.clock.advance(1_000)
    }
    expect(rig.writes).toBe(3)
    expect((await rig.rows()).map(({ upMs }) => upMs)).toEqual([...Array(10).fill(60_000), 0])
  })

  test('flushDue: a count after two idle minutes → one write at once, with those minutes', async () => {
    const rig = new Rig()
    await rig.statistics.flushDue()
    rig.clock.advance(150_000)
    rig.stored()
    await rig.statistics.flushDue()
    expect(rig.writes).toBe(2)
    expect((await rig.rows()).map(({ stored, upMs }) => [stored, upMs])).toEqual([
      [0, 60_000],
      [0, 60_000],
      [1, 30_000],
    ])
  })

  test('flush: the store refuses → the next one stores everything', async () => {
    const rig = new Rig()
    rig.stored()
    rig.fails = true
    await expect(rig.statistics.flush()).rejects.toThrow('no room')
    rig.fails = false
    rig.stored()
    rig.clock.advance(2_000)
    await rig.statistics.flush()
    expect(await rig.rows()).toMatchObject([{ stored: 2, upMs: 2_000 }])
  })

  test('flush: the clock is set a day forward, then back → that day was no time of the process', async () => {
    const rig = new Rig()
    await rig.statistics.flush()
    rig.clock.setWall(NOON + DAY_MS)
    rig.stored()
    await rig.statistics.flush()
    expect((await rig.rows()).map(({ upMs }) => upMs)).toEqual([0, 0])
    rig.clock.setWall(NOON)
    rig.stored()
    await rig.statistics.flush()
    expect((await rig.rows()).map(({ stored }) => stored)).toEqual([1, 1])
  })
})

describe('reports', () => {
  const from = (rig: Rig, parts: object) =>
    statisticsReport(rig.statistics, { fromMs: NOON, toMs: NOON + HOUR_MS, ...parts }, rig.clock.wallMs())

  test('report: minutes with counts and without → sums, null where nothing was recorded, the share of the time', async () => {
    const rig = new Rig()
    rig.stored()
    await rig.statistics.flush()
    rig.clock.advance(20 * MINUTE_MS)
    rig.completed(2)
    const report = await from(rig, { stepMs: 15 * MINUTE_MS })
    expect(report).toEqual({
      ...{ fromMs: NOON, stepMs: 15 * MINUTE_MS },
      ...{ stored: [1, 0, null, null], delivered: [0, 1, null, null], completed: [0, 1, null, null] },
      ...{ failed: [0, 0, null, null], cancelled: [0, 0, null, null], pending: [1, 0, null, null] },
      median: [null, expect.any(Number), null, null],
      p95: [null, expect.any(Number), null, null],
      up: [1, 1, null, null],
    })
  })

  test('report: no step is named → the smallest that has data and is not too fine', async () => {
    const rig = new Rig()
    const step = async (fromMs: number, toMs = NOON) => (await from(rig, { fromMs, toMs })).stepMs / MINUTE_MS
    expect(await step(NOON - HOUR_MS)).toBe(1)
    expect(await step(NOON - DAY_MS)).toBe(15)
    expect(await step(NOON - 7 * DAY_MS)).toBe(60)
    expect(await step(NOON - 30 * DAY_MS)).toBe(360)
    expect(await step(NOON - 5 * DAY_MS, NOON - 5 * DAY_MS + HOUR_MS)).toBe(60)
  })

  test('report: an empty range, or more than 750 steps → bad-range', async () => {
    const rig = new Rig()
    const refused = expect.objectContaining({ code: 'bad-range' })
    await expect(from(rig, { toMs: NOON })).rejects.toEqual(refused)
    await expect(from(rig, { toMs: NOON + DAY_MS, stepMs: MINUTE_MS })).rejects.toEqual(refused)
    expect((await from(rig, { toMs: NOON + 750 * MINUTE_MS, stepMs: MINUTE_MS })).stored).toHaveLength(750)
  })

  test('report of a device: its messages → their counts, and the largest number that was pending', async () => {
    const rig = new Rig()
    const put = async (deviceId: string) =>
      (await rig.messages.enqueue(message({ deviceId }), { messages: 100, bytes: 0 })).id
    const ids = [await put('pump'), await put('pump'), await put('pump')]
    await put('other')
    rig.clock.advance(MINUTE_MS)
    const acknowledge = (messageId: number, status: 'COMPLETED' | 'COMPLETED_WITH_ERROR') =>
      rig.messages.acknowledge({ deviceId: 'pump', messageId, status, by: null, report: null })
    await acknowledge(ids[0] as number, 'COMPLETED')
    await acknowledge(ids[1] as number, 'COMPLETED_WITH_ERROR')
    await rig.messages.cancel(ids[2] as number, { by: null, force: false })
    const range = { toMs: NOON + 3 * MINUTE_MS, stepMs: MINUTE_MS }
    expect(await from(rig, { ...range, deviceId: 'pump' })).toMatchObject({
      ...{ stored: [3, 0, null], delivered: [0, 2, null], completed: [0, 1, null] },
      ...{ failed: [0, 1, null], cancelled: [0, 1, null], pending: [3, 3, null] },
      up: [1, 1, null],
    })
  })

  test('series: the next minute begins a new hour → counts are in their minute and hour', async () => {
    const rig = new Rig()
    rig.clock.setWall(NOON + 59 * MINUTE_MS)
    for (let n = 0; n < 60; n++) rig.stored()
    await rig.statistics.flush()
    expect(perMinute(await byMinute(rig.store, rig.clock.wallMs()), rig.clock.wallMs())).toBe(60)
    rig.clock.advance(MINUTE_MS + MINUTE_MS / 4)
    rig.stored()
    await rig.statistics.flush()
    const minutes = await byMinute(rig.store, rig.clock.wallMs())
    expect([minutes.fromMs, minutes.stored.slice(-3)]).toEqual([NOON + MINUTE_MS, [0, 60, 1]])
    expect(perMinute(minutes, rig.clock.wallMs())).toBe(46)
    const hours = await byHour(rig.store, rig.clock.wallMs())
    expect([hours.fromMs, hours.stored.slice(-3)]).toEqual([NOON - 22 * HOUR_MS, [0, 60, 1]])
  })
})
