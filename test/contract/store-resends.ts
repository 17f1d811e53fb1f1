/** The part of the storage contract about messages that send the command of another one again. */
import { describe, expect, test } from 'vitest'
import { message } from '../_support/message.ts'
import { limits, type OpenStore, put, useStore } from './store-under-test.ts'

export function resendContract(open: OpenStore): void {
  describe('re-sends', () => {
    const store = useStore(open)
    const fail = (id: number) =>
      store.messages.acknowledge({
        ...{ deviceId: 'pump', messageId: id, status: 'COMPLETED_WITH_ERROR', by: null, report: null },
      })

    test('re-send: twice → each new message names the first one, which names the newest; also after a reopen', async () => {
      const first = await store.put()
      await fail(first)
      const second = await store.put({ links: { resentFrom: first }, senderId: 'boss' })
      const third = await store.put({ links: { resentFrom: first } })

      await store.reopen()
      expect(await store.extras(first)).toMatchObject({ resentFrom: null, resentAs: third })
      expect(await store.extras(second)).toMatchObject({ resentFrom: first, resentAs: null })
      expect(await store.extras(third)).toMatchObject({ resentFrom: first, resentAs: null })
    })

    test('re-send: the queue is full → no link', async () => {
      const first = await store.put()
      await fail(first)
      await store.put()

      await expect(store.put({ links: { resentFrom: first } }, 1)).rejects.toMatchObject({
        code: 'queue-full',
      })

      expect(await store.extras(first)).toMatchObject({ resentAs: null })
    })

    test('re-send: the first message was purged → stored without a link, with other messages of the commit', async () => {
      const first = await store.put()
      await fail(first)
      const second = await store.put({ links: { resentFrom: first } })
      await store.messages.purge(Number.MAX_SAFE_INTEGER)
      expect(await store.extras(second)).toMatchObject({ resentFrom: null })

      const [third, fourth] = await Promise.all([
        store.messages.enqueue(message({ links: { resentFrom: first } }), limits(100)),
        put(store.messages),
      ])

      expect(await store.extras(third.id)).toMatchObject({ resentFrom: null })
      expect(await store.messages.status(fourth)).toBe('NOT_DELIVERED')
    })
  })
}
