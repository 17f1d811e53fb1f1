/** The part of the storage contract about what survives a restart: attempts, deadlines, delays and terms. */
import { describe, expect, test } from 'vitest'
import { NO_REPORT_TEXTS } from '../../src/broker/vocabulary/report-table.ts'
import {
  ATTEMPT_MS,
  acknowledge,
  claimMessage,
  inFlight,
  type OpenStore,
  RULES,
  take,
  terms,
  useStore,
} from './store-under-test.ts'

export function reopenContract(open: OpenStore): void {
  describe('reopen', () => {
    const store = useStore(open)
    const attach = () => store.messages.attach('pump', 'MQTT')

    test('reopen: an attempt over a lease runs → its start, its number and the rest of its duration', async () => {
      const messageId = await store.put({ terms: terms({ maxAttempts: 4 }) })
      const lease = await attach()
      await claimMessage(lease)
      await claimMessage(lease, { messageId, outcome: 'TIMEOUT' })
      const atMs = store.clock.wallMs()
      store.clock.advance(300)
      await store.reopen()

      const attempt = { messageId, number: 2, counted: 2, maxAttempts: 4, atMs, runningMs: ATTEMPT_MS - 300 }
      const later = await attach()
      expect(later.state.attempt).toMatchObject(attempt)
      expect(await later.claim(null, RULES)).toEqual(inFlight(messageId, ATTEMPT_MS - 300))
      expect(await store.messages.head('pump')).toMatchObject({ message: { id: messageId }, attempt })
      const ended = { messageId, outcome: 'TIMEOUT' } as const
      expect((await claimMessage(later, ended)).message).toMatchObject({ number: 3, counted: 3 })
    })

    test('reopen: an attempt was over, and no call ended it → it is open, with no time left', async () => {
      const id = await store.put()
      await claimMessage(await attach())
      store.clock.advance(ATTEMPT_MS)
      await store.reopen()
      store.clock.advance(60_000)

      expect(await (await attach()).claim(null, RULES)).toEqual(inFlight(id, 0))
      expect(await store.messages.park('pump', { messageId: id, number: 1 })).toMatchObject({
        status: 'UNKNOWN',
      })
    })

    test('reopen: an attempt was ended → no open attempt, and the numbers continue', async () => {
      const messageId = await store.put()
      await claimMessage(await attach())
      await store.messages.setBusy('pump', 1_000)
      await store.reopen()

      const lease = await attach()
      expect(lease.state.attempt).toBeNull()
      expect((await claimMessage(lease)).message).toMatchObject({ id: messageId, number: 2, counted: 1 })
    })

    test('reopen: the attempts of polls → the numbers continue', async () => {
      await store.put()
      await store.poll()
      store.clock.advance(ATTEMPT_MS)
      await store.poll()
      store.clock.advance(100)
      await store.reopen()

      const attempt = { number: 2, counted: 2, runningMs: ATTEMPT_MS - 100 }
      expect(await store.messages.head('pump')).toMatchObject({ attempt })
      store.clock.advance(ATTEMPT_MS)
      expect((await store.poll()).message).toMatchObject({ number: 3, counted: 3 })
    })

    test('reopen: a delayed message → due at the same time', async () => {
      const id = await store.put({ terms: terms({ delaySeconds: 5 }) })
      const younger = await store.put()
      await store.reopen()
      store.clock.advance(4_999)
      expect(await store.headId()).toBe(younger)
      store.clock.advance(1)

      expect(await store.headId()).toBe(id)
      await store.reopen()
      expect(await store.headId()).toBe(id)
    })

    test('reopen: deadlines passed meanwhile → they are carried out, with the details of each', async () => {
      const details = true
      const expired = await store.put({ details, terms: terms({ validSeconds: 5 }) })
      const unfinished = await store.put({ details, terms: terms({ finishSeconds: 6 }) })
      const running = await store.put({ details, terms: terms({ validSeconds: 7 }) })
      await acknowledge(store.messages, unfinished, 'DELIVERED', 'pump', {
        ...{ ...NO_REPORT_TEXTS, reason: 'begun', result: '1', resultDropped: false },
      })
      await take(store.messages, expired, {})
      await store.reopen()
      store.clock.advance(ATTEMPT_MS)

      const { settled, nextInMs } = await store.messages.expire(1_000)

      const found = new Map(settled.map((each) => [each.messageId, each]))
      const atMs = store.clock.wallMs()
      const none = { reason: null, result: null, atMs }
      expect(found.get(expired)).toMatchObject({
        cause: 'EXPIRED',
        status: 'UNKNOWN',
        details: { attempts: 1 },
      })
      const notFinished = { reason: 'begun', result: '1', attempts: 0, atMs }
      expect(found.get(unfinished)).toMatchObject({ cause: 'NOT_FINISHED', details: notFinished })
      expect(found.get(running)).toMatchObject({ status: 'CANCELLED', details: { ...none, attempts: 0 } })
      expect(nextInMs).toBeNull()
    })

    test('reopen: a deadline is not over → the time until it', async () => {
      await store.put({ terms: terms({ validSeconds: 9 }) })
      const id = await store.put({ terms: terms({ finishSeconds: 5 }) })
      await acknowledge(store.messages, id, 'DELIVERED')
      await store.reopen()
      store.clock.advance(1_000)

      expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: 4_000 })
      expect((await store.messages.line('pump')).unfinished).toEqual([{ messageId: id, forMs: 4_000 }])
    })

    test('reopen: a parked message → it stays parked', async () => {
      const id = await store.put()
      await claimMessage(await attach())
      await store.messages.park('pump', { messageId: id, number: 1 })
      await store.reopen()

      expect(await (await attach()).claim(null, RULES)).toMatchObject({ is: 'empty' })
      expect(await store.messages.status(id)).toBe('UNKNOWN')
    })
  })
}
