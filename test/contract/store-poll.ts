/** The part of the storage contract about polls: `take` of the message that `head` returned. */
import { describe, expect, test } from 'vitest'
import {
  ATTEMPT_MS,
  claimMessage,
  inFlight,
  type OpenStore,
  ORDER,
  RULES,
  take,
  useStore,
} from './store-under-test.ts'

export function pollContract(open: OpenStore): void {
  describe('take', () => {
    const store = useStore(open)

    test.each(['RECEIPT_CONFIRMATION', 'ONLY_LAST'] as const)(
      'take: %s → it stays the head, with an attempt at each take',
      async (guarantee) => {
        const id = await store.put({ guarantee })
        await store.put()

        for (const number of [1, 2]) {
          store.clock.advance(ATTEMPT_MS)
          const { message, transition } = await store.poll()
          const atMs = store.clock.wallMs()
          expect(message).toMatchObject({ id, command: 'start', guarantee, data: '{}', number, atMs })
          expect(transition).toBeNull()
          const attempt = { number, atMs, runningMs: ATTEMPT_MS }
          expect(await store.messages.head('pump')).toMatchObject({ message: { id }, attempt })
        }
      },
    )

    test('take: NO → it is DELIVERED and leaves its queue, also after a reopen', async () => {
      const replyTo = { producerId: 'boss', correlationId: null }
      const id = await store.put({ guarantee: 'NO', replyTo })
      const next = await store.put()

      const change = { messageId: id, deviceId: 'pump', status: 'DELIVERED', cause: 'HANDED_OVER' }
      expect(await take(store.messages, id, { guarantee: 'NO' })).toEqual({
        message: expect.objectContaining({ id, number: 1, atMs: store.clock.wallMs() }),
        transition: { ...change, replyTo, details: null, order: ORDER },
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
      await store.messages.cancel(cancelled, { by: null, force: false })

      expect(await take(store.messages, acknowledged)).toBeNull()
      expect(await take(store.messages, cancelled)).toBeNull()
    })

    test('head: a lease has an attempt with the message → it is returned with it, and the attempt runs on', async () => {
      const id = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      await claimMessage(lease)
      store.clock.advance(300)

      const attempt = { messageId: id, number: 1, runningMs: ATTEMPT_MS - 300 }
      expect(await store.messages.head('pump')).toMatchObject({ message: { id }, attempt })
      expect(await lease.claim(null, RULES)).toEqual(inFlight(id, ATTEMPT_MS - 300))
    })

    test('take: the message has an attempt since the look at the head → null, and the attempt runs on', async () => {
      const id = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      await claimMessage(lease)

      expect(await take(store.messages, id)).toBeNull()
      expect(await lease.claim(null, RULES)).toEqual(inFlight(id, ATTEMPT_MS))
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
