/** The part of the storage contract about the replay of many parked messages. */
import { describe, expect, test } from 'vitest'
import type { QueueLimits, ReplayFilter } from '../../src/broker/contract/store.ts'
import { putParked } from './store-replay.ts'
import { limits, type OpenStore, take, terms, useStore } from './store-under-test.ts'

export function replayAllContract(open: OpenStore): void {
  describe('replayAll', () => {
    const store = useStore(open)
    const replayAll = async (
      filter: ReplayFilter,
      limit = 500,
      limitsOf: (deviceId: string) => QueueLimits = () => limits(100),
    ) => {
      const { replayed, left, skipped } = await store.messages.replayAll(filter, {
        by: 'admin',
        limitsOf,
        limit,
      })
      return { ids: replayed.map(({ messageId }) => messageId), left, skipped }
    }

    test('replayAll: messages of two devices are parked → all of them, the oldest first', async () => {
      const ids = [
        await putParked(store),
        await putParked(store, { deviceId: 'valve' }),
        await putParked(store),
      ]
      await store.put({ deviceId: 'lamp' })

      expect(await replayAll({})).toEqual({ ids, left: 0, skipped: 0 })
      for (const id of ids)
        expect(await store.record(id)).toMatchObject({
          status: 'NOT_DELIVERED',
          cause: 'REPLAYED',
          changedBy: 'admin',
        })
      expect(await replayAll({})).toEqual({ ids: [], left: 0, skipped: 0 })
    })

    test('replayAll: a device, a command, a span of time → the messages that match', async () => {
      const valve = await putParked(store, { deviceId: 'valve' })
      const stop = await putParked(store, { command: 'stop' })
      store.clock.advance(1_000)
      const fromMs = store.clock.wallMs()
      const inside = await putParked(store)
      store.clock.advance(1_000)
      const toMs = store.clock.wallMs()
      const at = await putParked(store)

      expect((await replayAll({ deviceId: 'valve' })).ids).toEqual([valve])
      expect((await replayAll({ command: 'stop' })).ids).toEqual([stop])
      expect((await replayAll({ fromMs, toMs })).ids).toEqual([inside])
      expect((await replayAll({ deviceId: 'pump', fromMs: toMs })).ids).toEqual([at])
    })

    test('replayAll: more are parked than the limit → the oldest, and the number of the others', async () => {
      const ids: number[] = []
      for (let n = 0; n < 5; n++) ids.push(await putParked(store))

      expect(await replayAll({}, 2)).toEqual({ ids: ids.slice(0, 2), left: 3, skipped: 0 })
      expect(await replayAll({}, 2)).toEqual({ ids: ids.slice(2, 4), left: 1, skipped: 0 })
      expect(await replayAll({}, 2)).toEqual({ ids: ids.slice(4), left: 0, skipped: 0 })
    })

    test('replayAll: a full queue and ended validities → those are skipped, and not counted as left', async () => {
      const expired = await putParked(store, { terms: terms({ validSeconds: 1 }) })
      const first = await putParked(store)
      const second = await putParked(store)
      const valve = await putParked(store, { deviceId: 'valve' })
      store.clock.advance(1_000)

      const limitsOf = (deviceId: string) => limits(deviceId === 'pump' ? 1 : 100)
      expect(await replayAll({}, 500, limitsOf)).toEqual({ ids: [first, valve], left: 0, skipped: 2 })
      for (const id of [expired, second]) expect(await store.messages.status(id)).toBe('UNKNOWN')
    })

    test('replayAll: UNKNOWN for another reason → it stays', async () => {
      const broken = await store.put({ guarantee: 'NO' })
      await take(store.messages, broken, { guarantee: 'NO' })
      await store.messages.sendFailed(broken)

      expect(await replayAll({})).toEqual({ ids: [], left: 0, skipped: 0 })
    })
  })
}
