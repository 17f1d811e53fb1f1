/** The part of the storage contract about the validity of messages: EXPIRED. */
import { describe, expect, test } from 'vitest'
import type { Transitioned } from '../../src/broker/contract/store.ts'
import { ACK_STATUSES, GUARANTEES } from '../../src/broker/vocabulary/status.ts'
import {
  ATTEMPT_MS,
  acknowledge,
  claimMessage,
  EMPTY,
  expectEvent,
  type OpenStore,
  ORDER,
  put,
  RULES,
  recordEvents,
  take,
  terms,
  useStore,
} from './store-under-test.ts'

const VALID_MS = 5_000
const VALID = { terms: terms({ validSeconds: 5 }) }
const EXPIRED = { deviceId: 'pump', cause: 'EXPIRED', replyTo: null, details: null, order: ORDER } as const

export function validityContract(open: OpenStore): void {
  describe('validity', () => {
    const store = useStore(open)
    const attach = () => store.messages.attach('pump', 'MQTT')
    const expired = (messageId: number, status: 'CANCELLED' | 'UNKNOWN'): Transitioned => ({
      messageId,
      status,
      ...EXPIRED,
    })

    test('expire: no message has a deadline → nothing, and no next one', async () => {
      await store.put()

      expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: null })
    })

    test.each(GUARANTEES)(
      'expire: %s was never dispatched → valid until the deadline, CANCELLED at it',
      async (guarantee) => {
        const id = await store.put({ ...VALID, guarantee })
        store.clock.advance(VALID_MS - 1)
        expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: 1 })
        expect(await store.headId()).toBe(id)

        store.clock.advance(1)
        expect(await store.messages.expire(1_000)).toEqual({
          settled: [{ ...expired(id, 'CANCELLED'), attempts: 0 }],
          nextInMs: null,
        })

        const atMs = store.clock.wallMs()
        expect(await store.messages.head('pump')).toBeNull()
        await store.reopen()
        expect(await store.record(id)).toMatchObject({
          ...{
            status: 'CANCELLED',
            cause: 'EXPIRED',
            changedAtMs: atMs,
            changedBy: null,
            deliveredAtMs: null,
          },
        })
        expect(await store.messages.expire(1_000)).toMatchObject({ settled: [] })
      },
    )

    test('dispatch: the validity is over, and nothing carried it out yet → the next message', async () => {
      const id = await store.put(VALID)
      const next = await store.put()
      const head = await store.messages.head('pump')
      store.clock.advance(VALID_MS)

      expect(head?.message.id).toBe(id)
      expect(await take(store.messages, id)).toBeNull()
      expect(await store.headId()).toBe(next)
      expect((await claimMessage(await attach())).message.id).toBe(next)
      expect(await store.messages.expire(1_000)).toMatchObject({ settled: [expired(id, 'CANCELLED')] })
    })

    test('dispatch: the only message is not valid → empty', async () => {
      await store.put({ ...VALID, guarantee: 'NO' })
      store.clock.advance(VALID_MS)

      expect(await (await attach()).claim(null, RULES)).toEqual(EMPTY)
    })

    test('expire: an attempt runs → the message is pending until the end of the attempt, then UNKNOWN', async () => {
      const id = await store.put(VALID)
      await store.put()
      store.clock.advance(VALID_MS - 1_000)
      await claimMessage(await attach())
      store.clock.advance(1_000)

      expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: ATTEMPT_MS - 1_000 })
      expect(await store.messages.head('pump')).toBeNull()
      store.clock.advance(ATTEMPT_MS - 1_000 - 1)
      expect(await store.messages.expire(1_000)).toMatchObject({ settled: [] })
      store.clock.advance(1)
      expect(await store.messages.expire(1_000)).toMatchObject({ settled: [expired(id, 'UNKNOWN')] })

      const change = { status: 'UNKNOWN', cause: 'EXPIRED', by: null }
      expect(await store.record(id)).toMatchObject({ status: 'UNKNOWN', cause: 'EXPIRED' })
      expect((await store.extras(id)).changes).toEqual([{ atMs: store.clock.wallMs(), ...change }])
    })

    test('expire: the attempt of a poll runs → as over a lease', async () => {
      const id = await store.put(VALID)
      await store.poll()
      store.clock.advance(VALID_MS)

      expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: ATTEMPT_MS - VALID_MS })
      expect(await store.messages.head('pump')).toBeNull()
      store.clock.advance(ATTEMPT_MS - VALID_MS)
      expect(await store.messages.expire(1_000)).toMatchObject({ settled: [expired(id, 'UNKNOWN')] })
    })

    test.each(['TIMEOUT', 'CONNECTION'] as const)(
      'expire: a claim ended the attempt as %s behind the deadline → UNKNOWN, and the claim takes the next message',
      async (outcome) => {
        const first = await store.put(VALID)
        const lease = await attach()
        await claimMessage(lease)
        const next = await store.put()
        store.clock.advance(VALID_MS)
        const ended = { messageId: first, outcome }

        expect((await claimMessage(lease, ended)).message.id).toBe(next)
        expect(await store.messages.expire(1_000)).toMatchObject({ settled: [expired(first, 'UNKNOWN')] })
      },
    )

    test('expire: the attempt was over before the deadline → UNKNOWN at the deadline', async () => {
      const id = await store.put(VALID)
      await claimMessage(await attach(), null, { ...RULES, durationsMs: [1_000] })
      store.clock.advance(VALID_MS - 1)
      expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: 1 })
      store.clock.advance(1)

      expect(await store.messages.expire(1_000)).toMatchObject({ settled: [expired(id, 'UNKNOWN')] })
      expect((await store.messages.line('pump')).attempt).toBeNull()
    })

    test('expire: a pause ended the attempt → UNKNOWN', async () => {
      const id = await store.put(VALID)
      await claimMessage(await attach())
      await store.messages.setBusy('pump', 60_000)
      store.clock.advance(VALID_MS)

      expect(await store.messages.expire(1_000)).toMatchObject({ settled: [expired(id, 'UNKNOWN')] })
    })

    test('expire: parked, acknowledged, cancelled messages → no change', async () => {
      const parked = await store.put(VALID)
      await claimMessage(await attach())
      await store.messages.park('pump', { messageId: parked, number: 1 })
      const delivered = await store.put(VALID)
      await acknowledge(store.messages, delivered, 'DELIVERED')
      const cancelled = await store.put(VALID)
      await store.messages.cancel(cancelled, { by: null, force: false })
      store.clock.advance(VALID_MS)

      expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: null })
      expect(await store.record(parked)).toMatchObject({ status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' })
      expect(await store.messages.status(delivered)).toBe('DELIVERED')
      expect(await store.record(cancelled)).toMatchObject({ cause: 'CANCELLED' })
    })

    test('expire: a replayed message → EXPIRED at the deadline of its storing', async () => {
      const id = await store.put(VALID)
      await claimMessage(await attach())
      await store.messages.park('pump', { messageId: id, number: 1 })
      store.clock.advance(1_000)
      await store.messages.replay(id, { by: null, limits: { messages: 10, bytes: 0 } })
      store.clock.advance(VALID_MS - 1_000)

      expect(await store.messages.expire(1_000)).toMatchObject({ settled: [expired(id, 'UNKNOWN')] })
    })

    test.each(ACK_STATUSES)(
      'expire: the device reports %s afterwards → it counts from UNKNOWN',
      async (status) => {
        const id = await store.put(VALID)
        await claimMessage(await attach())
        store.clock.advance(ATTEMPT_MS)
        await store.messages.expire(1_000)

        expect(await acknowledge(store.messages, id, status)).toMatchObject({
          status,
          transition: { status },
        })
        expect(await store.record(id)).toMatchObject({ cause: null })
      },
    )

    test('expire: the device reports during its attempt, behind the deadline → it counts', async () => {
      const id = await store.put(VALID)
      await claimMessage(await attach())
      store.clock.advance(VALID_MS + 1)

      expect(await acknowledge(store.messages, id, 'DELIVERED')).toMatchObject({ status: 'DELIVERED' })
      store.clock.advance(ATTEMPT_MS)
      expect(await store.messages.expire(1_000)).toMatchObject({ settled: [] })
    })

    test('expire: the wall clock is set back and forth → the deadline of the wall clock', async () => {
      const id = await store.put(VALID)
      const atMs = store.clock.wallMs()
      store.clock.setWall(atMs - 60_000)
      store.clock.advance(VALID_MS)
      expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: 60_000 })
      store.clock.setWall(atMs + VALID_MS)

      expect(await store.messages.expire(1_000)).toMatchObject({ settled: [expired(id, 'CANCELLED')] })
    })

    test('expire: 1,500 deadlines are due at once → 1,000 in the first step, 500 in the second', async () => {
      await Promise.all(Array.from({ length: 1_500 }, () => put(store.messages, VALID)))
      const valid = await store.put()
      store.clock.advance(VALID_MS)

      const first = await store.messages.expire(1_000)
      expect(first.settled).toHaveLength(1_000)
      expect(first.nextInMs).toBe(0)
      const second = await store.messages.expire(1_000)
      expect(second.settled).toHaveLength(500)
      expect(second.nextInMs).toBeNull()
      expect(new Set([...first.settled, ...second.settled].map(({ messageId }) => messageId)).size).toBe(
        1_500,
      )
      expect(await store.headId()).toBe(valid)
    })

    test('expire: two calls at once → each message once', async () => {
      await store.put(VALID)
      store.clock.advance(VALID_MS)

      const results = await Promise.all([store.messages.expire(1_000), store.messages.expire(1_000)])

      expect(results.flatMap(({ settled }) => settled)).toHaveLength(1)
    })

    test('watch: messages with a validity are stored, and expire → deadline, then removed', async () => {
      const events = recordEvents(store.messages)
      const messageId = await store.put(VALID)
      await expectEvent(events, { is: 'deadline', inMs: VALID_MS })
      store.clock.advance(VALID_MS)
      await store.messages.expire(1_000)

      await expectEvent(events, { is: 'removed', deviceId: 'pump', messageId })
    })
  })
}
