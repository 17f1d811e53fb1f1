/** The part of the storage contract about the cancelling of many messages of a device. */
import { describe, expect, test } from 'vitest'
import type { CancelFilter } from '../../src/broker/contract/store.ts'
import { claimMessage, type OpenStore, ORDER, RULES, terms, useStore } from './store-under-test.ts'

export function cancelAllContract(open: OpenStore): void {
  describe('cancelAll', () => {
    const store = useStore(open)
    const cancelAll = async (filter: Partial<CancelFilter> = {}, deviceId = 'pump') => {
      const all = { force: false, by: 'admin', ...filter }
      const { cancelled, handedOver } = await store.messages.cancelAll(deviceId, all, { limit: 10_000 })
      return { ids: cancelled.map(({ messageId }) => messageId), handedOver }
    }

    test('cancelAll: a delayed and a plain message → all of the device, the oldest first', async () => {
      const replyTo = { producerId: 'boss', correlationId: 7 }
      const ids = [await store.put({ terms: terms({ delaySeconds: 5 }) }), await store.put({ replyTo })]
      const valve = await store.put({ deviceId: 'valve' })
      const done = await store.put()
      await store.complete(done)

      const { cancelled } = await store.messages.cancelAll(
        'pump',
        { force: false, by: 'admin' },
        { limit: 10_000 },
      )

      const change = {
        deviceId: 'pump',
        status: 'CANCELLED',
        cause: 'CANCELLED',
        details: null,
        order: ORDER,
      }
      expect(cancelled).toEqual([
        { messageId: ids[0], ...change, replyTo: null },
        { messageId: ids[1], ...change, replyTo },
      ])
      expect(await store.messages.status(valve)).toBe('NOT_DELIVERED')
      expect(await store.messages.status(done)).toBe('COMPLETED')
      await store.reopen()
      for (const id of ids)
        expect(await store.record(id)).toMatchObject({ status: 'CANCELLED', changedBy: 'admin' })
      expect(await cancelAll()).toEqual({ ids: [], handedOver: [] })
    })

    test('cancelAll: a command, a sender, no sender → the messages that match', async () => {
      const stop = await store.put({ command: 'stop', senderId: 'shop' })
      const shop = await store.put({ senderId: 'shop' })
      const withoutSender = await store.put()
      const boss = await store.put({ senderId: 'boss' })

      expect((await cancelAll({ command: 'stop', senderId: 'boss' })).ids).toEqual([])
      expect((await cancelAll({ command: 'stop' })).ids).toEqual([stop])
      expect((await cancelAll({ senderId: 'shop' })).ids).toEqual([shop])
      expect((await cancelAll({ senderId: null })).ids).toEqual([withoutSender])
      expect((await cancelAll()).ids).toEqual([boss])
    })

    test.each([false, true])(
      'cancelAll: one was dispatched, force is %s → handedOver has it',
      async (force) => {
        const dispatched = await store.put()
        const waiting = await store.put()
        const lease = await store.messages.attach('pump', 'MQTT')
        await claimMessage(lease)

        const ids = force ? [dispatched, waiting] : [waiting]
        expect(await cancelAll({ force })).toEqual({ ids, handedOver: [dispatched] })
        expect(await store.messages.status(dispatched)).toBe(force ? 'CANCELLED' : 'NOT_DELIVERED')
        expect((await lease.claim(null, RULES)).is).toBe(force ? 'empty' : 'inFlight')
      },
    )

    test('cancelAll: a poll took one → handedOver has it', async () => {
      const id = await store.put()
      await store.poll()

      expect(await cancelAll()).toEqual({ ids: [], handedOver: [id] })
    })

    test.each([
      { force: false, cancelled: [1, 2] },
      { force: true, cancelled: [0, 1] },
    ])(
      'cancelAll: the oldest was dispatched, force is $force, the limit is 2 → two are cancelled',
      async ({ force, cancelled }) => {
        const ids = [await store.put(), await store.put(), await store.put(), await store.put()]
        await store.poll()

        const all = await store.messages.cancelAll('pump', { force, by: null }, { limit: 2 })

        expect(all.cancelled.map(({ messageId }) => messageId)).toEqual(cancelled.map((n) => ids[n]))
        expect(all.handedOver).toEqual([ids[0]])
      },
    )
  })
}
