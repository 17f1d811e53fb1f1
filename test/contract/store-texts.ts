/** The part of the storage contract about texts: a store returns them as it received them. */
import { describe, expect, test } from 'vitest'
import { headOf, type OpenStore, ORDER, useStore } from './store-under-test.ts'

export function textContract(open: OpenStore): void {
  describe('texts', () => {
    const store = useStore(open)

    test.each([
      ['quotes and a semicolon', `it's "so"; DROP TABLE messages; --`],
      ['emoji outside the basic plane', '🚀👩‍🔧'],
      ['NUL', 'before\0after'],
      ['line ends, tab, backslash', 'a\r\nb\tc\\d'],
      ['composed and decomposed letters', '\u00e9 e\u0301'],
      ['255 code points of four bytes each', '🚀'.repeat(255)],
      ['a byte-order mark and spaces around', '\ufeff  x  '],
    ])('texts: %s → unchanged after a reopen', async (_, text) => {
      const data = JSON.stringify({ text })
      const replyTo = { producerId: text, correlationId: null }
      const id = await store.put({ deviceId: text, command: text, data, replyTo })
      await store.reopen()

      const head = headOf(id, { command: text, guarantee: 'RECEIPT_CONFIRMATION', data })
      expect(await store.messages.head(text)).toEqual(head)
      const change = { messageId: id, deviceId: text, status: 'COMPLETED', cause: 'ACKNOWLEDGED' }
      const transition = { ...change, replyTo, details: null, order: ORDER }
      expect(await store.complete(id, text)).toEqual({ status: 'COMPLETED', transition })
    })

    test('texts: data with big numbers, 1.0, spaces, escapes, a bare NUL → unchanged to the byte', async () => {
      const data = '{ "b":1.0,"a":9007199254740993,"a":1e400,"s":"\\u00e9\\/","n":"\0" }'
      await store.put({ data })

      expect((await store.messages.head('pump'))?.message.data).toBe(data)
    })

    test('texts: many messages were stored after a message → its data is unchanged', async () => {
      const data = '{ "n": 1.0 }'
      const id = await store.put({ data })
      await Promise.all(Array.from({ length: 2_500 }, (_, i) => store.put({ deviceId: `valve-${i}` })))

      expect(await store.messages.head('pump')).toMatchObject({ message: { id, data } })
      expect(await store.messages.head('valve-2499')).toMatchObject({ message: { data: '{}' } })
    })

    test('texts: two commands differ only behind a NUL → they are different commands', async () => {
      const first = await store.put({ command: 'a\0b' })
      await store.put({ command: 'a\0c', guarantee: 'ONLY_LAST' })

      expect(await store.messages.status(first)).toBe('NOT_DELIVERED')
    })

    test('texts: data of a quarter of a megabyte → unchanged', async () => {
      const data = JSON.stringify({ text: 'ß'.repeat(131_072) })
      await store.put({ data })

      expect((await store.messages.head('pump'))?.message.data).toBe(data)
    })
  })
}
