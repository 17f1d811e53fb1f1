/** The part of the storage contract about idempotency keys. */
import { describe, expect, test } from 'vitest'
import type { Idempotency, NewMessage } from '../../src/broker/vocabulary/message.ts'
import { message } from '../_support/message.ts'
import { limits, type OpenStore, useStore } from './store-under-test.ts'

const KEY = { scope: 'shop', key: 'k-1', fingerprint: 'a'.repeat(64) }
const OTHER = { ...KEY, fingerprint: 'b'.repeat(64) }

const withKey = (parts: Partial<Idempotency>) => ({ idempotency: { ...KEY, ...parts } })

export function keyContract(open: OpenStore): void {
  describe('idempotency keys', () => {
    const store = useStore(open)
    const submit = (parts: Partial<NewMessage> = {}, limit = 100) =>
      store.messages.enqueue(message({ idempotency: KEY, senderId: 'shop', ...parts }), limits(limit))

    test('key: the same content again → the same id, replayed, and nothing is stored, also after a reopen', async () => {
      const first = await submit({}, 1)
      expect(first).toMatchObject({ replayed: false })

      expect(await submit({}, 1)).toEqual({ id: first.id, replayed: true, cancelled: [] })
      await store.complete(first.id)
      await store.reopen()
      expect(await submit()).toEqual({ id: first.id, replayed: true, cancelled: [] })
      expect(await store.messages.head('pump')).toBeNull()
      expect(await store.extras(first.id)).toMatchObject({ idempotencyKey: 'k-1', repeats: 2 })
    })

    test('key: other content → key-reused, and nothing changes', async () => {
      const { id } = await submit()

      await expect(submit({ idempotency: OTHER })).rejects.toMatchObject({ code: 'key-reused' })
      expect(await store.extras(id)).toMatchObject({ repeats: 0 })
      await store.complete(id)
      expect(await store.headId()).toBeNull()
    })

    test('key: another scope, the common scope → keys of their own, for any sender', async () => {
      const ids = new Set<number>()
      for (const scope of ['shop', 'boss', '']) ids.add((await submit(withKey({ scope }))).id)

      expect(ids.size).toBe(3)
      expect(await submit({ ...withKey({ scope: '' }), senderId: 'boss' })).toMatchObject({ replayed: true })
    })

    test('key: 100 equal submits at once → one message, and one answer is not replayed', async () => {
      const results = await Promise.all(Array.from({ length: 100 }, () => submit()))

      expect(new Set(results.map(({ id }) => id)).size).toBe(1)
      expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1)
      expect(await store.extras(results[0]?.id as number)).toMatchObject({ repeats: 99 })
    })

    test('key: equal and other content at once → one message, key-reused for the loser', async () => {
      const results = await Promise.allSettled([submit(), submit({ idempotency: OTHER }), submit()])

      const ids = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value.id] : []))
      expect(new Set(ids).size).toBe(1)
      for (const each of results)
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'key-reused' })
      expect(ids.length).toBeGreaterThanOrEqual(1)
      expect(ids.length).toBeLessThan(3)
    })

    test('key: the submit was refused → the key is free, also for other content', async () => {
      const blocking = await store.put()
      await expect(submit({}, 1)).rejects.toMatchObject({ code: 'queue-full' })
      await expect(submit({ replaces: 4711 })).rejects.toMatchObject({ code: 'unknown-message' })
      await store.complete(blocking)

      expect(await submit({ idempotency: OTHER }, 1)).toMatchObject({ replayed: false })
    })

    test('key: other content while the first submit is being refused → stored', async () => {
      const refused = submit({ replaces: 4711 })
      const stored = submit({ idempotency: OTHER })

      await expect(refused).rejects.toMatchObject({ code: 'unknown-message' })
      expect(await stored).toMatchObject({ replayed: false })
    })

    test('key: ONLY_LAST again → it cancels once', async () => {
      const cancelled = await store.put()
      const first = await submit({ guarantee: 'ONLY_LAST' })
      const later = await store.put()

      expect(first.cancelled.map(({ messageId }) => messageId)).toEqual([cancelled])
      expect((await submit({ guarantee: 'ONLY_LAST' })).cancelled).toEqual([])
      expect(await store.messages.status(later)).toBe('NOT_DELIVERED')
      expect(await store.messages.status(first.id)).toBe('NOT_DELIVERED')
    })

    test('key: `replaces` again, and the replaced message is cancelled → the same id', async () => {
      const replaces = await store.put()
      const { id } = await submit({ replaces })

      expect(await submit({ replaces })).toEqual({ id, replayed: true, cancelled: [] })
    })

    test('key: the queue is full → a repeated submit has its id', async () => {
      const { id } = await submit({}, 1)

      expect(await submit({}, 1)).toMatchObject({ id, replayed: true })
    })

    test('purgeSubmissions: keys were used before and at a time → the earlier one is free', async () => {
      const first = await submit()
      store.clock.advance(1_000)
      const second = await submit(withKey({ scope: 'boss' }))
      await submit()
      const beforeMs = store.clock.wallMs()

      expect(await store.messages.purgeSubmissions(beforeMs)).toBe(1)
      expect(await store.messages.purgeSubmissions(beforeMs)).toBe(0)
      expect(await submit(withKey({ scope: 'boss' }))).toMatchObject({ id: second.id, replayed: true })
      expect(await store.extras(first.id)).toMatchObject({ idempotencyKey: null })
      const third = await submit()
      expect(third).toMatchObject({ replayed: false })
      expect(third.id).toBeGreaterThan(first.id)
    })

    test('purge: the message was removed → its key is free', async () => {
      const { id } = await submit()
      await store.complete(id)
      store.clock.advance(1)
      await store.messages.purge(store.clock.wallMs())

      expect(await submit()).toMatchObject({ replayed: false })
    })
  })
}
