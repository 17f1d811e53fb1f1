/** The part of the storage contract about many calls at once. */
import { describe, expect, test } from 'vitest'
import type { Head } from '../../src/broker/contract/device-lease.ts'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import { acknowledge, type OpenStore, RULES, terms, useStore } from './store-under-test.ts'

type Dispatch = () => Promise<boolean>

/** Prepares a call that tells whether it dispatched a message. */
const DISPATCHES: readonly (readonly [call: string, (store: MessageStore) => Promise<Dispatch>])[] = [
  [
    'take',
    async (store) => {
      const head = (await store.head('pump')) as Head
      return async () => (await store.take('pump', head, RULES)) !== null
    },
  ],
  [
    'claim',
    async (store) => {
      const lease = await store.attach('pump', 'MQTT')
      return async () => (await lease.claim(null, RULES)).is === 'message'
    },
  ],
]

export function concurrencyContract(open: OpenStore): void {
  describe('calls at once', () => {
    const store = useStore(open)

    test('calls at once: 1,502 of two kinds → each caller gets its own result', async () => {
      const [forValve, unknown, ...ids] = await Promise.all([
        store.put({ deviceId: 'valve', data: '{"mine":true}' }),
        store.complete(999_999),
        ...Array.from({ length: 1500 }, (_, n) => store.put({ data: `{"n":${n}}` })),
      ])

      expect(new Set([forValve, ...ids]).size).toBe(1501)
      expect(unknown).toBeNull()
      expect((await store.messages.head('valve'))?.message.data).toBe('{"mine":true}')
      for (const [n, id] of ids.slice(0, 3).entries()) {
        expect(await store.messages.head('pump')).toMatchObject({ message: { id, data: `{"n":${n}}` } })
        await store.complete(id)
      }
    })

    test('calls at once: one message is refused → the others are stored', async () => {
      const results = await Promise.allSettled([
        store.put({}, 2),
        store.put({}, 2),
        store.put({}, 2),
        store.put({ deviceId: 'valve' }, 2),
      ])

      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
      await store.reopen()
      expect(await store.headId('pump')).not.toBeNull()
      expect(await store.headId('valve')).not.toBeNull()
    })

    test('calls at once: 300 messages are stored → all are there after a reopen', async () => {
      const ids = await Promise.all(Array.from({ length: 300 }, () => store.put()))
      await store.reopen()

      for (const id of ids) expect(await store.messages.status(id)).toBe('NOT_DELIVERED')
    })

    test('calls at once: 50 messages for one device → their ids grow in the order of the calls', async () => {
      const ids = await Promise.all(Array.from({ length: 50 }, () => store.put()))

      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    })

    test.each(DISPATCHES)(
      'calls at once: a NO message is superseded, and a %s finds it → the time of a dispatch only if it is dispatched',
      async (_call, prepare) => {
        await store.put({ guarantee: 'NO' })
        const dispatch = await prepare(store.messages)
        const later = { guarantee: 'ONLY_LAST', terms: terms({ delaySeconds: 5 }) } as const
        const [, isDispatched] = await Promise.all([store.put(later), dispatch()])

        const time = async () => (await store.messages.line('pump')).sinceDispatchMs
        expect(await time()).toBe(isDispatched ? 0 : null)
        await store.reopen()
        expect(await time()).toBe(isDispatched ? 0 : null)
      },
    )

    test('calls at once: a NO message is claimed, and another line attaches → dispatched before, or by the other line', async () => {
      await store.put({ guarantee: 'NO' })
      const lease = await store.messages.attach('pump', 'MQTT')
      const [claim, other] = await Promise.all([
        lease.claim(null, RULES),
        store.messages.attach('pump', 'MQTT'),
      ])
      const isTaken = claim.is === 'message'
      if (!isTaken) expect(claim).toEqual({ is: 'lost' })
      expect(other.state.sinceDispatchMs).toBe(isTaken ? 0 : null)
      expect((await other.claim(null, RULES)).is).toBe(isTaken ? 'empty' : 'message')
    })

    test('calls at once: a polled message is parked while it is superseded → the attempt of the poll stays', async () => {
      const id = await store.put()
      await store.poll()
      await Promise.all([
        store.put({ guarantee: 'ONLY_LAST' }),
        store.messages.park('pump', { messageId: id, number: 1 }),
      ])
      expect((await store.extras(id)).attempts).toMatchObject([{ number: 1, transport: 'REST' }])
    })

    test('calls at once: ten equal acknowledgements → one changes the status', async () => {
      const id = await store.put()

      const results = await Promise.all(
        Array.from({ length: 10 }, () => acknowledge(store.messages, id, 'DELIVERED')),
      )

      expect(results.filter((result) => result?.transition)).toHaveLength(1)
      expect(results.every((result) => result?.status === 'DELIVERED')).toBe(true)
    })
  })
}
