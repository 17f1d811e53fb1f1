/** The part of the storage contract about open attempts that no connection waits for: they are listed, and ended. */
import { describe, expect, test } from 'vitest'
import type { DispatchedMessage } from '../../src/broker/vocabulary/message.ts'
import {
  ATTEMPT_MS,
  acknowledge,
  claimMessage,
  ended,
  expectEvent,
  type OpenStore,
  RULES,
  recordEvents,
  terms,
  useStore,
} from './store-under-test.ts'

export function openAttemptContract(open: OpenStore): void {
  describe('open attempts', () => {
    const store = useStore(open)
    const end = (message: DispatchedMessage) => store.messages.endAttempt('pump', ended(message))

    test('openAttempts: of a poll, over a lease, none → the first two, with the rest of their time', async () => {
      const polled = await store.put()
      await store.poll()
      const claimed = await store.put({ deviceId: 'valve', terms: terms({ maxAttempts: 3 }) })
      store.clock.advance(400)
      await claimMessage(await store.messages.attach('valve', 'MQTT'))
      await store.put({ deviceId: 'lamp' })

      const found = [...(await store.messages.openAttempts())]
      expect(found.sort((a, b) => a.messageId - b.messageId)).toMatchObject([
        { deviceId: 'pump', messageId: polled, number: 1, counted: 1, runningMs: ATTEMPT_MS - 400 },
        { deviceId: 'valve', messageId: claimed, maxAttempts: 3, runningMs: ATTEMPT_MS },
      ])
      await store.complete(polled)
      await store.complete(claimed, 'valve')
      expect(await store.messages.openAttempts()).toEqual([])
    })

    test('openAttempts: after a reopen → as before; one whose time is over has no rest', async () => {
      const id = await store.put()
      const { message } = await store.poll()
      store.clock.advance(ATTEMPT_MS)
      await store.reopen()

      const attempt = { deviceId: 'pump', messageId: id, number: 1, atMs: message.atMs, runningMs: 0 }
      expect(await store.messages.openAttempts()).toMatchObject([attempt])
      expect(await end(message)).toBe(true)
      expect(await store.messages.openAttempts()).toEqual([])
    })

    test('endAttempt: TIMEOUT of a poll → deliveredError, also after a reopen, and the next attempt has the next number', async () => {
      const id = await store.put()
      const { message } = await store.poll()
      store.clock.advance(ATTEMPT_MS)

      expect(await end(message)).toBe(true)
      expect(await store.messages.head('pump')).toMatchObject({ message: { id }, attempt: null })
      await store.reopen()
      expect(await store.record(id)).toMatchObject({ status: 'NOT_DELIVERED', deliveredError: true })
      expect(await store.attempts(id)).toEqual([[1, 'REST', 'TIMEOUT']])
      expect((await store.poll()).message).toMatchObject({ id, number: 2, counted: 2 })
    })

    test('endAttempt: TIMEOUT over a lease → the next claim takes the message again', async () => {
      const id = await store.put()
      const lease = await store.messages.attach('pump', 'MQTT')
      const { message } = await claimMessage(lease)

      expect(await end(message)).toBe(true)
      expect((await claimMessage(lease, ended(message))).message).toMatchObject({ id, number: 2 })
      expect(await store.attempts(id)).toEqual([
        [1, 'MQTT', 'TIMEOUT'],
        [2, 'MQTT', null],
      ])
    })

    test('endAttempt: something else ended it, or another one began, or another device → false', async () => {
      const id = await store.put()
      const { message: first } = await store.poll()
      expect(await store.messages.endAttempt('valve', ended(first))).toBe(false)
      store.clock.advance(ATTEMPT_MS)
      const { message: second } = await store.poll()
      expect(await end(first)).toBe(false)
      await store.messages.setBusy('pump', 1)
      expect(await end(second)).toBe(false)
      const { message: third } = await store.poll()
      await acknowledge(store.messages, id, 'DELIVERED')
      expect(await end(third)).toBe(false)
    })

    test('endAttempt: the device is deaf, so that the number is repeated → the attempt of that time alone', async () => {
      await store.put()
      const rules = { ...RULES, deaf: true }
      const { message: first } = await store.poll(rules)
      store.clock.advance(ATTEMPT_MS)
      const { message: second } = await store.poll(rules)

      expect(second.number).toBe(first.number)
      expect(await end(first)).toBe(false)
      expect(await end(second)).toBe(true)
    })

    test('endAttempt: the validity of the message is over → its deadline is due', async () => {
      const id = await store.put({ terms: terms({ validSeconds: 5 }) })
      const { message } = await store.poll()
      store.clock.advance(6_000)
      await store.messages.expire(1_000)
      const events = recordEvents(store.messages)

      expect(await end(message)).toBe(true)
      await expectEvent(events, { is: 'deadline', inMs: 0 })
      expect((await store.messages.expire(1_000)).settled).toMatchObject([
        { messageId: id, status: 'UNKNOWN' },
      ])
    })

    test('head, take: the attempt of a younger message is over → the older one, and the attempt ends as TIMEOUT', async () => {
      const older = await store.put({ terms: terms({ delaySeconds: 5 }) })
      const younger = await store.put()
      await store.poll()
      store.clock.advance(5_000)
      expect(await store.headId()).toBe(younger)
      store.clock.advance(ATTEMPT_MS - 5_000)

      const attempt = { messageId: younger, runningMs: 0 }
      expect(await store.messages.head('pump')).toMatchObject({ message: { id: older }, attempt })
      expect((await store.poll()).message).toMatchObject({ id: older, number: 1 })
      expect(await store.attempts(younger)).toEqual([[1, 'REST', 'TIMEOUT']])
      expect(await store.record(younger)).toMatchObject({ deliveredError: true })
      await store.complete(older)
      expect((await store.poll()).message).toMatchObject({ id: younger, number: 2 })
    })

    test('take: NO, while the attempt of a younger message is over → DELIVERED, and the attempt ends', async () => {
      const once = await store.put({ guarantee: 'NO', terms: terms({ delaySeconds: 5 }) })
      const younger = await store.put()
      await store.poll()
      store.clock.advance(ATTEMPT_MS)

      expect(await store.poll()).toMatchObject({ message: { id: once }, transition: { status: 'DELIVERED' } })
      expect(await store.attempts(younger)).toEqual([[1, 'REST', 'TIMEOUT']])
      expect((await store.poll()).message).toMatchObject({ id: younger, number: 2 })
    })

    test('head, take: the validity of the message with the attempt is over too → the next one', async () => {
      await store.put({ terms: terms({ validSeconds: 5 }) })
      const next = await store.put()
      await store.poll()
      store.clock.advance(ATTEMPT_MS)

      expect((await store.poll()).message).toMatchObject({ id: next, number: 1 })
    })

    test('two nodes: the other one is gone → attempts-left, and its attempt is listed and ended here', async ({
      skip,
    }) => {
      if (!store.second) return skip('the driver has one node')
      const second = await store.second()
      const id = await store.put()
      const { message } = await store.poll()
      const events = recordEvents(second)
      // The reopened store is a third node.
      await store.reopen()

      await expectEvent(events, { is: 'attempts-left' })
      expect(await second.openAttempts()).toMatchObject([{ deviceId: 'pump', messageId: id }])
      expect(await second.endAttempt('pump', ended(message))).toBe(true)
    })
  })
}
