/** The part of the storage contract about ONLY_LAST. */
import { describe, expect, test } from 'vitest'
import { message } from '../_support/message.ts'
import { limits, type OpenStore, ORDER, useStore } from './store-under-test.ts'

export function onlyLastContract(open: OpenStore): void {
  describe('ONLY_LAST', () => {
    const store = useStore(open)

    test('ONLY_LAST: various messages are stored → pending ones with its command and device are cancelled', async () => {
      const same = await store.put()
      const sameNo = await store.put({ guarantee: 'NO' })
      const others = [
        await store.put({ command: 'stop' }),
        await store.put({ command: 'Start' }),
        await store.put({ deviceId: 'valve' }),
      ]
      const done = await store.put()
      await store.complete(done)

      const last = await store.put({ guarantee: 'ONLY_LAST' })

      for (const id of [same, sameNo]) expect(await store.messages.status(id)).toBe('CANCELLED')
      for (const id of [...others, last]) expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
      expect(await store.messages.status(done)).toBe('COMPLETED')
    })

    test('ONLY_LAST: it cancels two messages → the result has both transitions', async () => {
      const replyTo = { producerId: 'boss', correlationId: 7 }
      const first = await store.put({ replyTo })
      const second = await store.put()
      await store.put({ command: 'stop' })

      const { cancelled } = await store.messages.enqueue(message({ guarantee: 'ONLY_LAST' }), limits(100))

      expect(cancelled).toHaveLength(2)
      const change = {
        deviceId: 'pump',
        status: 'CANCELLED',
        cause: 'SUPERSEDED',
        details: null,
        order: ORDER,
      }
      expect(cancelled).toContainEqual({ messageId: first, ...change, replyTo })
      expect(cancelled).toContainEqual({ messageId: second, ...change, replyTo: null })
    })

    test('ONLY_LAST: messages for several devices at once → each result has the transition of its device', async () => {
      const devices = ['pump', 'valve', 'fan']
      const ids: number[] = []
      for (const deviceId of devices) ids.push(await store.put({ deviceId }))

      const results = await Promise.all(
        devices.map((deviceId) =>
          store.messages.enqueue(message({ deviceId, guarantee: 'ONLY_LAST' }), limits(100)),
        ),
      )

      expect(results.map(({ cancelled }) => cancelled.map(({ messageId }) => messageId))).toEqual(
        ids.map((id) => [id]),
      )
    })

    test('ONLY_LAST: it cancels a message that a poll returned → the attempt is kept, also after a reopen', async () => {
      const id = await store.put()
      await store.poll()
      await store.put({ guarantee: 'ONLY_LAST' })
      await store.reopen()

      expect(await store.attempts(id)).toEqual([[1, 'REST', null]])
      expect(await store.messages.cancel(id, { by: null, force: false })).toMatchObject({
        status: 'CANCELLED',
        attempts: 1,
      })
    })

    test('ONLY_LAST: a later message has its command → both are pending', async () => {
      const last = await store.put({ guarantee: 'ONLY_LAST' })
      const later = await store.put()

      expect(await store.messages.status(last)).toBe('NOT_DELIVERED')
      expect(await store.messages.status(later)).toBe('NOT_DELIVERED')
    })

    test('ONLY_LAST: the queue is full and it cancels a message → it is stored', async () => {
      const first = await store.put({}, 1)

      const last = await store.put({ guarantee: 'ONLY_LAST' }, 1)

      expect(await store.messages.status(first)).toBe('CANCELLED')
      expect(await store.headId()).toBe(last)
    })

    test('ONLY_LAST: the queue is full of others → queue-full, and nothing is cancelled', async () => {
      const same = await store.put()
      const others = [await store.put({ command: 'stop' }), await store.put({ command: 'stop' })]

      await expect(store.put({ guarantee: 'ONLY_LAST' }, 2)).rejects.toMatchObject({ code: 'queue-full' })

      for (const id of [same, ...others]) expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
      await store.reopen()
      expect(await store.headId()).toBe(same)
    })

    test('ONLY_LAST: twenty are stored at once → the newest alone is pending', async () => {
      const ids = await Promise.all(
        Array.from({ length: 20 }, () => store.put({ guarantee: 'ONLY_LAST' }, 1)),
      )

      const statuses = await Promise.all(ids.map((id) => store.messages.status(id)))
      expect(statuses.filter((status) => status === 'CANCELLED')).toHaveLength(19)
      expect(statuses[ids.indexOf(Math.max(...ids))]).toBe('NOT_DELIVERED')
    })
  })
}
