/** The part of the storage contract about delayed messages. */
import { describe, expect, test } from 'vitest'
import {
  ATTEMPT_MS,
  claimMessage,
  EMPTY,
  inFlight,
  type OpenStore,
  RULES,
  terms,
  useStore,
} from './store-under-test.ts'

const delayed = (delaySeconds: number) => ({ terms: terms({ delaySeconds }) })

export function delayContract(open: OpenStore): void {
  describe('delay', () => {
    const store = useStore(open)
    const attach = () => store.messages.attach('pump', 'MQTT')

    test('delay: until it is due → no dispatch, and the time; then it is dispatched', async () => {
      const id = await store.put(delayed(5))
      await store.put(delayed(6))
      const lease = await attach()
      expect(await lease.claim(null, RULES)).toEqual({ is: 'empty', dueInMs: 5_000 })
      store.clock.advance(4_999)
      expect(await lease.claim(null, RULES)).toEqual({ is: 'empty', dueInMs: 1 })
      expect(await store.messages.head('pump')).toBeNull()
      expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
      store.clock.advance(1)

      expect(await store.headId()).toBe(id)
      expect((await claimMessage(lease)).message.id).toBe(id)
      await store.complete(id)
      expect(await lease.claim(null, RULES)).toEqual({ is: 'empty', dueInMs: 1_000 })
    })

    test('delay: a younger message is pending → it is dispatched before; the due one goes before younger ones', async () => {
      const late = await store.put(delayed(5))
      const [first, second] = [await store.put(), await store.put()]
      const lease = await attach()
      expect((await claimMessage(lease)).message.id).toBe(first)
      store.clock.advance(5_000)

      expect(await lease.claim(null, RULES)).toEqual(inFlight(first, ATTEMPT_MS - 5_000))
      expect(await store.headId()).toBe(first)
      for (const id of [first, late]) {
        await store.complete(id)
        expect((await claimMessage(lease)).message.id).toBe(id === first ? late : second)
      }
    })

    test('delay: three are due in another order than stored → dispatched in the order of their ids', async () => {
      const ids = [await store.put(delayed(3)), await store.put(delayed(1)), await store.put(delayed(2))]
      store.clock.advance(3_000)

      for (const id of ids) {
        expect(await store.headId()).toBe(id)
        await store.complete(id)
      }
    })

    test('delay: it counts for the limit of the queue from storing', async () => {
      await store.put(delayed(5), 1)

      await expect(store.put({}, 1)).rejects.toMatchObject({ code: 'queue-full' })
    })

    test('delay: the device acknowledges or a client cancels a delayed message → it leaves the queue', async () => {
      const [done, cancelled] = [await store.put(delayed(5)), await store.put(delayed(5))]
      await store.complete(done)
      await store.messages.cancel(cancelled, { by: null, force: false })
      store.clock.advance(5_000)

      expect(await store.messages.status(done)).toBe('COMPLETED')
      expect(await (await attach()).claim(null, RULES)).toEqual(EMPTY)
    })

    test('delay: with a validity → the validity runs from storing', async () => {
      const id = await store.put({ terms: terms({ delaySeconds: 5, validSeconds: 6 }) })
      store.clock.advance(5_999)
      expect(await store.headId()).toBe(id)
      expect((await store.messages.expire(1_000)).settled).toEqual([])
      store.clock.advance(1)

      expect((await store.messages.expire(1_000)).settled).toMatchObject([
        { messageId: id, status: 'CANCELLED' },
      ])
    })

    test('delay: ONLY_LAST with the command → the delayed message is superseded', async () => {
      const id = await store.put(delayed(5))
      await store.put({ guarantee: 'ONLY_LAST', ...delayed(9) })

      expect(await store.record(id)).toMatchObject({ status: 'CANCELLED', cause: 'SUPERSEDED' })
    })

    test('delay: 2,000 delayed messages before a plain one → the plain one is the head', async () => {
      await Promise.all(Array.from({ length: 2_000 }, () => store.put(delayed(60))))
      const id = await store.put()

      expect(await store.headId()).toBe(id)
      expect((await claimMessage(await attach())).message.id).toBe(id)
    })

    test('extras: a delayed message → the terms have the time at which it is due', async () => {
      const id = await store.put(delayed(5))

      expect((await store.extras(id)).terms).toMatchObject({
        dueAtMs: store.clock.wallMs() + 5_000,
        expiresAtMs: null,
      })
    })
  })
}
