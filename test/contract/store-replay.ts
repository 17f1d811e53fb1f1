/** The part of the storage contract about the replay of one UNKNOWN message. */
import { describe, expect, test } from 'vitest'
import type { NewMessage } from '../../src/broker/vocabulary/message.ts'
import {
  acknowledge,
  claimMessage,
  expectEvent,
  limits,
  type OpenStore,
  ORDER,
  RULES,
  recordEvents,
  type StoreInUse,
  take,
  terms,
  useStore,
} from './store-under-test.ts'

const REPLY_TO = { producerId: 'boss', correlationId: 7 }

/** Stores a message, makes `attempts` attempts with it and parks it. It must be the only dispatchable message. */
export async function putParked(
  store: StoreInUse,
  parts: Partial<NewMessage> = {},
  attempts = 1,
): Promise<number> {
  const messageId = await store.put(parts)
  const { deviceId = 'pump' } = parts
  const lease = await store.messages.attach(deviceId, 'MQTT')
  await claimMessage(lease)
  for (let n = 1; n < attempts; n++) await claimMessage(lease, { messageId, outcome: 'TIMEOUT' })
  await store.messages.park(deviceId, { messageId, number: attempts })
  return messageId
}

export function replayContract(open: OpenStore): void {
  describe('replay', () => {
    const store = useStore(open)
    const replay = (id: number, limit = 100) =>
      store.messages.replay(id, { by: 'admin', limits: limits(limit) })

    test('replay: a parked message → pending at its place, with cause, client and event, also after a reopen', async () => {
      const id = await putParked(store, { replyTo: REPLY_TO })
      await store.put()
      const events = recordEvents(store.messages)
      store.clock.advance(5)

      const change = { messageId: id, deviceId: 'pump', status: 'NOT_DELIVERED', cause: 'REPLAYED' }
      expect(await replay(id)).toEqual({
        is: 'replayed',
        transition: { ...change, replyTo: REPLY_TO, details: null, order: ORDER },
      })

      const atMs = store.clock.wallMs()
      await expectEvent(events, { is: 'added', deviceId: 'pump' })
      await store.reopen()
      expect(await store.headId()).toBe(id)
      expect(await store.record(id)).toMatchObject({
        cause: 'REPLAYED',
        changedBy: 'admin',
        changedAtMs: atMs,
      })
      expect((await store.extras(id)).changes).toMatchObject([
        { cause: 'NOT_ACKNOWLEDGED' },
        { atMs, status: 'NOT_DELIVERED', cause: 'REPLAYED', by: 'admin' },
      ])
    })

    test('replay: a message whose delay has not ended → delayed again', async () => {
      const id = await store.put({ terms: terms({ delaySeconds: 60, finishSeconds: 5 }) })
      const younger = await store.put()
      await acknowledge(store.messages, id, 'DELIVERED')
      store.clock.advance(5_000)
      await store.messages.expire(1_000)

      await replay(id)

      expect(await store.headId()).toBe(younger)
      await store.complete(younger)
      const lease = await store.messages.attach('pump', 'MQTT')
      expect(await lease.claim(null, RULES)).toEqual({ is: 'empty', dueInMs: 55_000 })
      store.clock.advance(55_000)
      expect((await claimMessage(lease)).message.id).toBe(id)
    })

    test('replay: between an older and a younger pending message → its place', async () => {
      const delayed = await store.put({ terms: terms({ delaySeconds: 1 }) })
      const id = await putParked(store)
      const younger = await store.put()
      store.clock.advance(1_000)
      await replay(id)

      const lease = await store.messages.attach('pump', 'MQTT')
      for (const expected of [delayed, id, younger]) {
        expect((await claimMessage(lease)).message.id).toBe(expected)
        await store.complete(expected)
      }
    })

    test('replay: a younger message is in flight → its attempt runs on, the replayed one is next', async () => {
      const id = await putParked(store)
      const younger = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      await claimMessage(lease)
      await replay(id)

      expect(await lease.claim(null, RULES)).toMatchObject({
        is: 'inFlight',
        attempt: { messageId: younger },
      })
      expect(await store.headId()).toBe(younger)
      await store.complete(younger)
      expect((await claimMessage(lease)).message.id).toBe(id)
    })

    test('replay: two attempts before → the numbers continue, limit and duration count from 1', async () => {
      const id = await putParked(store, {}, 2)
      await replay(id)
      const lease = await store.messages.attach('pump', 'MQTT')
      const rules = { ...RULES, durationsMs: [10, 20] }

      expect((await claimMessage(lease, null, rules)).message).toMatchObject({ number: 3, counted: 1 })
      expect((await store.messages.line('pump')).attempt).toMatchObject({
        number: 3,
        counted: 1,
        runningMs: 10,
      })
      await store.reopen()
      const ended = { messageId: id, outcome: 'TIMEOUT' } as const
      const later = await store.messages.attach('pump', 'MQTT')
      expect((await claimMessage(later, ended, rules)).message).toMatchObject({ number: 4, counted: 2 })
    })

    test('replay: a poll took it before → the next poll has the next number', async () => {
      const id = await store.put()
      await store.poll()
      await store.messages.park('pump', { messageId: id, number: 1 })
      await replay(id)

      expect((await store.poll()).message).toMatchObject({ number: 2, counted: 1 })
    })

    test('replay: the device is deaf → the first attempt has a number of its own', async () => {
      await replay(await putParked(store, {}, 2))

      expect((await store.poll({ ...RULES, deaf: true })).message).toMatchObject({ number: 3, counted: 1 })
    })

    test('replay: the message is pending, DELIVERED, final or cancelled → not-unknown with its status', async () => {
      const [pending, delivered, done, cancelled] = await Promise.all(
        Array.from({ length: 4 }, () => store.put()),
      )
      await acknowledge(store.messages, delivered as number, 'DELIVERED')
      await store.complete(done as number)
      await store.messages.cancel(cancelled as number, { by: null, force: false })

      const guarantee = 'RECEIPT_CONFIRMATION'
      for (const [id, status] of [
        [pending, 'NOT_DELIVERED'],
        [delivered, 'DELIVERED'],
        [done, 'COMPLETED'],
        [cancelled, 'CANCELLED'],
      ] as const)
        expect(await replay(id as number)).toEqual({ is: 'not-unknown', status, guarantee })
    })

    test('replay: a NO message → not-unknown with its guarantee', async () => {
      const id = await store.put({ guarantee: 'NO' })
      await take(store.messages, id, { guarantee: 'NO' })
      await store.messages.sendFailed(id)

      expect(await replay(id)).toEqual({ is: 'not-unknown', status: 'UNKNOWN', guarantee: 'NO' })
    })

    test('replay: a millisecond before the end of the validity, and at its end → replayed, expired', async () => {
      const first = await putParked(store, { terms: terms({ validSeconds: 1 }) })
      const second = await putParked(store, { terms: terms({ validSeconds: 1 }) })
      store.clock.advance(999)
      expect(await replay(first)).toMatchObject({ is: 'replayed' })
      store.clock.advance(1)

      expect(await replay(second)).toEqual({ is: 'expired' })
      expect(await store.messages.status(second)).toBe('UNKNOWN')
    })

    test('replay: the queue is full → queue-full, and it stays UNKNOWN', async () => {
      const id = await putParked(store)
      await store.put()

      await expect(replay(id, 1)).rejects.toMatchObject({ code: 'queue-full' })
      expect(await store.messages.status(id)).toBe('UNKNOWN')
      expect(await replay(id, 2)).toMatchObject({ is: 'replayed' })
    })

    test('replay: no message has the id → null; twice → not-unknown', async () => {
      expect(await replay(4711)).toBeNull()
      const id = await putParked(store)
      await replay(id)

      expect(await replay(id)).toMatchObject({ is: 'not-unknown', status: 'NOT_DELIVERED' })
    })
  })
}
