/** The part of the storage contract about the purge. */
import { describe, expect, test } from 'vitest'
import {
  acknowledge,
  claimMessage,
  expectEvent,
  type OpenStore,
  recordEvents,
  terms,
  useStore,
} from './store-under-test.ts'

export function purgeContract(open: OpenStore): void {
  describe('purge', () => {
    const store = useStore(open)

    test('purge: two messages changed before and at the time → the earlier one is removed', async () => {
      const old = await store.put()
      const justTooYoung = await store.put()
      store.clock.advance(1000)
      await store.complete(old)
      store.clock.advance(1)
      await store.complete(justTooYoung)
      const beforeMs = store.clock.wallMs()

      expect(await store.messages.purge(beforeMs)).toBe(1)

      expect(await store.messages.status(old)).toBeNull()
      expect(await store.messages.status(justTooYoung)).toBe('COMPLETED')
      expect(await store.messages.purge(beforeMs)).toBe(0)
    })

    test('purge: a pending message is old → it stays', async () => {
      const delivered = await store.put({ guarantee: 'NO' })
      await claimMessage(await store.messages.attach('pump', 'MQTT'))
      const pending = await store.put()

      expect(await store.messages.purge(Number.MAX_SAFE_INTEGER)).toBe(1)

      expect(await store.messages.status(delivered)).toBeNull()
      expect(await store.headId()).toBe(pending)
    })

    test('purge: a message has a running finish deadline → the device has no unfinished message', async () => {
      const put = () => store.put({ terms: terms({ finishSeconds: 60 }) })
      const [old, young] = [await put(), await put()]
      await acknowledge(store.messages, old, 'DELIVERED')
      store.clock.advance(1_000)
      await acknowledge(store.messages, young, 'DELIVERED')
      const events = recordEvents(store.messages)

      expect(await store.messages.purge(store.clock.wallMs())).toBe(1)

      const { unfinished } = await store.messages.line('pump')
      expect(unfinished).toEqual([{ messageId: young, forMs: 60_000 }])
      await expectEvent(events, { is: 'unfinished', deviceId: 'pump', messageId: old, forMs: null })
    })

    test('purge: a message was cancelled at the time → it counts as changed then', async () => {
      const cancelled = await store.put()
      store.clock.advance(4000)
      await store.put({ guarantee: 'ONLY_LAST' })
      const cancelledAtMs = store.clock.wallMs()

      expect(await store.messages.purge(cancelledAtMs)).toBe(0)
      expect(await store.messages.purge(cancelledAtMs + 1)).toBe(1)
      expect(await store.messages.status(cancelled)).toBeNull()
    })

    test('purge: more messages than one step removes, pending ones among them → the pending ones stay', async () => {
      const ids = await Promise.all(Array.from({ length: 1500 }, () => store.put()))
      const pending = ids.filter((_, i) => i % 300 === 299)
      await Promise.all(ids.filter((id) => !pending.includes(id)).map((id) => store.complete(id)))
      store.clock.advance(1)

      expect(await store.messages.purge(store.clock.wallMs())).toBe(ids.length - pending.length)

      for (const id of pending) expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
    })

    test('newestMs: no message, one, two of which the clock was set back in between → the time of the last', async () => {
      expect(await store.messages.newestMs()).toBeNull()
      await store.put()
      expect(await store.messages.newestMs()).toBe(store.clock.wallMs())
      store.clock.setWall(store.clock.wallMs() - 1_000)
      await store.put()
      expect(await store.messages.newestMs()).toBe(store.clock.wallMs())
    })
  })
}
