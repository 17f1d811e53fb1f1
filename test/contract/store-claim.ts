/** The part of the storage contract about the dispatch over a lease: claim. */
import { describe, expect, test } from 'vitest'
import type { DeviceLease } from '../../src/broker/contract/device-lease.ts'
import { ACK_STATUSES } from '../../src/broker/vocabulary/status.ts'
import {
  ATTEMPT_MS,
  acknowledge,
  claimMessage,
  EMPTY,
  inFlight,
  type OpenStore,
  ORDER,
  RULES,
  take,
  useStore,
} from './store-under-test.ts'

/** The end of an attempt that the store does not know. */
const GONE = { number: 1, atMs: 0, outcome: 'TIMEOUT' } as const

export function claimContract(open: OpenStore): void {
  describe('claim', () => {
    const store = useStore(open)
    const attach = () => store.messages.attach('pump', 'MQTT')
    const claimedId = async (lease: DeviceLease) => (await claimMessage(lease)).message.id

    test('claim: no message is pending → empty', async () => {
      await store.put({ deviceId: 'valve' })
      const lease = await attach()

      expect(await lease.claim(null, RULES)).toEqual(EMPTY)
      expect(await lease.claim({ ...GONE, messageId: 4711 }, RULES)).toEqual(EMPTY)
    })

    test('claim: two messages are pending → the older one, with the time of the dispatch', async () => {
      const id = await store.put({ data: '{"n":1}' })
      await store.put({ data: '{"n":2}' })
      store.clock.advance(5)

      const { message, transition } = await claimMessage(await attach())

      const parts = { command: 'start', guarantee: 'RECEIPT_CONFIRMATION', data: '{"n":1}' }
      const attempt = { number: 1, counted: 1, maxAttempts: null, remainingMs: null, finishSeconds: null }
      expect(message).toEqual({ id, ...parts, ...attempt, atMs: store.clock.wallMs() })
      expect(transition).toBeNull()
      expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
    })

    test('claim: an attempt runs → inFlight for the rest of its duration', async () => {
      const id = await store.put()
      await store.put()
      const lease = await attach()
      await claimMessage(lease)
      store.clock.advance(3000)

      expect(await lease.claim(null, RULES)).toEqual(inFlight(id, ATTEMPT_MS - 3000))
    })

    test('claim: the wall clock is set while an attempt runs → the same rest of its duration', async ({
      skip,
    }) => {
      if (store.measuresByWallClock) return skip('the store has no other clock')
      const id = await store.put()
      const lease = await attach()
      await claimMessage(lease)
      store.clock.advance(3000)

      const running = inFlight(id, ATTEMPT_MS - 3000)
      for (const step of [3_600_000, -7_200_000]) {
        store.clock.setWall(store.clock.wallMs() + step)
        expect(await lease.claim(null, RULES)).toEqual(running)
      }
    })

    test('claim: the wall clock is set back while an attempt runs → it runs for no more than its duration', async () => {
      await store.put()
      const lease = await attach()
      await claimMessage(lease)
      store.clock.setWall(store.clock.wallMs() - 3_600_000)

      const rest = { attempt: { runningMs: ATTEMPT_MS } }
      expect(await lease.claim(null, RULES)).toMatchObject({ is: 'inFlight', ...rest })
      expect(await attach()).toMatchObject({ state: rest })
      expect(await store.messages.head('pump')).toMatchObject(rest)
    })

    test('claim: the duration of the attempt is over → inFlight until a claim ends it, then the same message', async () => {
      const id = await store.put()
      await store.put()
      const lease = await attach()
      await claimMessage(lease)

      store.clock.advance(ATTEMPT_MS - 1)
      expect(await lease.claim(null, RULES)).toEqual(inFlight(id, 1))
      store.clock.advance(1)
      for (let claims = 0; claims < 2; claims++)
        expect(await lease.claim(null, RULES)).toEqual(inFlight(id, 0))
      const { message } = await claimMessage(lease, { messageId: id, outcome: 'TIMEOUT' })
      expect(message.id).toBe(id)
      expect(await lease.claim(null, RULES)).toEqual(inFlight(id, ATTEMPT_MS))
    })

    test.each(['TIMEOUT', 'CONNECTION'] as const)(
      'claim: it ends the attempt with %s → the same message for another attempt',
      async (outcome) => {
        const messageId = await store.put()
        await store.put()
        const lease = await attach()
        await claimMessage(lease)
        store.clock.advance(10)

        const { message } = await claimMessage(lease, { messageId, outcome })

        expect(message).toMatchObject({ id: messageId, atMs: store.clock.wallMs() })
        expect(await lease.claim(null, RULES)).toEqual(inFlight(messageId, ATTEMPT_MS))
      },
    )

    test('claim: it ends an attempt that does not run → the running attempt continues', async () => {
      const first = await store.put()
      const second = await store.put()
      const lease = await attach()
      await claimMessage(lease)

      const ends = (messageId: number) => lease.claim({ ...GONE, messageId }, RULES)
      expect(await ends(second)).toEqual(inFlight(first, ATTEMPT_MS))
      await store.complete(first)
      expect(await claimedId(lease)).toBe(second)
      expect(await ends(first)).toEqual(inFlight(second, ATTEMPT_MS))
    })

    test.each(ACK_STATUSES)('claim: the message in flight became %s → the next message', async (status) => {
      const first = await store.put()
      const second = await store.put()
      const lease = await attach()
      await claimMessage(lease)
      await acknowledge(store.messages, first, status)

      expect(await claimedId(lease)).toBe(second)
      await acknowledge(store.messages, second, status)
      expect(await lease.claim({ ...GONE, messageId: second }, RULES)).toEqual(EMPTY)
    })

    test('claim: the message in flight was superseded → the newer message', async () => {
      await store.put()
      const lease = await attach()
      await claimMessage(lease)
      const last = await store.put({ guarantee: 'ONLY_LAST' })

      expect(await claimedId(lease)).toBe(last)
    })

    test('claim: a message of another device is in flight → the oldest of the own queue', async () => {
      await store.put({ deviceId: 'valve' })
      await claimMessage(await store.messages.attach('valve', 'MQTT'))
      const id = await store.put()

      expect(await claimedId(await attach())).toBe(id)
    })

    test('claim: NO → it is DELIVERED, and the next claim takes the next message', async () => {
      const replyTo = { producerId: null, correlationId: 7 }
      const id = await store.put({ guarantee: 'NO', replyTo })
      const next = await store.put({ guarantee: 'NO' })
      const lease = await attach()

      const { message, transition } = await claimMessage(lease)

      expect(message).toMatchObject({ id, guarantee: 'NO' })
      const change = { messageId: id, deviceId: 'pump', status: 'DELIVERED', cause: 'HANDED_OVER' }
      expect(transition).toEqual({ ...change, replyTo, details: null, order: ORDER })
      expect(await store.messages.status(id)).toBe('DELIVERED')
      expect(await claimedId(lease)).toBe(next)
      await store.reopen()
      expect(await store.messages.status(id)).toBe('DELIVERED')
    })

    test('claim: ten claims at once → one takes the message, nine find it in flight', async () => {
      await store.put()
      await store.put()
      const lease = await attach()

      const claims = await Promise.all(Array.from({ length: 10 }, () => lease.claim(null, RULES)))

      expect(claims.filter(({ is }) => is === 'message')).toHaveLength(1)
      expect(claims.filter(({ is }) => is === 'inFlight')).toHaveLength(9)
    })

    test('claim: five claims and five polls of a NO message at once → one takes it', async () => {
      const id = await store.put({ guarantee: 'NO' })
      const lease = await attach()

      const [claims, polls] = await Promise.all([
        Promise.all(Array.from({ length: 5 }, () => lease.claim(null, RULES))),
        Promise.all(Array.from({ length: 5 }, () => take(store.messages, id, { guarantee: 'NO' }))),
      ])

      const takers = [...claims.filter(({ is }) => is === 'message'), ...polls.filter((taken) => taken)]
      expect(takers).toHaveLength(1)
      expect(takers[0]).toMatchObject({ transition: { messageId: id, status: 'DELIVERED' } })
    })
  })
}
