/** The part of the storage contract about polls: `take` of the message that `head` returned. */
import { describe, expect, test } from 'vitest'
import { claimMessage, type OpenStore, take, useStore } from './store-under-test.ts'

export function pollContract(open: OpenStore): void {
  describe('take', () => {
    const store = useStore(open)

    test.each(['RECEIPT_CONFIRMATION', 'ONLY_LAST'] as const)(
      'take: %s → it stays the head',
      async (guarantee) => {
        const id = await store.put({ guarantee })
        await store.put()

        for (let polls = 0; polls < 2; polls++) {
          store.clock.advance(5)
          const taken = await take(store.messages, id, { guarantee })
          expect(taken).toEqual({ atMs: store.clock.wallMs(), transition: null })
          expect(await store.headId()).toBe(id)
        }
      },
    )

    test('take: NO → it is DELIVERED and leaves its queue, also after a reopen', async () => {
      const replyTo = { producerId: 'boss', correlationId: null }
      const id = await store.put({ guarantee: 'NO', replyTo })
      const next = await store.put()

      expect(await take(store.messages, id, { guarantee: 'NO' })).toEqual({
        atMs: store.clock.wallMs(),
        transition: { messageId: id, deviceId: 'pump', status: 'DELIVERED', replyTo },
      })

      expect(await store.headId()).toBe(next)
      await store.reopen()
      expect(await store.messages.status(id)).toBe('DELIVERED')
      expect(await store.headId()).toBe(next)
    })

    test('take: the message was acknowledged or cancelled after the look at the head → null', async () => {
      const acknowledged = await store.put()
      const cancelled = await store.put()
      await store.complete(acknowledged)
      await store.messages.cancel(cancelled, null)

      expect(await take(store.messages, acknowledged)).toBeNull()
      expect(await take(store.messages, cancelled)).toBeNull()
    })

    test('take: a lease has an attempt with the message → it is returned, and the attempt runs on', async () => {
      const id = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      await claimMessage(lease)

      expect(await take(store.messages, id)).toMatchObject({ transition: null })
      expect(await lease.claim(null, true)).toMatchObject({ is: 'inFlight' })
    })

    test('take: ten polls of a NO message at once → one returns it', async () => {
      const id = await store.put({ guarantee: 'NO' })

      const results = await Promise.all(
        Array.from({ length: 10 }, () => take(store.messages, id, { guarantee: 'NO' })),
      )

      expect(results.filter((taken) => taken !== null)).toHaveLength(1)
    })
  })
}
