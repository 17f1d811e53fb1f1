/** The part of the storage contract about attempts: numbers, durations and ends. */
import { describe, expect, test } from 'vitest'
import type {
  AttemptOutcome,
  AttemptRules,
  DeviceLease,
  EndedAttempt,
} from '../../src/broker/contract/device-lease.ts'
import {
  ATTEMPT_MS,
  acknowledge,
  claimMessage,
  ended,
  inFlight,
  type OpenStore,
  RULES,
  terms,
  useStore,
} from './store-under-test.ts'

const GROWING: AttemptRules = { ...RULES, durationsMs: [10, 20, 30] }
const DEAF: AttemptRules = { durationsMs: [10, 20, 30], paced: true, deaf: true }

export function attemptContract(open: OpenStore): void {
  describe('attempts', () => {
    const store = useStore(open)
    const attach = () => store.messages.attach('pump', 'MQTT')
    const again = async (lease: DeviceLease, messageId: number, rules = RULES) => {
      const { message } = await claimMessage(lease, { messageId, outcome: 'TIMEOUT' }, rules)
      return message
    }

    test('attempts: three over a lease → numbers from 1, each with its end', async () => {
      const messageId = await store.put()
      const lease = await attach()
      const given = [(await claimMessage(lease)).message]
      for (const outcome of ['TIMEOUT', 'CONNECTION'] as const) {
        store.clock.advance(5)
        given.push((await claimMessage(lease, { messageId, outcome })).message)
      }

      expect(given.map(({ number, counted }) => [number, counted])).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ])
      expect(await store.attempts(messageId)).toEqual([
        [1, 'MQTT', 'TIMEOUT'],
        [2, 'MQTT', 'CONNECTION'],
        [3, 'MQTT', null],
      ])
      const { attempts, attemptCount } = await store.extras(messageId)
      expect(attempts.map(({ atMs }) => atMs)).toEqual(given.map(({ atMs }) => atMs))
      expect(attemptCount).toBe(3)
    })

    test('attempts: durations of 10, 20, 30 ms → those of the first three, and the last one for all further', async () => {
      const id = await store.put()
      const lease = await attach()
      await claimMessage(lease, null, GROWING)

      for (const durationMs of [10, 20, 30, 30]) {
        expect(await lease.claim(null, GROWING)).toEqual(inFlight(id, durationMs))
        store.clock.advance(durationMs)
        expect(await lease.claim(null, GROWING)).toEqual(inFlight(id, 0))
        await again(lease, id, GROWING)
      }
    })

    test.each([
      ['TIMEOUT', true],
      ['CONNECTION', false],
    ] as const)('attempts: one ends as %s → deliveredError is %s', async (outcome, deliveredError) => {
      const messageId = await store.put()
      const lease = await attach()
      await claimMessage(lease)
      expect(await store.record(messageId)).toMatchObject({ deliveredError: false })
      await claimMessage(lease, { messageId, outcome })

      expect(await store.record(messageId)).toMatchObject({ deliveredError })
    })

    test('attempts: one is over, and no call ended it → claims take nothing, and the next lease has it', async () => {
      const id = await store.put({ terms: terms({ maxAttempts: 2 }) })
      await store.put()
      const lease = await attach()
      const { message } = await claimMessage(lease)
      store.clock.advance(ATTEMPT_MS + 5)

      const attempt = {
        messageId: id,
        number: 1,
        counted: 1,
        maxAttempts: 2,
        runningMs: 0,
        atMs: message.atMs,
      }
      const other: EndedAttempt = { ...ended(message), messageId: id + 1 }
      for (const each of [null, other])
        expect(await lease.claim(each, RULES)).toMatchObject({ is: 'inFlight', attempt })
      expect((await attach()).state.attempt).toMatchObject(attempt)
      expect((await store.messages.line('pump')).attempt).toMatchObject(attempt)
      expect(await store.messages.head('pump')).toMatchObject({ message: { id }, attempt })
      expect(await store.attempts(id)).toEqual([[1, 'MQTT', null]])
    })

    test('attempts: an answer is refused → the open attempt has the latest reason, also after a reopen, and stays open', async () => {
      const refusals = async (id: number) => (await store.extras(id)).attempts.map(({ refused }) => refused)
      expect(await store.messages.refuseAnswer('pump', 'nothing is in flight')).toBeNull()
      const first = await store.put()
      const second = await store.put()
      expect(await store.messages.refuseAnswer('pump', 'never dispatched')).toBeNull()
      const lease = await attach()
      const { message } = await claimMessage(lease)
      expect(await store.messages.refuseAnswer('pump', 'no JSON')).toBe(first)
      expect(await store.messages.refuseAnswer('pump', 'no JSON: \u{1f600}')).toBe(first)
      expect((await store.messages.line('pump')).attempt).toMatchObject({
        messageId: first,
        atMs: message.atMs,
      })
      await again(lease, first)
      expect(await refusals(first)).toEqual(['no JSON: \u{1f600}', null])
      await store.reopen()
      expect(await refusals(first)).toEqual(['no JSON: \u{1f600}', null])

      await store.complete(first)
      expect(await store.messages.refuseAnswer('pump', 'too late')).toBeNull()
      await store.poll()
      expect(await store.messages.refuseAnswer('pump', 'of a poll')).toBe(second)
      expect(await store.attempts(second)).toEqual([[1, 'REST', null]])
      expect(await refusals(second)).toEqual(['of a poll'])
      await store.reopen()
      expect((await store.messages.head('pump'))?.attempt).toMatchObject({ messageId: second, number: 1 })
      await store.complete(second)
      expect(await store.record(second)).toMatchObject({ status: 'COMPLETED' })
    })

    test('attempts: an answer is refused, the attempt of a poll ends → one row, with its end and the reason', async () => {
      const id = await store.put()
      await store.poll()
      await store.messages.refuseAnswer('pump', 'no JSON')
      store.clock.advance(ATTEMPT_MS)
      await store.poll()
      expect(await store.attempts(id)).toEqual([
        [1, 'REST', 'TIMEOUT'],
        [2, 'REST', null],
      ])
      expect((await store.extras(id)).attempts.map(({ refused }) => refused)).toEqual(['no JSON', null])
    })

    test('attempts: an acknowledgement comes during or after the attempt → it counts, and ends the attempt', async () => {
      const ids = [await store.put(), await store.put()]
      const lease = await attach()
      for (const [n, id] of ids.entries()) {
        await claimMessage(lease)
        store.clock.advance(n * ATTEMPT_MS)
        expect(await acknowledge(store.messages, id, 'DELIVERED')).toMatchObject({ status: 'DELIVERED' })
        expect(await store.attempts(id)).toEqual([[1, 'MQTT', null]])
      }

      expect((await store.messages.line('pump')).attempt).toBeNull()
      expect(await lease.claim(null, RULES)).toMatchObject({ is: 'empty' })
    })

    test('attempts: polls after each other → each over attempt ends as TIMEOUT, and the numbers grow', async () => {
      const id = await store.put()
      for (const number of [1, 2, 3]) {
        expect((await store.poll()).message).toMatchObject({ id, number, counted: number })
        store.clock.advance(ATTEMPT_MS)
      }

      expect((await store.attempts(id)).slice(0, 2)).toEqual([
        [1, 'REST', 'TIMEOUT'],
        [2, 'REST', 'TIMEOUT'],
      ])
      expect(await store.record(id)).toMatchObject({ deliveredError: true })
    })

    test('attempts: two polls with one look at the head → the first takes, the second gets null', async () => {
      await store.put()
      await store.poll()
      store.clock.advance(ATTEMPT_MS)
      const head = await store.messages.head('pump')
      if (!head) throw new Error('The queue is empty.')

      const take = () => store.messages.take('pump', head, RULES)
      const taken = await Promise.all([take(), take()])

      expect(taken.map((each) => each?.message.number ?? null).toSorted()).toEqual([2, null])
    })

    test('attempts: a poll, then a lease → the lease finds the attempt of the poll and continues its numbers', async () => {
      const id = await store.put()
      await store.poll()
      const lease = await attach()

      expect(lease.state.attempt).toMatchObject({ messageId: id, number: 1, runningMs: ATTEMPT_MS })
      expect(await lease.claim(null, RULES)).toEqual(inFlight(id, ATTEMPT_MS))
      expect(await again(lease, id)).toMatchObject({ number: 2, counted: 2 })
      expect(await store.attempts(id)).toEqual([
        [1, 'REST', 'TIMEOUT'],
        [2, 'MQTT', null],
      ])
    })

    test.each([
      ['any device', RULES, 2],
      ['a deaf device, so that the number is the same', DEAF, 1],
    ])(
      'attempts: a claim ends the one before that of a poll, %s → the attempt of the poll runs on',
      async (_case, rules, number) => {
        const messageId = await store.put()
        const lease = await attach()
        const { message } = await claimMessage(lease)
        store.clock.advance(ATTEMPT_MS)
        const { atMs } = (await store.poll(rules)).message

        const running = { is: 'inFlight', attempt: { messageId, number, atMs } }
        for (const outcome of ['TIMEOUT', 'CONNECTION'] as const)
          expect(await lease.claim(ended(message, outcome), RULES)).toMatchObject(running)
        expect((await store.attempts(messageId)).at(-1)).toEqual([number, 'REST', null])
        expect(await claimMessage(lease, ended({ ...message, number, atMs }))).toMatchObject({
          message: { number: number + 1 },
        })
      },
    )

    test('attempts: a poll is paced → the time since the dispatch', async () => {
      await store.put()
      await store.poll({ ...RULES, paced: false })
      expect((await store.messages.line('pump')).sinceDispatchMs).toBeNull()
      store.clock.advance(ATTEMPT_MS)
      await store.poll()
      store.clock.advance(70)

      expect((await store.messages.line('pump')).sinceDispatchMs).toBe(70)
    })

    test('attempts: a message has terms → each attempt has its limit, the rest of its validity, its finish time', async () => {
      const id = await store.put({ terms: terms({ validSeconds: 60, finishSeconds: 7, maxAttempts: 3 }) })
      store.clock.advance(1_500)
      const lease = await attach()

      const own = { maxAttempts: 3, finishSeconds: 7 }
      expect((await claimMessage(lease)).message).toMatchObject({ ...own, remainingMs: 58_500 })
      store.clock.advance(500)
      expect(await again(lease, id)).toMatchObject({ ...own, number: 2, remainingMs: 58_000 })
      expect((await attach()).state.attempt).toMatchObject({ ...own, number: 2, remainingMs: 58_000 })
    })

    test('attempts: further ones with a deaf device → the number and the row of the last one', async () => {
      const id = await store.put()
      const lease = await attach()
      await claimMessage(lease, null, DEAF)
      await again(lease, id, GROWING)

      for (let times = 0; times < 3; times++) {
        store.clock.advance(1_000)
        const { number, counted, atMs } = await again(lease, id, DEAF)
        expect([number, counted, atMs]).toEqual([2, 2, store.clock.wallMs()])
        expect(await lease.claim(null, DEAF)).toEqual(inFlight(id, 20))
      }
      expect(await store.extras(id)).toMatchObject({
        attemptCount: 2,
        attempts: [{ number: 1 }, { number: 2, atMs: store.clock.wallMs(), outcome: null }],
      })
      expect(await again(lease, id, GROWING)).toMatchObject({ number: 3, counted: 3 })
    })

    test('attempts: polls of a deaf device → the number of the last one', async () => {
      const id = await store.put()
      for (let polls = 0; polls < 3; polls++) {
        expect((await store.poll(DEAF)).message).toMatchObject({ number: 1, counted: 1 })
        store.clock.advance(ATTEMPT_MS)
      }

      expect(await store.extras(id)).toMatchObject({ attemptCount: 1 })
    })

    test('attempts: two polls of a deaf device with one look at the head → the second gets null', async () => {
      await store.put()
      await store.poll(DEAF)
      store.clock.advance(ATTEMPT_MS)
      const head = await store.messages.head('pump')
      if (!head) throw new Error('The queue is empty.')

      const take = () => store.messages.take('pump', head, DEAF)
      const taken = await Promise.all([take(), take()])

      expect(taken.map((each) => each?.message.number ?? null).toSorted()).toEqual([1, null])
    })

    test('attempts: the last one with a deaf device ended as BUSY → its row stays, the next one has a number', async () => {
      const messageId = await store.put()
      const lease = await attach()
      await claimMessage(lease)
      await again(lease, messageId)
      await store.messages.setBusy('pump', 1_000)

      expect((await claimMessage(lease, null, DEAF)).message).toMatchObject({ number: 3, counted: 2 })
      expect(await store.attempts(messageId)).toEqual([
        [1, 'MQTT', 'TIMEOUT'],
        [2, 'MQTT', 'BUSY'],
        [3, 'MQTT', null],
      ])
    })

    test('attempts: a message with its own limit to a deaf device → the numbers grow', async () => {
      const id = await store.put({ terms: terms({ maxAttempts: 5 }) })
      const lease = await attach()
      await claimMessage(lease, null, DEAF)

      for (const number of [2, 3])
        expect(await again(lease, id, DEAF)).toMatchObject({ number, counted: number })
    })

    test('attempts: 105 with one message → the count of all, and the newest hundred', async () => {
      const messageId = await store.put()
      const lease = await attach()
      const outcome: AttemptOutcome = 'CONNECTION'
      await claimMessage(lease)
      for (let n = 2; n <= 105; n++) await claimMessage(lease, { messageId, outcome })

      const { attempts, attemptCount } = await store.extras(messageId)
      expect(attemptCount).toBe(105)
      expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, n) => n + 6))
    })
  })
}
