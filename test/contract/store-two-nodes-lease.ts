/** The part of the storage contract about a lease for which two nodes compete. A driver with one node skips it. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import {
  ATTEMPT_MS,
  acknowledge,
  claimMessage,
  EMPTY,
  ended,
  expectEvent,
  inFlight,
  type OpenStore,
  ORDER,
  put,
  RULES,
  recordEvents,
  take,
  useStore,
} from './store-under-test.ts'

export function twoNodeLeaseContract(open: OpenStore): void {
  describe('lease of two nodes', () => {
    const store = useStore(open)
    let first: MessageStore
    let second: MessageStore
    beforeEach(async ({ skip }) => {
      if (!store.second) return skip('the driver has one node')
      first = store.messages
      second = await store.second()
    })

    test('lease: the device attached to the other node → the earlier claims are lost and take nothing', async () => {
      const id = await put(first)
      const earlier = await first.attach('pump', 'MQTT')
      const later = await second.attach('pump', 'MQTT')

      const claims = await Promise.all(Array.from({ length: 5 }, () => earlier.claim(null, RULES)))

      expect(claims).toEqual(Array.from({ length: 5 }, () => ({ is: 'lost' })))
      expect(await claimMessage(later)).toMatchObject({ message: { id } })
    })

    test('lease: both nodes attach at once → one of them claims', async () => {
      await put(first)
      const leases = await Promise.all([first.attach('pump', 'MQTT'), second.attach('pump', 'MQTT')])

      const claims = await Promise.all(leases.map((lease) => lease.claim(null, RULES)))

      expect(claims.map(({ is }) => is).toSorted()).toEqual(['lost', 'message'])
    })

    test('lease: ten claims at once on each node → one message is in flight', async () => {
      await put(first)
      await put(second)
      const leases = [await first.attach('pump', 'MQTT'), await second.attach('pump', 'MQTT')]

      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, n) => leases[n % 2]?.claim(null, RULES)),
      )

      expect(claims.filter((claim) => claim?.is === 'message')).toHaveLength(1)
      expect(claims.filter((claim) => claim?.is === 'inFlight')).toHaveLength(9)
      expect(claims.filter((claim) => claim?.is === 'lost')).toHaveLength(10)
    })

    test('lease: the device moves during an attempt → the time, the message in flight, the same message again', async () => {
      const id = await put(first)
      await put(first)
      await claimMessage(await first.attach('pump', 'MQTT'))
      store.clock.advance(300)

      const later = await second.attach('pump', 'MQTT')
      expect(later.state).toMatchObject({ sinceDispatchMs: 300, attempt: { messageId: id } })
      expect(await later.claim(null, RULES)).toEqual(inFlight(id, ATTEMPT_MS - 300))
      expect(await claimMessage(later, { messageId: id, outcome: 'CONNECTION' })).toMatchObject({
        message: { id },
      })
    })

    test('lease: the earlier node ends the attempt or releases → no effect on the later lease', async () => {
      const messageId = await put(first)
      const earlier = await first.attach('pump', 'MQTT')
      const { message } = await claimMessage(earlier)
      const later = await second.attach('pump', 'MQTT')

      expect(await earlier.claim(ended(message), RULES)).toEqual({ is: 'lost' })
      await earlier.release()
      expect(await later.claim(null, RULES)).toEqual(inFlight(messageId, ATTEMPT_MS))
    })

    test('lease: the acknowledgement arrives at the other node → removed here, then the next message', async () => {
      const messageId = await put(first)
      const next = await put(first)
      const events = recordEvents(first)
      const lease = await first.attach('pump', 'MQTT')
      await claimMessage(lease)
      await acknowledge(second, messageId, 'DELIVERED')

      await expectEvent(events, { is: 'removed', deviceId: 'pump', messageId })
      const change = { messageId, deviceId: 'pump', status: 'DELIVERED', cause: 'ACKNOWLEDGED' } as const
      const transition = { ...change, replyTo: null, details: null, order: ORDER }
      await expectEvent(events, { is: 'transitioned', transition })
      expect(await claimMessage(lease)).toMatchObject({ message: { id: next } })
    })

    test('lease: the other node supersedes the message in flight → the newer message', async () => {
      await put(first)
      const lease = await first.attach('pump', 'MQTT')
      await claimMessage(lease)
      const last = await put(second, { guarantee: 'ONLY_LAST' })

      expect(await claimMessage(lease)).toMatchObject({ message: { id: last } })
    })

    test('lease: five claims here and five polls there of a NO message → one takes it', async () => {
      const id = await put(first, { guarantee: 'NO' })
      const lease = await first.attach('pump', 'MQTT')

      const results = await Promise.all(
        Array.from({ length: 5 }, () => [
          lease.claim(null, RULES),
          take(second, id, { guarantee: 'NO' }),
        ]).flat(),
      )

      const transitions = results.filter((result) => result && 'transition' in result && result.transition)
      expect(transitions).toHaveLength(1)
    })

    test('lease: the result of a claim was lost and the device moved → the message is dispatched again', async () => {
      const messageId = await put(first)
      await (await first.attach('pump', 'MQTT')).claim(null, RULES)

      const later = await second.attach('pump', 'MQTT')
      expect(later.state.attempt?.messageId).toBe(messageId)
      const { message } = await claimMessage(later, { messageId, outcome: 'CONNECTION' })
      expect(message.id).toBe(messageId)
    })

    test('lease: the result of the claim of a NO message was lost → the message is not dispatched again', async () => {
      const id = await put(first, { guarantee: 'NO' })
      await (await first.attach('pump', 'MQTT')).claim(null, RULES)

      expect(await (await second.attach('pump', 'MQTT')).claim(null, RULES)).toEqual(EMPTY)
      expect(await second.status(id)).toBe('DELIVERED')
    })
  })
}
