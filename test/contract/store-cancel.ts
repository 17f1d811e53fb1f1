/** The part of the storage contract about the cancelling of messages that were never dispatched. */
import { describe, expect, test } from 'vitest'
import {
  acknowledge,
  claimMessage,
  type OpenStore,
  ORDER,
  RULES,
  take,
  useStore,
} from './store-under-test.ts'

export function cancelContract(open: OpenStore): void {
  describe('cancel', () => {
    const store = useStore(open)

    const dispatches = [
      ['a poll returned', (id: number) => take(store.messages, id)],
      ['a lease dispatched', async () => claimMessage(await store.messages.attach('pump', 'MQTT'))],
    ] as const

    test.each(dispatches)(
      'cancel: %s the message → it stays pending, also after a reopen',
      async (_what, dispatch) => {
        const id = await store.put()
        await dispatch(id)

        const unchanged = { status: 'NOT_DELIVERED', transition: null, attempts: 1 }
        expect(await store.messages.cancel(id, { by: null, force: false })).toEqual(unchanged)
        await store.reopen()
        expect(await store.messages.cancel(id, { by: null, force: false })).toEqual(unchanged)
        expect(await store.headId()).toBe(id)
      },
    )

    test('cancel: an earlier message was dispatched → the later one is cancelled', async () => {
      const first = await store.put()
      const second = await store.put()
      await claimMessage(await store.messages.attach('pump', 'MQTT'))

      expect(await store.messages.cancel(second, { by: 'admin', force: false })).toMatchObject({
        status: 'CANCELLED',
      })
      expect(await store.headId()).toBe(first)
    })

    test('cancel: no message has the id → null', async () => {
      expect(await store.messages.cancel(4711, { by: null, force: false })).toBeNull()
    })

    test('cancel: a claim at the same moment → the message is cancelled or dispatched, not both', async () => {
      const id = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')

      const [outcome, claim] = await Promise.all([
        store.messages.cancel(id, { by: null, force: false }),
        lease.claim(null, RULES),
      ])

      const cancelled = outcome?.transition !== null
      expect(claim.is).toBe(cancelled ? 'empty' : 'message')
      expect(await store.messages.status(id)).toBe(cancelled ? 'CANCELLED' : 'NOT_DELIVERED')
    })

    test('cancel: a poll at the same moment → the message is cancelled or returned, not both', async () => {
      const id = await store.put()

      const [outcome, taken] = await Promise.all([
        store.messages.cancel(id, { by: null, force: false }),
        take(store.messages, id),
      ])

      const cancelled = outcome?.transition !== null
      expect(taken === null).toBe(cancelled)
      expect(await store.messages.status(id)).toBe(cancelled ? 'CANCELLED' : 'NOT_DELIVERED')
    })

    test.each(dispatches)(
      'cancel: %s the message, with force → CANCELLED, and the attempt is over',
      async (_what, dispatch) => {
        const replyTo = { producerId: 'boss', correlationId: 7 }
        const id = await store.put({ replyTo })
        const next = await store.put()
        await dispatch(id)

        const change = { messageId: id, deviceId: 'pump', status: 'CANCELLED', cause: 'CANCELLED' }
        const transition = { ...change, replyTo, details: null, order: ORDER }
        expect(await store.messages.cancel(id, { by: 'admin', force: true })).toEqual({
          status: 'CANCELLED',
          transition,
          attempts: 1,
        })
        expect((await claimMessage(await store.messages.attach('pump', 'MQTT'))).message.id).toBe(next)
        await store.reopen()
        expect(await store.record(id)).toMatchObject({
          status: 'CANCELLED',
          cause: 'CANCELLED',
          changedBy: 'admin',
        })
      },
    )

    test('cancel: DELIVERED, done or cancelled, with force → unchanged', async () => {
      const ids = [await store.put(), await store.put(), await store.put()] as const
      await acknowledge(store.messages, ids[0], 'DELIVERED')
      await store.complete(ids[1])
      await store.messages.cancel(ids[2], { by: null, force: false })

      for (const [n, status] of (['DELIVERED', 'COMPLETED', 'CANCELLED'] as const).entries())
        expect(await store.messages.cancel(ids[n] as number, { by: null, force: true })).toEqual({
          status,
          transition: null,
          attempts: 0,
        })
    })

    test('cancel: a message was dispatched three times → the number of attempts', async () => {
      const messageId = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      await claimMessage(lease)
      for (let n = 0; n < 2; n++) await claimMessage(lease, { messageId, outcome: 'TIMEOUT' })

      expect(await store.messages.cancel(messageId, { by: null, force: false })).toMatchObject({
        attempts: 3,
      })
    })
  })
}
