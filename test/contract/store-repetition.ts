/** The part of the storage contract about repetitions: a caller that did not see a result calls again. */
import { describe, expect, test } from 'vitest'
import {
  ATTEMPT_MS,
  acknowledge,
  claimMessage,
  EMPTY,
  ended,
  inFlight,
  type OpenStore,
  RULES,
  take,
  useStore,
} from './store-under-test.ts'

export function repetitionContract(open: OpenStore): void {
  describe('repetition', () => {
    const store = useStore(open)

    test('repetition: claim → nothing until a claim ends the attempt, then the same message', async () => {
      const id = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      await lease.claim(null, RULES)

      expect(await lease.claim(null, RULES)).toEqual(inFlight(id, ATTEMPT_MS))
      store.clock.advance(ATTEMPT_MS)
      expect(await claimMessage(lease, { messageId: id, outcome: 'TIMEOUT' })).toMatchObject({
        message: { id },
      })
    })

    test('repetition: claim that ends an attempt → inFlight when the first call dispatched other messages', async () => {
      const messageId = await store.put()
      const next = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      const { message } = await claimMessage(lease)
      await store.complete(messageId)
      await lease.claim(ended(message), RULES)

      expect(await lease.claim(ended(message), RULES)).toMatchObject({ is: 'inFlight' })
      expect((await store.messages.attach('pump', 'MQTT')).state.attempt?.messageId).toBe(next)
    })

    test('repetition: claim of a NO message → the message is taken once', async () => {
      await store.put({ guarantee: 'NO' })
      const lease = await store.messages.attach('pump', 'MQTT')
      await lease.claim(null, RULES)

      expect(await lease.claim(null, RULES)).toEqual(EMPTY)
    })

    test('repetition: take → null, and the head has the attempt; of a NO message → null', async () => {
      const id = await store.put()
      await take(store.messages, id)
      expect(await take(store.messages, id)).toBeNull()
      expect(await store.messages.head('pump')).toMatchObject({ message: { id }, attempt: { number: 1 } })
      const no = await store.put({ guarantee: 'NO' })
      await take(store.messages, no, { guarantee: 'NO' })

      expect(await take(store.messages, no, { guarantee: 'NO' })).toBeNull()
    })

    test('repetition: acknowledge, cancel, sendFailed → the same status and no transition', async () => {
      const [done, cancelled, unknown] = [
        await store.put(),
        await store.put(),
        await store.put({ guarantee: 'NO' }),
      ]
      const calls = [
        () => acknowledge(store.messages, done, 'COMPLETED'),
        () => store.messages.cancel(cancelled, { by: null, force: false }),
        () => store.messages.sendFailed(unknown),
      ]
      await take(store.messages, unknown, { guarantee: 'NO' })
      for (const call of calls) await call()

      expect(await Promise.all(calls.map((call) => call()))).toEqual([
        { status: 'COMPLETED', transition: null },
        { status: 'CANCELLED', transition: null, attempts: 0 },
        null,
      ])
      expect(await store.messages.status(unknown)).toBe('UNKNOWN')
    })

    test('repetition: release → a later lease still claims', async () => {
      const id = await store.put()
      const earlier = await store.messages.attach('pump', 'MQTT')
      await earlier.release()
      const later = await store.messages.attach('pump', 'MQTT')
      await earlier.release()

      expect(await claimMessage(later)).toMatchObject({ message: { id } })
    })

    test('repetition: enqueue with ONLY_LAST → the second message replaces the first', async () => {
      const first = await store.put({ guarantee: 'ONLY_LAST' })
      const second = await store.put({ guarantee: 'ONLY_LAST' })

      expect(await store.messages.status(first)).toBe('CANCELLED')
      expect(await store.headId()).toBe(second)
    })
  })
}
