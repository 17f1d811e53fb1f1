/** The part of the storage contract about `replaces`: a message that cancels another one when it is stored. */
import { describe, expect, test } from 'vitest'
import type { NewMessage } from '../../src/broker/vocabulary/message.ts'
import { message } from '../_support/message.ts'
import {
  acknowledge,
  claimMessage,
  limits,
  type OpenStore,
  ORDER,
  RULES,
  terms,
  useStore,
} from './store-under-test.ts'

export function replacesContract(open: OpenStore): void {
  describe('replaces', () => {
    const store = useStore(open)
    const replace = (replaces: number, parts: Partial<NewMessage> = {}, limit = 100) =>
      store.messages.enqueue(message({ replaces, ...parts }), limits(limit))

    test('replaces: a pending message of another command → cancelled by the new one, also after a reopen', async () => {
      const replyTo = { producerId: 'boss', correlationId: 7 }
      const first = await store.put({ command: 'stop', replyTo })

      const { id, cancelled } = await replace(first)

      const change = { messageId: first, deviceId: 'pump', status: 'CANCELLED', cause: 'SUPERSEDED' }
      expect(cancelled).toEqual([{ ...change, replyTo, details: null, order: ORDER }])
      await store.reopen()
      expect(await store.record(first)).toMatchObject({ status: 'CANCELLED', supersededBy: id })
      expect(await store.headId()).toBe(id)
    })

    test('replaces: a delayed message, and the queue is full → it is replaced', async () => {
      const first = await store.put({ terms: terms({ delaySeconds: 5 }) }, 1)
      const { id } = await replace(first, {}, 1)

      expect(await store.headId()).toBe(id)
    })

    test('replaces: the message is CANCELLED → the new one is stored, and nothing is cancelled', async () => {
      const first = await store.put()
      await store.messages.cancel(first, { by: null, force: false })

      expect((await replace(first)).cancelled).toEqual([])
      expect(await store.record(first)).toMatchObject({ cause: 'CANCELLED', supersededBy: null })
    })

    test('replaces: ONLY_LAST names a message with its command → that message is cancelled once', async () => {
      const first = await store.put()

      expect((await replace(first, { guarantee: 'ONLY_LAST' })).cancelled).toHaveLength(1)
    })

    test('replaces: the message was dispatched → HandedOver with the attempts, and nothing is stored', async () => {
      const first = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      await claimMessage(lease)
      await claimMessage(lease, { messageId: first, outcome: 'CONNECTION' })

      const error = { code: 'handed-over', status: 'NOT_DELIVERED', attempts: 2 }
      await expect(replace(first)).rejects.toMatchObject(error)
      await store.complete(first)
      expect(await store.headId()).toBeNull()
    })

    test('replaces: a poll took the message → HandedOver', async () => {
      const first = await store.put()
      await store.poll()

      await expect(replace(first)).rejects.toMatchObject({ code: 'handed-over', attempts: 1 })
    })

    test('replaces: the message is DELIVERED, done or parked → HandedOver with its status', async () => {
      const [delivered, done, parked] = [await store.put(), await store.put(), await store.put()]
      await acknowledge(store.messages, delivered, 'DELIVERED')
      await store.complete(done)
      await claimMessage(await store.messages.attach('pump', 'MQTT'))
      await store.messages.park('pump', { messageId: parked, number: 1 })

      for (const [id, status] of [
        [delivered, 'DELIVERED'],
        [done, 'COMPLETED'],
        [parked, 'UNKNOWN'],
      ] as const)
        await expect(replace(id)).rejects.toMatchObject({ code: 'handed-over', status })
      expect(await store.headId()).toBeNull()
    })

    test('replaces: a message of another device, an unknown id → unknown-message, and nothing is stored', async () => {
      const valve = await store.put({ deviceId: 'valve' })

      for (const id of [valve, 4711])
        await expect(replace(id)).rejects.toMatchObject({ code: 'unknown-message' })
      expect(await store.messages.status(valve)).toBe('NOT_DELIVERED')
      expect(await store.headId()).toBeNull()
    })

    test('replaces: the queue is full of others → queue-full, and nothing is cancelled', async () => {
      const first = await store.put()
      for (let n = 0; n < 2; n++) await store.put()

      await expect(replace(first, {}, 2)).rejects.toMatchObject({ code: 'queue-full' })
      expect(await store.messages.status(first)).toBe('NOT_DELIVERED')
      await store.reopen()
      expect(await store.headId()).toBe(first)
    })

    test('replaces: a claim at the same moment → cancelled or dispatched, not both', async () => {
      const first = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')

      const replaced = replace(first).then(
        () => true,
        (error) => {
          expect(error).toMatchObject({ code: 'handed-over', attempts: 1 })
          return false
        },
      )
      const claim = await lease.claim(null, RULES)

      const dispatched = claim.is === 'message' && claim.message.id === first
      expect(await replaced).toBe(!dispatched)
      expect(await store.messages.status(first)).toBe(dispatched ? 'NOT_DELIVERED' : 'CANCELLED')
    })
  })
}
