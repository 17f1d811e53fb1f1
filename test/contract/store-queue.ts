/** The part of the storage contract about ids, the order of a queue and its limit. */
import { describe, expect, test } from 'vitest'
import { headOf, type OpenStore, put, useStore } from './store-under-test.ts'

export function queueContract(open: OpenStore): void {
  describe('ids', () => {
    const store = useStore(open)

    test('ids: messages of two devices → positive integers that grow', async () => {
      const ids = [await store.put(), await store.put({ deviceId: 'valve' }), await store.put()]

      expect(ids.every((id) => Number.isSafeInteger(id) && id > 0)).toBe(true)
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      expect(new Set(ids).size).toBe(3)
    })

    test('ids: the newest message was purged and the store reopened → no id is used again', async () => {
      const first = await store.put()
      const second = await store.put()
      await store.complete(first)
      await store.complete(second)
      store.clock.advance(1)
      expect(await store.messages.purge(store.clock.wallMs())).toBe(2)
      const third = await store.put()
      await store.complete(third)
      store.clock.advance(1)
      expect(await store.messages.purge(store.clock.wallMs())).toBe(1)

      await store.reopen()

      expect(third).toBeGreaterThan(second)
      expect(await store.put()).toBeGreaterThan(third)
    })

    test('ids: a message was refused → the next id is greater', async () => {
      const first = await store.put({}, 1)
      await expect(store.put({}, 1)).rejects.toMatchObject({ code: 'queue-full' })

      expect(await store.put({}, 2)).toBeGreaterThan(first)
    })
  })

  describe('queue', () => {
    const store = useStore(open)

    test('head: two messages are pending → the older one until it leaves the queue', async () => {
      const first = await store.put({ data: '{"n":1}' })
      const second = await store.put({ data: '{"n":2}', command: 'stop', guarantee: 'ONLY_LAST' })

      const older = headOf(first, {
        command: 'start',
        guarantee: 'RECEIPT_CONFIRMATION',
        data: '{"n":1}',
      })
      expect(await store.messages.head('pump')).toEqual(older)
      expect(await store.messages.head('pump')).toEqual(older)
      await store.complete(first)
      const younger = headOf(second, { command: 'stop', guarantee: 'ONLY_LAST', data: '{"n":2}' })
      expect(await store.messages.head('pump')).toEqual(younger)
      await store.complete(second)
      expect(await store.messages.head('pump')).toBeNull()
    })

    test('head: another device has messages → they are not returned', async () => {
      const forPump = await store.put()
      const forValve = await store.put({ deviceId: 'valve' })

      expect(await store.headId('valve')).toBe(forValve)
      expect(await store.headId('pump')).toBe(forPump)
      expect(await store.headId('PUMP')).toBeNull()
      expect(await store.headId('pump ')).toBeNull()
    })

    test('head: the clock was set back between two messages → the one that was stored first', async () => {
      const first = await store.put()
      store.clock.setWall(1000)
      await store.put()

      expect(await store.headId()).toBe(first)
    })

    test('enqueue: the queue has as many messages as the limit → queue-full until one leaves', async () => {
      const first = await store.put({}, 2)
      await store.put({}, 2)

      await expect(store.put({}, 2)).rejects.toMatchObject({ name: 'BrokerError', code: 'queue-full' })
      await store.put({ deviceId: 'valve' }, 2)
      await store.complete(first)
      await store.put({}, 2)
      await expect(store.put({}, 2)).rejects.toMatchObject({ code: 'queue-full' })
    })

    test('enqueue: the store was closed → storage-closed', async () => {
      const closed = store.messages
      await store.reopen()

      await expect(put(closed)).rejects.toMatchObject({ code: 'storage-closed' })
    })

    test('queue: the store was reopened → the same messages are pending', async () => {
      const first = await store.put({ data: '{"n":1}' })
      const second = await store.put({ guarantee: 'NO' })
      await store.complete(first)

      await store.reopen()

      expect(await store.messages.status(first)).toBe('COMPLETED')
      expect(await store.messages.status(second)).toBe('NOT_DELIVERED')
      const head = headOf(second, { command: 'start', guarantee: 'NO', data: '{}' })
      expect(await store.messages.head('pump')).toEqual(head)
    })

    test('status: no message has the id → null', async () => {
      const id = await store.put()

      expect(await store.messages.status(id + 1)).toBeNull()
      expect(await store.messages.status(0)).toBeNull()
    })

    test('parties: a message with and without a birth certificate, an unknown id → its clients, null', async () => {
      const replyTo = { producerId: 'erp', correlationId: 7 }
      const first = await store.put({ senderId: 'panel', replyTo })
      const second = await store.put({ senderId: null })
      await store.complete(first)

      const producerless = { deviceId: 'pump', senderId: null, producerId: null }
      expect(await store.messages.parties(first)).toEqual({
        ...producerless,
        senderId: 'panel',
        producerId: 'erp',
      })
      expect(await store.messages.parties(second)).toEqual(producerless)
      expect(await store.messages.parties(second + 1)).toBeNull()
    })
  })
}
