/** The part of the storage contract about devices that asked for a pause. */
import { describe, expect, test } from 'vitest'
import {
  claimMessage,
  ended,
  expectEvent,
  type OpenStore,
  RULES,
  recordEvents,
  terms,
  useStore,
} from './store-under-test.ts'

export function busyContract(open: OpenStore): void {
  describe('busy', () => {
    const store = useStore(open)
    const busy = async () => Object.fromEntries(await store.messages.busyDevices())

    test('busy: two devices ask for a pause → the rest of each until it is over, also after a reopen', async () => {
      expect(await busy()).toEqual({})
      await store.messages.setBusy('pump', 60_000)
      store.clock.advance(1_000)
      await store.messages.setBusy('valve', 2_000)
      expect(await busy()).toEqual({ pump: 59_000, valve: 2_000 })
      await store.reopen()
      expect(await busy()).toEqual({ pump: 59_000, valve: 2_000 })

      store.clock.advance(2_000)
      expect(await busy()).toEqual({ pump: 57_000 })
    })

    test('busy: a later pause is shorter, or 0 → the later one holds', async () => {
      await store.messages.setBusy('pump', 60_000)
      await store.messages.setBusy('pump', 5_000)
      expect(await busy()).toEqual({ pump: 5_000 })
      await store.messages.setBusy('pump', 0)

      expect(await busy()).toEqual({})
      await store.reopen()
      expect(await busy()).toEqual({})
    })

    test('busy: a pause begins and ends, ten times → reported to this node before each call resolves', async () => {
      const events = recordEvents(store.messages)
      for (let forMs = 10_000; forMs > 0; forMs -= 1_000) {
        await store.messages.setBusy('pump', forMs)
        expect(events.at(-1)).toEqual({ is: 'busy', deviceId: 'pump', forMs })
        await store.messages.setBusy('pump', 0)
        expect(events.at(-1)).toEqual({ is: 'busy', deviceId: 'pump', forMs: 0 })
      }
    })

    test('busy: an attempt over a lease runs → it ends as BUSY, and the same message is next', async () => {
      const messageId = await store.put()
      await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      await claimMessage(lease)
      await store.messages.setBusy('pump', 1_000)

      expect((await store.messages.line('pump')).attempt).toBeNull()
      expect(await store.attempts(messageId)).toEqual([[1, 'MQTT', 'BUSY']])
      expect(await store.record(messageId)).toMatchObject({ status: 'NOT_DELIVERED', deliveredError: false })
      store.clock.advance(1_000)
      expect((await claimMessage(lease)).message).toMatchObject({ id: messageId, number: 2, counted: 1 })
    })

    test('busy: attempts that ended as BUSY → they do not count, and the duration is that of the first', async () => {
      const messageId = await store.put({ terms: terms({ maxAttempts: 2 }) })
      const lease = await store.messages.attach('pump', 'MQTT')
      const rules = { ...RULES, durationsMs: [10, 20] }
      await claimMessage(lease, null, rules)
      await claimMessage(lease, { messageId, outcome: 'TIMEOUT' }, rules)
      for (let n = 0; n < 2; n++) {
        await store.messages.setBusy('pump', 1_000)
        store.clock.advance(1_000)
        expect((await claimMessage(lease, null, rules)).message).toMatchObject({ number: 3 + n, counted: 2 })
      }

      expect((await store.messages.line('pump')).attempt).toMatchObject({ counted: 2, runningMs: 20 })
      await store.reopen()
      expect((await store.messages.line('pump')).attempt).toMatchObject({ number: 4, counted: 2 })
    })

    test('busy: the attempt of a poll runs → it ends as BUSY, and the next poll has the next number', async () => {
      const id = await store.put()
      await store.poll()
      await store.messages.setBusy('pump', 1_000)

      expect(await store.attempts(id)).toEqual([[1, 'REST', 'BUSY']])
      expect(await store.messages.head('pump')).toMatchObject({ message: { id }, attempt: null })
      expect((await store.poll()).message).toMatchObject({ number: 2, counted: 1 })
    })

    test('busy: 0 while an attempt runs → the attempt runs on', async () => {
      const id = await store.put()
      await claimMessage(await store.messages.attach('pump', 'MQTT'))
      await store.messages.setBusy('pump', 0)

      expect((await store.messages.line('pump')).attempt).toMatchObject({ messageId: id, number: 1 })
    })

    test('busy: another device has an attempt → it runs on', async () => {
      const id = await store.put({ deviceId: 'valve' })
      await claimMessage(await store.messages.attach('valve', 'MQTT'))
      await store.messages.setBusy('pump', 1_000)

      expect((await store.messages.line('valve')).attempt).toMatchObject({ messageId: id })
    })

    test('busy: a claim ends the attempt that the pause ended → it takes the message again, BUSY stays', async () => {
      const messageId = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      const { message } = await claimMessage(lease)
      await store.messages.setBusy('pump', 1_000)

      await claimMessage(lease, ended(message))
      expect(await store.attempts(messageId)).toEqual([
        [1, 'MQTT', 'BUSY'],
        [2, 'MQTT', null],
      ])
      expect(await store.record(messageId)).toMatchObject({ deliveredError: false })
    })

    test('watch: a pause, and its end → busy with the time, busy with 0', async () => {
      const events = recordEvents(store.messages)
      await store.messages.setBusy('pump', 1_000)
      await expectEvent(events, { is: 'busy', deviceId: 'pump', forMs: 1_000 })
      await store.messages.setBusy('pump', 0)
      await expectEvent(events, { is: 'busy', deviceId: 'pump', forMs: 0 })
    })
  })
}
