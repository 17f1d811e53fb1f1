/** The part of the storage contract about what stays and how: the purge, texts, many calls at once. */
import { describe, expect, test } from 'vitest'
import { type OpenStore, useStore } from './store-under-test.ts'

export function purgeContract(open: OpenStore): void {
  describe('purge', () => {
    const store = useStore(open)

    test('removes what has not changed since a time, and says how many', async () => {
      const old = await store.put({ createdAtMs: 1000 })
      const justTooYoung = await store.put({ createdAtMs: 1000 })
      await store.complete(old, { atMs: 2999 })
      await store.complete(justTooYoung, { atMs: 3000 })

      expect(await store.messages.purge(3000)).toBe(1)

      expect(await store.messages.status(old)).toBeNull()
      expect(await store.messages.status(justTooYoung)).toBe('COMPLETED')
      expect(await store.messages.purge(3000)).toBe(0)
    })

    test('never removes one that waits, however old', async () => {
      const waits = await store.put({ createdAtMs: 1 })
      const delivered = await store.put({ createdAtMs: 1, guarantee: 'NO' })
      await store.messages.handOver(delivered, 'pump', 2)

      expect(await store.messages.purge(Number.MAX_SAFE_INTEGER)).toBe(1)

      expect(await store.messages.status(delivered)).toBeNull()
      expect(store.messages.oldest('pump')?.id).toBe(waits)
    })

    test('counts cancelling as a change', async () => {
      const cancelled = await store.put({ createdAtMs: 1000 })
      await store.put({ createdAtMs: 5000, guarantee: 'ONLY_LAST' })

      expect(await store.messages.purge(5000)).toBe(0)
      expect(await store.messages.purge(5001)).toBe(1)
      expect(await store.messages.status(cancelled)).toBeNull()
    })

    test('leaves no id to be used again, also after a reopen', async () => {
      const id = await store.put()
      await store.complete(id)
      expect(await store.messages.purge(3000)).toBe(1)

      await store.reopen()

      expect(await store.put()).toBeGreaterThan(id)
    })

    test('goes through more than it does in one step, with waiting ones in between', async () => {
      const count = 4500
      const ids = await Promise.all(Array.from({ length: count }, () => store.put()))
      const waiting = ids.filter((_, i) => i % 1000 === 999)
      await Promise.all(ids.filter((id) => !waiting.includes(id)).map((id) => store.complete(id)))

      expect(await store.messages.purge(3000)).toBe(count - waiting.length)

      for (const id of waiting) expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
    })
  })
}

export function textContract(open: OpenStore): void {
  describe('texts come back as they were', () => {
    const store = useStore(open)

    test.each([
      ['quotes and a semicolon', `it's "so"; DROP TABLE messages; --`],
      ['emoji outside the basic plane', '🚀👩‍🔧'],
      ['NUL', 'before\0after'],
      ['line ends, tab, backslash', 'a\r\nb\tc\\d'],
      ['composed and decomposed letters', '\u00e9 e\u0301'],
      ['255 code points of four bytes each', '🚀'.repeat(255)],
      ['a byte-order mark and spaces around', '\ufeff  x  '],
    ])('%s', async (_, text) => {
      const data = JSON.stringify({ text })
      const id = await store.put({ deviceId: text, command: text, data })
      await store.reopen()

      expect(store.messages.oldest(text)).toEqual({
        id,
        command: text,
        guarantee: 'RECEIPT_CONFIRMATION',
        data,
      })
      expect((await store.complete(id, { deviceId: text }))?.moved).toBe(true)
    })

    test('data to the byte: big numbers, 1.0, order, spaces, escapes, a bare NUL', async () => {
      const data = '{ "b":1.0,"a":9007199254740993,"a":1e400,"s":"\\u00e9\\/","n":"\0" }'
      await store.put({ data })

      expect(store.messages.oldest('pump')?.data).toBe(data)
    })

    test('data of a message that many were stored after', async () => {
      const data = '{ "n": 1.0 }'
      const id = await store.put({ data })
      await Promise.all(Array.from({ length: 2_500 }, (_, i) => store.put({ deviceId: `valve-${i}` })))

      expect(store.messages.oldest('pump')).toMatchObject({ id, data })
      expect(store.messages.oldest('valve-2499')).toMatchObject({ id: id + 2_500 })
    })

    test('texts that differ only behind a NUL are different', async () => {
      const first = await store.put({ command: 'a\0b' })
      await store.put({ command: 'a\0c', guarantee: 'ONLY_LAST' })

      expect(await store.messages.status(first)).toBe('NOT_DELIVERED')
    })

    test('data of a quarter of a megabyte', async () => {
      const data = JSON.stringify({ text: 'ß'.repeat(131_072) })
      await store.put({ data })

      expect(store.messages.oldest('pump')?.data).toBe(data)
    })
  })
}

export function concurrencyContract(open: OpenStore): void {
  describe('calls made at once', () => {
    const store = useStore(open)

    test('each get their own answer', async () => {
      const [enqueued, unknown, ...ids] = await Promise.all([
        store.put({ deviceId: 'valve', data: '{"mine":true}' }),
        store.complete(999_999),
        ...Array.from({ length: 1500 }, (_, n) => store.put({ data: `{"n":${n}}` })),
      ])

      expect(new Set([enqueued, ...ids]).size).toBe(1501)
      expect(unknown).toBeNull()
      expect(store.messages.oldest('valve')?.data).toBe('{"mine":true}')
      for (const [n, id] of ids.entries()) {
        const oldest = store.messages.oldest('pump')
        expect(oldest).toMatchObject({ id, data: `{"n":${n}}` })
        if (n === 2) break
        await store.complete(id)
      }
    })

    test('one that is refused is refused alone', async () => {
      const results = await Promise.allSettled([
        store.put({}, 2),
        store.put({}, 2),
        store.put({}, 2),
        store.put({ deviceId: 'valve' }, 2),
      ])

      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
      await store.reopen()
      expect(store.messages.oldest('pump')).not.toBeNull()
      expect(store.messages.oldest('valve')).not.toBeNull()
    })

    test('are all there after a reopen', async () => {
      const ids = await Promise.all(Array.from({ length: 300 }, () => store.put()))
      await store.reopen()

      for (const id of ids) expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
    })

    test('of one device stay in the order in which they were made', async () => {
      const ids = await Promise.all(Array.from({ length: 50 }, () => store.put()))

      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    })
  })
}
