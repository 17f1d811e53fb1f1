/** Cases of the storage contract: counts by the minute and by the hour. */
import { describe, expect, test } from 'vitest'
import {
  type CountedMinute,
  HOUR_MS,
  MINUTE_MS,
  type RowStep,
  type StatisticsRow,
} from '../../src/broker/contract/statistics-store.ts'
import { DELIVERY_BUCKETS } from '../../src/broker/vocabulary/delivery-buckets.ts'
import { acknowledge, type OpenStore, RULES, useStore } from './store-under-test.ts'

/** The held clock of the stores begins in this minute, which is in the first hour. */
const START_MS = 1_000_000 - (1_000_000 % MINUTE_MS)
const END_MS = 1_000 * HOUR_MS

const NO_ROW = {
  ...{ stored: 0, delivered: 0, completed: 0, failed: 0, unknown: 0, cancelled: 0, unacknowledged: 0 },
  ...{ pending: null, upMs: 0, deliveries: null },
}

export function statisticsContract(open: OpenStore): void {
  describe('statistics', () => {
    const store = useStore(open)
    const rows = (stepMs: RowStep): Promise<readonly StatisticsRow[]> =>
      store.statistics.rows(stepMs, 0, END_MS)
    /** Returns start, failed, UNKNOWN and cancelled messages of each step that has any. */
    const failures = async (stepMs: RowStep) =>
      (await rows(stepMs))
        .map(({ atMs, failed, unknown, cancelled }) => [atMs, failed, unknown, cancelled])
        .filter(([, ...counts]) => counts.some((count) => count !== 0))
    const park = async (): Promise<number> => {
      const { message } = await store.poll()
      await store.messages.park('pump', { messageId: message.id, number: 1 })
      return message.id
    }
    const counted = (parts: Partial<CountedMinute> = {}): CountedMinute => ({
      ...{ atMs: START_MS, stored: 0, delivered: 0, completed: 0, unacknowledged: 0, pending: 0 },
      ...{ upFromMs: START_MS, upToMs: START_MS, deliveries: null },
      ...parts,
    })

    test('statistics: messages fail, are cancelled, complete → failures and cancellations in their minutes and hours', async () => {
      const ids = [await store.put(), await store.put({ deviceId: 'b' }), await store.put({ deviceId: 'c' })]
      await acknowledge(store.messages, ids[0] as number, 'COMPLETED_WITH_ERROR')
      await store.messages.cancel(ids[1] as number, { by: null, force: false })
      await acknowledge(store.messages, ids[2] as number, 'COMPLETED', 'c')
      store.clock.advance(HOUR_MS)
      await store.put()
      await park()
      const later = START_MS + HOUR_MS
      expect(await failures(MINUTE_MS)).toEqual([
        [START_MS, 1, 0, 1],
        [later, 1, 1, 0],
      ])
      expect(await failures(HOUR_MS)).toEqual([
        [0, 1, 0, 1],
        [HOUR_MS, 1, 1, 0],
      ])
      await store.reopen()
      expect(await failures(HOUR_MS)).toEqual([
        [0, 1, 0, 1],
        [HOUR_MS, 1, 1, 0],
      ])
      expect(await store.statistics.failures(later)).toEqual({ failed: 1, unknown: 1, unacknowledged: 0 })
    })

    test('statistics: a parked message is replayed, or acknowledged late → its minute counts it no more', async () => {
      await store.put()
      const first = await park()
      await store.put()
      const second = await park()
      expect(await failures(MINUTE_MS)).toEqual([[START_MS, 2, 2, 0]])
      store.clock.advance(5 * MINUTE_MS)
      await store.messages.replay(first, { by: null, limits: { messages: 10, bytes: 0 } })
      expect(await failures(MINUTE_MS)).toEqual([[START_MS, 1, 1, 0]])
      await acknowledge(store.messages, second, 'COMPLETED_WITH_ERROR')
      const later = START_MS + 5 * MINUTE_MS
      expect(await failures(MINUTE_MS)).toEqual([[later, 1, 0, 0]])
      expect(await failures(HOUR_MS)).toEqual([[0, 1, 0, 0]])
    })

    test('statistics: an acknowledgement that changes nothing, or a cancelled queue → counted once each', async () => {
      const id = await store.put()
      await acknowledge(store.messages, id, 'COMPLETED_WITH_ERROR')
      await acknowledge(store.messages, id, 'COMPLETED_WITH_ERROR')
      for (let n = 0; n < 3; n++) await store.put()
      await store.messages.cancelAll('pump', { force: true, by: null }, { limit: 10_000 })
      const replaced = await store.put({ guarantee: 'ONLY_LAST', command: 'light' })
      await store.put({ guarantee: 'ONLY_LAST', command: 'light' })
      expect((await store.record(replaced)).status).toBe('CANCELLED')
      expect(await failures(MINUTE_MS)).toEqual([[START_MS, 1, 0, 4]])
    })

    test('statistics: a NO message that was not sent whole → UNKNOWN, counted', async () => {
      await store.put({ guarantee: 'NO' })
      const { message } = await store.poll(RULES)
      expect(await failures(MINUTE_MS)).toEqual([])
      await store.messages.sendFailed(message.id)
      expect(await failures(MINUTE_MS)).toEqual([[START_MS, 1, 1, 0]])
    })

    test('statistics: counts are added → their sums by minute and hour; the largest pending number', async () => {
      const deliveries = Array.from({ length: DELIVERY_BUCKETS }, (_, i) => i)
      const twice = deliveries.map((count) => 2 * count)
      const next = START_MS + MINUTE_MS
      const up = (fromMs: number, toMs: number) => ({ upFromMs: fromMs, upToMs: toMs })
      await store.statistics.add([
        counted({ stored: 2, delivered: 1, pending: 7, deliveries, ...up(START_MS, START_MS + 1_000) }),
      ])
      await store.statistics.add([
        counted({ completed: 3, pending: 4, deliveries, ...up(START_MS + 1_000, next) }),
        counted({ atMs: next, unacknowledged: 5, pending: 9, ...up(next, next + 10) }),
      ])
      const first = { stored: 2, delivered: 1, completed: 3 }
      expect(await rows(MINUTE_MS)).toEqual([
        { ...NO_ROW, ...first, atMs: START_MS, pending: 7, upMs: MINUTE_MS, deliveries: twice },
        { ...NO_ROW, atMs: next, pending: 9, upMs: 10, unacknowledged: 5 },
      ])
      expect(await rows(HOUR_MS)).toEqual([
        {
          ...{ ...NO_ROW, ...first, atMs: 0, pending: 9, upMs: MINUTE_MS + 10 },
          ...{ unacknowledged: 5, deliveries: twice },
        },
      ])
      expect(await store.statistics.rows(15 * MINUTE_MS, 0, END_MS)).toEqual([
        {
          ...{ ...NO_ROW, ...first, atMs: START_MS - MINUTE_MS, pending: 9, upMs: MINUTE_MS + 10 },
          ...{ unacknowledged: 5, deliveries: twice },
        },
      ])
      expect(await store.statistics.rows(6 * HOUR_MS, 0, END_MS)).toMatchObject([
        { ...first, atMs: 0, pending: 9 },
      ])
      expect(await store.statistics.rows(MINUTE_MS, next, END_MS)).toHaveLength(1)
      expect(await store.statistics.rows(MINUTE_MS, 0, next)).toHaveLength(1)
      expect(await store.statistics.failures(next)).toEqual({ failed: 0, unknown: 0, unacknowledged: 5 })
    })

    test('statistics: old rows are removed → the others stay, and a replay of an old failure adds no row', async () => {
      await store.put()
      const id = await park()
      await store.statistics.add([counted({ stored: 1 }), counted({ atMs: START_MS + HOUR_MS })])
      expect(await store.statistics.oldestMs(MINUTE_MS)).toBe(START_MS)
      expect(await store.statistics.purge(MINUTE_MS, START_MS + 1)).toBe(1)
      expect((await rows(MINUTE_MS)).map(({ atMs }) => atMs)).toEqual([START_MS + HOUR_MS])
      expect((await rows(HOUR_MS)).map(({ atMs }) => atMs)).toEqual([0, HOUR_MS])
      await store.messages.replay(id, { by: null, limits: { messages: 10, bytes: 0 } })
      await store.statistics.add([])
      expect((await rows(MINUTE_MS)).map(({ atMs }) => atMs)).toEqual([START_MS + HOUR_MS])
      expect([await failures(MINUTE_MS), await failures(HOUR_MS)]).toEqual([[], []])
      expect(await store.statistics.oldestMs(HOUR_MS)).toBe(0)
    })

    test('statistics of a device → the times of its newest messages, newest first', async () => {
      const id = await store.put()
      await store.put({ deviceId: 'other' })
      store.clock.advance(700)
      await store.complete(id)
      await store.put()
      expect(await store.statistics.ofDevice('pump', 10)).toMatchObject([
        { status: 'NOT_DELIVERED', createdAtMs: 1_000_700, changedAtMs: 1_000_700, deliveredAtMs: null },
        { status: 'COMPLETED', createdAtMs: 1_000_000, changedAtMs: 1_000_700, deliveredAtMs: 1_000_700 },
      ])
      expect(await store.statistics.ofDevice('pump', 1)).toHaveLength(1)
    })
  })
}
