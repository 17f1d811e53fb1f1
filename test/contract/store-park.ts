/** The part of the storage contract about messages that are parked after their last attempt. */
import { describe, expect, test } from 'vitest'
import { ACK_STATUSES } from '../../src/broker/vocabulary/status.ts'
import {
  acknowledge,
  claimMessage,
  expectEvent,
  type OpenStore,
  ORDER,
  recordEvents,
  take,
  useStore,
} from './store-under-test.ts'

const REPLY_TO = { producerId: 'boss', correlationId: 7 }

export function parkContract(open: OpenStore): void {
  describe('park', () => {
    const store = useStore(open)
    const attach = () => store.messages.attach('pump', 'MQTT')
    const park = (id: number, number = 1, deviceId = 'pump') =>
      store.messages.park(deviceId, { messageId: id, number })

    test('park: the attempt is open → UNKNOWN, also after a reopen, and the next message is dispatched', async () => {
      const id = await store.put({ replyTo: REPLY_TO })
      const next = await store.put()
      const lease = await attach()
      await claimMessage(lease)
      await claimMessage(lease, { messageId: id, outcome: 'CONNECTION' })
      store.clock.advance(10_000)

      const change = { messageId: id, deviceId: 'pump', status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' }
      expect(await park(id, 2)).toEqual({ ...change, replyTo: REPLY_TO, details: null, order: ORDER })

      const atMs = store.clock.wallMs()
      expect((await claimMessage(lease)).message.id).toBe(next)
      await store.reopen()
      const cause = 'NOT_ACKNOWLEDGED'
      expect(await store.record(id)).toMatchObject({
        ...{ status: 'UNKNOWN', cause, changedAtMs: atMs, changedBy: null },
        ...{ deliveredAtMs: null, deliveredError: true },
      })
      const extras = await store.extras(id)
      expect(extras.changes).toEqual([{ atMs, status: 'UNKNOWN', cause, by: null }])
      expect(extras.attempts.map(({ outcome }) => outcome)).toEqual(['CONNECTION', 'TIMEOUT'])
      expect(await store.headId()).toBe(next)
    })

    test('park: no connection accepts the message → UNKNOWN at once, the attempt ends as TOO_LARGE', async () => {
      const id = await store.put({ replyTo: REPLY_TO })
      await claimMessage(await attach())
      const change = { messageId: id, deviceId: 'pump', status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' }
      expect(
        await store.messages.park('pump', { messageId: id, number: 1, outcome: 'TOO_LARGE' }),
      ).toMatchObject(change)
      await store.reopen()
      expect(await store.attempts(id)).toEqual([[1, 'MQTT', 'TOO_LARGE']])
      expect(await store.record(id)).toMatchObject({ status: 'UNKNOWN', deliveredError: false })
    })

    test('park: the attempt of a poll → UNKNOWN, with that attempt', async () => {
      const id = await store.put()
      await take(store.messages, id)

      expect(await park(id)).toMatchObject({ status: 'UNKNOWN' })
      expect(await store.attempts(id)).toEqual([[1, 'REST', 'TIMEOUT']])
      expect(await store.messages.head('pump')).toBeNull()
    })

    test('park: the producer wants details → the number of attempts and the time', async () => {
      const id = await store.put({ details: true })
      await claimMessage(await attach())
      store.clock.advance(5)

      const details = { reason: null, result: null, attempts: 1, atMs: store.clock.wallMs() }
      expect(await park(id)).toMatchObject({ details })
    })

    test('park: another attempt, another device, no attempt, an unknown id, a second time → null', async () => {
      const id = await store.put()
      const waiting = await store.put()
      const lease = await attach()
      await claimMessage(lease)

      for (const each of [park(id, 2), park(id, 1, 'valve'), park(waiting), park(4711)])
        expect(await each).toBeNull()
      expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
      await claimMessage(lease, { messageId: id, outcome: 'TIMEOUT' })
      expect(await park(id, 1)).toBeNull()
      expect(await park(id, 2)).not.toBeNull()
      expect(await park(id, 2)).toBeNull()
    })

    test('park: something ended the attempt → null', async () => {
      const acknowledged = await store.put()
      await claimMessage(await attach())
      await acknowledge(store.messages, acknowledged, 'DELIVERED')
      expect(await park(acknowledged)).toBeNull()

      const interrupted = await store.put()
      await claimMessage(await attach())
      await store.messages.setBusy('pump', 1_000)
      expect(await park(interrupted)).toBeNull()
      expect(await store.messages.status(interrupted)).toBe('NOT_DELIVERED')
    })

    test('park: a message was parked → removed is reported, and its queue has room', async () => {
      const events = recordEvents(store.messages)
      const messageId = await store.put({}, 1)
      await claimMessage(await attach())
      await park(messageId)

      await expectEvent(events, { is: 'removed', deviceId: 'pump', messageId })
      await store.put({}, 1)
    })

    test.each(ACK_STATUSES)('park: the device reports %s afterwards → it counts', async (status) => {
      const id = await store.put()
      await claimMessage(await attach())
      await park(id)
      store.clock.advance(5)

      expect(await acknowledge(store.messages, id, status)).toMatchObject({ status, transition: { status } })
      expect(await store.record(id)).toMatchObject({ cause: null, deliveredAtMs: store.clock.wallMs() })
      expect((await store.extras(id)).changes).toHaveLength(1)
    })
  })
}
