/** The part of the storage contract about a clock that is set back: nothing holds a command for longer than its duration. */
import { describe, expect, test } from 'vitest'
import { acknowledge, claimMessage, type OpenStore, RULES, terms, useStore } from './store-under-test.ts'

const HOUR_MS = 3_600_000
/** Reason for a skip. The nodes use the clock of the machine: test/system/postgres-clock-set-back.test.ts has these cases. */
const NO_CLOCK = 'the store has no monotonic clock of the test'

export function clockSetBackContract(open: OpenStore): void {
  describe('clock set back by an hour', () => {
    const store = useStore(open)
    const setBack = () => store.clock.setWall(store.clock.wallMs() - HOUR_MS)
    const attach = () => store.messages.attach('pump', 'MQTT')
    const delayed = (delaySeconds: number) => store.put({ terms: terms({ delaySeconds }) })
    const busyMs = async () => (await store.messages.busyDevices()).get('pump') ?? 0
    const unfinishedMs = async () => (await store.messages.line('pump')).unfinished.map(({ forMs }) => forMs)

    test('delay: the store runs on → due after the rest of its delay, as is one that is stored later', async ({
      skip,
    }) => {
      if (store.measuresByWallClock) return skip(NO_CLOCK)
      const [first, second] = [await delayed(5), await delayed(7)]
      store.clock.advance(2_000)
      setBack()
      const later = await delayed(4)
      const lease = await attach()
      expect(await lease.claim(null, RULES)).toEqual({ is: 'empty', dueInMs: 3_000 })

      for (const [id, afterMs] of [
        [first, 3_000],
        [later, 1_000],
        [second, 1_000],
      ] as const) {
        store.clock.advance(afterMs - 1)
        expect(await store.headId()).toBeNull()
        store.clock.advance(1)
        expect((await claimMessage(lease)).message.id).toBe(id)
        await store.complete(id)
      }
    })

    test('delay: the store is opened again → due after its whole delay at the latest', async ({ skip }) => {
      if (store.measuresByWallClock) return skip(NO_CLOCK)
      const id = await delayed(5)
      store.clock.advance(2_000)
      setBack()
      await store.reopen()
      expect(await (await attach()).claim(null, RULES)).toMatchObject({
        dueInMs: expect.toSatisfy((ms) => ms <= 5_000),
      })
      store.clock.advance(5_000)

      expect(await store.headId()).toBe(id)
    })

    test('delay: the clock is right again → due at its time', async () => {
      const atMs = store.clock.wallMs()
      const id = await delayed(60)
      setBack()
      await store.reopen()
      store.clock.advance(1_000)
      store.clock.setWall(atMs + 59_999)
      expect(await store.headId()).toBeNull()
      store.clock.advance(1)

      expect(await store.headId()).toBe(id)
    })

    test('delay: the message is replayed → due after its whole delay at the latest', async () => {
      const id = await store.put({ terms: terms({ delaySeconds: 60, finishSeconds: 5 }) })
      await acknowledge(store.messages, id, 'DELIVERED')
      store.clock.advance(5_000)
      await store.messages.expire(1_000)
      setBack()
      await store.messages.replay(id, { by: null, limits: { messages: 10, bytes: 0 } })
      store.clock.advance(60_000)

      expect(await store.headId()).toBe(id)
    })

    test('busy: the store is opened again → the rest of a pause is its whole time at most', async () => {
      await store.messages.setBusy('pump', 2_000)
      store.clock.advance(500)
      setBack()
      expect(await busyMs()).toBeLessThanOrEqual(2_000)
      await store.reopen()
      expect(await busyMs()).toBeGreaterThan(0)

      expect(await busyMs()).toBeLessThanOrEqual(2_000)
    })

    test('finish: the store is opened again → an unfinished message holds the queue for its whole time at most', async () => {
      const id = await store.put({ terms: terms({ finishSeconds: 7 }) })
      await acknowledge(store.messages, id, 'DELIVERED')
      store.clock.advance(2_000)
      setBack()
      for (const forMs of await unfinishedMs()) expect(forMs).toBeLessThanOrEqual(7_000)
      await store.reopen()

      const [forMs = 0] = await unfinishedMs()
      expect(forMs).toBeGreaterThan(0)
      expect(forMs).toBeLessThanOrEqual(7_000)
    })
  })
}
