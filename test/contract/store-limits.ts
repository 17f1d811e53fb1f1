/** The part of the storage contract about the limit of a queue in bytes. */
import { describe, expect, test } from 'vitest'
import { claimMessage, type OpenStore, terms, useStore } from './store-under-test.ts'

/** A message that counts 10 bytes: `start` and five more. */
const TEN = { data: '[123]' }
const bytes = (limit: number, messages = 100) => ({ messages, bytes: limit })

export function limitContract(open: OpenStore): void {
  describe('limit in bytes', () => {
    const store = useStore(open)
    const putTen = (limit: number) => store.put(TEN, bytes(limit))

    test('limit in bytes: messages fill it exactly → the next one is refused until one leaves', async () => {
      const first = await putTen(20)
      await putTen(20)

      const queue = { waiting: 2, limit: 100, bytes: 20, limitBytes: 20 }
      await expect(putTen(20)).rejects.toMatchObject({ name: 'BrokerError', code: 'queue-full', queue })
      await expect(putTen(29)).rejects.toMatchObject({ code: 'queue-full' })
      await store.put({ ...TEN, deviceId: 'valve' }, bytes(20))
      await store.complete(first)
      await putTen(20)
      await expect(putTen(20)).rejects.toMatchObject({ code: 'queue-full' })
    })

    test('limit in bytes: 0 → no limit', async () => {
      await putTen(0)
      await putTen(0)

      await expect(store.put(TEN, bytes(0, 2))).rejects.toMatchObject({ code: 'queue-full' })
    })

    test('limit in bytes: the first message of an empty queue is larger → accepted, the second is refused', async () => {
      const large = await store.put({ data: JSON.stringify('x'.repeat(1_000)) }, bytes(20))

      await expect(store.put({ data: '1' }, bytes(20))).rejects.toMatchObject({ code: 'queue-full' })
      await store.complete(large)
      await store.put({ data: '1' }, bytes(20))
    })

    test('limit in bytes: command and data outside ASCII → their bytes in UTF-8 count', async () => {
      const parts = { command: 'ß', data: '"🚀"' }
      await store.put(parts, bytes(16))
      await store.put(parts, bytes(16))

      await expect(store.put(parts, bytes(23))).rejects.toMatchObject({ code: 'queue-full' })
      await store.put(parts, bytes(24))
    })

    test('limit in bytes: the store was reopened → the same messages count', async () => {
      await putTen(20)
      await store.put({ ...TEN, terms: terms({ delaySeconds: 60 }) }, bytes(20))
      await store.reopen()

      await expect(putTen(29)).rejects.toMatchObject({ code: 'queue-full' })
      await putTen(30)
    })

    test('limit in bytes: ONLY_LAST cancels a message → its bytes are free', async () => {
      await putTen(20)
      await store.put({ ...TEN, command: 'other' }, bytes(20))

      const last = await store.put({ ...TEN, guarantee: 'ONLY_LAST' }, bytes(20))
      expect(await store.messages.status(last)).toBe('NOT_DELIVERED')
      await expect(putTen(20)).rejects.toMatchObject({ code: 'queue-full' })
    })

    test('limit in bytes: `replaces` cancels a message → its bytes are free', async () => {
      const first = await putTen(20)
      await putTen(20)

      await store.put({ ...TEN, replaces: first }, bytes(20))
      await expect(putTen(20)).rejects.toMatchObject({ code: 'queue-full' })
    })

    test('limit in bytes: a message was parked, cancelled, expired → its bytes are free; replayed → they count', async () => {
      const parked = await putTen(10)
      await claimMessage(await store.messages.attach('pump', 'MQTT'))
      await store.messages.park('pump', { messageId: parked, number: 1 })
      const cancelled = await putTen(10)
      await store.messages.cancel(cancelled, { by: null, force: false })
      await store.put({ ...TEN, terms: terms({ validSeconds: 1 }) }, bytes(10))
      store.clock.advance(1_000)
      await store.messages.expire(1_000)
      await putTen(10)

      const replay = (limit: number) => store.messages.replay(parked, { by: null, limits: bytes(limit) })
      await expect(replay(19)).rejects.toMatchObject({ code: 'queue-full' })
      expect(await replay(20)).toMatchObject({ is: 'replayed' })
      await expect(putTen(29)).rejects.toMatchObject({ code: 'queue-full' })
    })
  })
}
