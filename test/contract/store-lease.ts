/** The part of the storage contract about the lease of a device: attach and release. */
import { describe, expect, test } from 'vitest'
import {
  ATTEMPT_MS,
  claimMessage,
  ended,
  inFlight,
  type OpenStore,
  RULES,
  useStore,
} from './store-under-test.ts'

const UNPACED = { ...RULES, paced: false }

export function leaseContract(open: OpenStore): void {
  describe('attach', () => {
    const store = useStore(open)
    const attach = () => store.messages.attach('pump', 'MQTT')
    const state = async () => (await attach()).state

    test('attach: nothing was dispatched → no time and no open attempt', async () => {
      await store.put()

      expect(await state()).toMatchObject({ sinceDispatchMs: null, attempt: null })
    })

    test('attach: an attempt runs → the time since its dispatch, and its message', async () => {
      const id = await store.put()
      await claimMessage(await attach())
      store.clock.advance(400)

      expect(await state()).toMatchObject({ sinceDispatchMs: 400, attempt: { messageId: id } })
    })

    test('attach: the dispatch was not paced → no time, but the open attempt', async () => {
      const id = await store.put()
      await claimMessage(await attach(), null, UNPACED)

      expect(await state()).toMatchObject({ sinceDispatchMs: null, attempt: { messageId: id } })
    })

    test('attach: a dispatch was paced, a later one was not → the time since the paced one', async () => {
      await store.put({ guarantee: 'NO' })
      await store.put({ guarantee: 'NO' })
      const lease = await attach()
      await claimMessage(lease)
      store.clock.advance(400)
      await claimMessage(lease, null, UNPACED)

      expect(await state()).toMatchObject({ sinceDispatchMs: 400 })
    })

    test('attach: two messages were dispatched → the time since the later dispatch', async () => {
      const id = await store.put()
      await store.put({ guarantee: 'NO' })
      const lease = await attach()
      await claimMessage(lease)
      store.clock.advance(400)
      await store.complete(id)
      await claimMessage(lease)
      store.clock.advance(30)

      expect(await state()).toMatchObject({ sinceDispatchMs: 30, attempt: null })
    })

    test('attach: another device was given a message → no time and no open attempt', async () => {
      await store.put({ deviceId: 'valve' })
      await claimMessage(await store.messages.attach('valve', 'MQTT'))

      expect(await state()).toMatchObject({ sinceDispatchMs: null, attempt: null })
    })

    test('attach: the clock was set back after the dispatch → 0 ms, never negative', async () => {
      await store.put()
      await claimMessage(await attach())
      store.clock.setWall(store.clock.wallMs() - 3_600_000)

      expect(await state()).toMatchObject({ sinceDispatchMs: 0 })
    })

    test.each(['RECEIPT_CONFIRMATION', 'NO'] as const)(
      'attach: over another transport than before → the attempt with a %s message has the later one',
      async (guarantee) => {
        const id = await store.put({ guarantee })
        await attach()
        await claimMessage(await store.messages.attach('pump', 'TCP'))

        expect((await store.attempts(id)).map(([, transport]) => transport)).toEqual(['TCP'])
      },
    )

    test('attach: a transport for each of two attempts → each attempt has its own', async () => {
      const messageId = await store.put()
      await claimMessage(await attach())
      await claimMessage(await store.messages.attach('pump', 'TCP'), { messageId, outcome: 'CONNECTION' })

      expect(await store.attempts(messageId)).toEqual([
        [1, 'MQTT', 'CONNECTION'],
        [2, 'TCP', null],
      ])
    })

    test('attach: the message in flight left its queue → no open attempt', async () => {
      const id = await store.put()
      await claimMessage(await attach())
      await store.complete(id)

      expect(await state()).toMatchObject({ sinceDispatchMs: 0, attempt: null })
    })

    test('attach: the duration of the attempt is over → the attempt is open, with no time left', async () => {
      const id = await store.put()
      await claimMessage(await attach())

      store.clock.advance(ATTEMPT_MS - 1)
      expect(await state()).toMatchObject({ attempt: { messageId: id, runningMs: 1 } })
      store.clock.advance(1)
      expect(await state()).toMatchObject({ attempt: { messageId: id, runningMs: 0 } })
    })

    test('attach: the store was reopened → the time since the dispatch', async () => {
      await store.put()
      await claimMessage(await attach())
      await store.reopen()
      store.clock.advance(400)

      expect(await state()).toMatchObject({ sinceDispatchMs: 400 })
    })

    test('attach: the device attaches again → the earlier lease is lost, and its claim takes nothing', async () => {
      const id = await store.put()
      const earlier = await attach()
      const later = await attach()

      expect(await earlier.claim(null, RULES)).toEqual({ is: 'lost' })
      expect(await claimMessage(later)).toMatchObject({ message: { id } })
    })

    test('claim: a lost lease reports the end of the attempt → the attempt runs on', async () => {
      const messageId = await store.put()
      const earlier = await attach()
      const { message } = await claimMessage(earlier)
      const later = await attach()

      expect(await earlier.claim(ended(message), RULES)).toEqual({ is: 'lost' })
      expect(await later.claim(null, RULES)).toEqual(inFlight(messageId, ATTEMPT_MS))
    })

    test('release: an attempt runs → the next holder finds it in flight and may end it', async () => {
      const id = await store.put()
      const earlier = await attach()
      await claimMessage(earlier)
      await earlier.release()

      const later = await attach()
      expect(later.state).toMatchObject({ sinceDispatchMs: 0, attempt: { messageId: id } })
      expect(await later.claim(null, RULES)).toMatchObject({ is: 'inFlight' })
      const again = await claimMessage(later, { messageId: id, outcome: 'CONNECTION' })
      expect(again.message.id).toBe(id)
    })

    test('release: a later lease exists → the later lease still claims', async () => {
      const id = await store.put()
      const earlier = await attach()
      const later = await attach()
      await earlier.release()

      expect(await claimMessage(later)).toMatchObject({ message: { id } })
    })
  })
}
