/** The part of the storage contract about the messages that two nodes share. A driver with one node skips it. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import { message } from '../_support/message.ts'
import {
  acknowledge,
  expectEvent,
  limits,
  type OpenStore,
  ORDER,
  put,
  recordEvents,
  take,
  useStore,
} from './store-under-test.ts'

const REPLY_TO = { producerId: 'boss', correlationId: 7 }

export function twoNodeContract(open: OpenStore): void {
  describe('two nodes', () => {
    const store = useStore(open)
    let first: MessageStore
    let second: MessageStore
    beforeEach(async ({ skip }) => {
      if (!store.second) return skip('the driver has one node')
      first = store.messages
      second = await store.second()
    })

    test('two nodes: messages are stored on both in turn → one queue in the order of storing', async () => {
      const ids: number[] = []
      for (const node of [first, second, first, second]) ids.push(await put(node))

      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      for (const [turn, id] of ids.entries()) {
        const [node, other] = turn % 2 === 0 ? [first, second] : [second, first]
        expect(await node.head('pump')).toMatchObject({ message: { id } })
        await acknowledge(other, id, 'DELIVERED')
      }
      expect(await first.head('pump')).toBeNull()
    })

    test('two nodes: fifty messages at once on each → ids of their own, growing on each node', async () => {
      const store50 = (node: MessageStore) => Promise.all(Array.from({ length: 50 }, () => put(node)))
      const [ofFirst, ofSecond] = await Promise.all([store50(first), store50(second)])

      expect(new Set([...ofFirst, ...ofSecond]).size).toBe(100)
      for (const ids of [ofFirst, ofSecond]) expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    })

    test('two nodes: ten messages at once on each, limit 5 → five are stored', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => put(n % 2 ? first : second, {}, 5)),
      )

      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    })

    test('two nodes: ONLY_LAST at once on both → the newest is pending, each other is cancelled once', async () => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 ? first : second).enqueue(message({ guarantee: 'ONLY_LAST' }), limits(1)),
        ),
      )

      const ids = results.map(({ id }) => id).toSorted((a, b) => a - b)
      const cancelled = results.flatMap((result) => result.cancelled.map(({ messageId }) => messageId))
      expect(cancelled.toSorted((a, b) => a - b)).toEqual(ids.slice(0, -1))
      expect(await second.head('pump')).toMatchObject({ message: { id: ids.at(-1) } })
    })

    test('two nodes: one idempotency key at once on both → one message, the other answers are replayed', async () => {
      const idempotency = { scope: 'shop', key: 'k', fingerprint: 'f' }
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          // Two devices, so that the calls have nothing in common but the key.
          (n % 2 ? first : second).enqueue(
            message({ idempotency, deviceId: n % 2 ? 'pump' : 'valve' }),
            limits(1),
          ),
        ),
      )

      expect(new Set(results.map(({ id }) => id)).size).toBe(1)
      expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1)
    })

    test('two nodes: a poll and a cancel at once → the message is returned or cancelled, not both', async () => {
      const id = await put(first)

      const [outcome, taken] = await Promise.all([
        first.cancel(id, { by: null, force: false }),
        take(second, id),
      ])

      expect(taken === null).toBe(outcome?.transition !== null)
    })

    test('two nodes: the result of an acknowledgement was lost → the other node has the status', async () => {
      const id = await put(first)
      await acknowledge(first, id, 'COMPLETED')

      expect(await second.status(id)).toBe('COMPLETED')
      expect(await acknowledge(second, id, 'COMPLETED')).toEqual({ status: 'COMPLETED', transition: null })
    })

    test('watch: the other node stored and settled messages → added, removed, each change in its order', async () => {
      const events = recordEvents(second)
      const parts = { deviceId: 'pump', replyTo: REPLY_TO }
      const done = await put(first, parts)
      const superseded = await put(first, parts)
      await acknowledge(first, done, 'DELIVERED')
      await acknowledge(first, done, 'COMPLETED')
      await put(first, { guarantee: 'ONLY_LAST' })

      await expectEvent(events, { is: 'added', deviceId: 'pump' })
      for (const messageId of [done, superseded])
        await expectEvent(events, { is: 'removed', deviceId: 'pump', messageId })
      const changes = [
        { messageId: done, status: 'NOT_DELIVERED', cause: 'STORED', ...parts },
        { messageId: superseded, status: 'NOT_DELIVERED', cause: 'STORED', ...parts },
        { messageId: done, status: 'DELIVERED', cause: 'ACKNOWLEDGED', ...parts },
        { messageId: done, status: 'COMPLETED', cause: 'ACKNOWLEDGED', ...parts },
        { messageId: superseded, status: 'CANCELLED', cause: 'SUPERSEDED', ...parts },
      ] as const
      for (const change of changes)
        await expectEvent(events, {
          is: 'transitioned',
          transition: { ...change, details: null, order: ORDER },
        })
    })

    test('watch: the other node polled a NO message and could not send it → both transitions', async () => {
      const events = recordEvents(second)
      const messageId = await put(first, { guarantee: 'NO' })
      await take(first, messageId, { guarantee: 'NO' })
      await first.sendFailed(messageId)

      const changes = [
        { status: 'DELIVERED', cause: 'HANDED_OVER' },
        { status: 'UNKNOWN', cause: 'CONNECTION_BROKE' },
      ] as const
      for (const change of changes) {
        const transition = {
          messageId,
          deviceId: 'pump',
          ...change,
          replyTo: null,
          details: null,
          order: ORDER,
        }
        await expectEvent(events, { is: 'transitioned', transition })
      }
    })
  })
}
