/** The part of the storage contract about finish deadlines: the time from DELIVERED to a final status. */

import { describe, expect, test } from 'vitest'
import type { AckStatus } from '../../src/broker/vocabulary/status.ts'
import { NO_TERMS, toStoredTerms } from '../../src/broker/vocabulary/term-table.ts'
import {
  acknowledge,
  claimMessage,
  expectEvent,
  type OpenStore,
  ORDER,
  recordEvents,
  terms,
  useStore,
} from './store-under-test.ts'

const FINISH_MS = 7_000
const FINISH = { terms: terms({ finishSeconds: 7 }) }

export function finishContract(open: OpenStore): void {
  describe('finish', () => {
    const store = useStore(open)
    const report = (id: number, status: AckStatus) => acknowledge(store.messages, id, status)
    const unfinished = async () => (await store.messages.line('pump')).unfinished

    test('expire: DELIVERED → unchanged until the deadline, UNKNOWN at it', async () => {
      const id = await store.put(FINISH)
      store.clock.advance(1_000)
      await report(id, 'DELIVERED')
      store.clock.advance(FINISH_MS - 1)
      expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: 1 })
      store.clock.advance(1)

      const change = { messageId: id, deviceId: 'pump', status: 'UNKNOWN', cause: 'NOT_FINISHED' }
      const settled = [{ ...change, replyTo: null, details: null, order: ORDER, attempts: 0 }]
      expect(await store.messages.expire(1_000)).toEqual({ settled, nextInMs: null })

      const atMs = store.clock.wallMs()
      await store.reopen()
      expect(await store.record(id)).toMatchObject({
        status: 'UNKNOWN',
        cause: 'NOT_FINISHED',
        changedAtMs: atMs,
      })
      const { changes } = await store.extras(id)
      expect(changes).toEqual([{ atMs, status: 'UNKNOWN', cause: 'NOT_FINISHED', by: null }])
    })

    test('expire: still pending, or finished → no change', async () => {
      const pending = await store.put(FINISH)
      const finished = await store.put(FINISH)
      await report(finished, 'DELIVERED')
      await report(finished, 'COMPLETED')
      const atOnce = await store.put(FINISH)
      await report(atOnce, 'COMPLETED_WITH_ERROR')
      store.clock.advance(FINISH_MS)

      expect((await store.messages.expire(1_000)).settled).toEqual([])
      expect(await store.messages.status(pending)).toBe('NOT_DELIVERED')
      expect(await store.messages.status(finished)).toBe('COMPLETED')
      expect(await store.messages.status(atOnce)).toBe('COMPLETED_WITH_ERROR')
    })

    test('acknowledge: DELIVERED after NOT_FINISHED → unchanged; a final status → it counts', async () => {
      const id = await store.put(FINISH)
      await report(id, 'DELIVERED')
      store.clock.advance(FINISH_MS)
      await store.messages.expire(1_000)

      expect(await report(id, 'DELIVERED')).toEqual({ status: 'UNKNOWN', transition: null })
      expect((await store.extras(id)).report).toBeNull()
      expect(await report(id, 'COMPLETED')).toMatchObject({ transition: { status: 'COMPLETED' } })
    })

    test('replay: a message that was not finished → pending, and the deadline starts again at DELIVERED', async () => {
      const id = await store.put(FINISH)
      await claimMessage(await store.messages.attach('pump', 'MQTT'))
      await report(id, 'DELIVERED')
      store.clock.advance(FINISH_MS)
      await store.messages.expire(1_000)
      await store.messages.replay(id, { by: null, limits: { messages: 10, bytes: 0 } })
      expect((await store.poll()).message).toMatchObject({ id, number: 2, counted: 1 })
      store.clock.advance(FINISH_MS)
      expect((await store.messages.expire(1_000)).settled).toEqual([])
      await report(id, 'DELIVERED')
      store.clock.advance(FINISH_MS - 1)
      expect((await store.messages.expire(1_000)).settled).toEqual([])
      store.clock.advance(1)

      expect(await store.messages.expire(1_000)).toMatchObject({
        settled: [{ messageId: id, cause: 'NOT_FINISHED' }],
      })
    })

    test('line: a deadline runs, is finished, is over → unfinished has it while it runs', async () => {
      const [first, second] = [await store.put(FINISH), await store.put(FINISH)]
      await store.put({ ...FINISH, deviceId: 'valve' })
      expect(await unfinished()).toEqual([])
      await report(first, 'DELIVERED')
      await report(second, 'DELIVERED')
      store.clock.advance(500)

      const forMs = FINISH_MS - 500
      expect(await unfinished()).toEqual([
        { messageId: first, forMs },
        { messageId: second, forMs },
      ])
      await report(first, 'COMPLETED')
      const { state } = await store.messages.attach('pump', 'MQTT')
      expect(state.unfinished).toEqual([{ messageId: second, forMs }])
      store.clock.advance(forMs)
      await store.messages.expire(1_000)
      expect(await unfinished()).toEqual([])
    })

    test('line: DELIVERED is repeated → the deadline runs on', async () => {
      const id = await store.put(FINISH)
      await report(id, 'DELIVERED')
      store.clock.advance(1_000)
      await report(id, 'DELIVERED')

      expect(await unfinished()).toEqual([{ messageId: id, forMs: FINISH_MS - 1_000 }])
    })

    test('line: two DELIVERED at once for a parked message → the deadline runs', async () => {
      const id = await store.put(FINISH)
      const lease = await store.messages.attach('pump', 'MQTT')
      const { message } = await claimMessage(lease)
      await store.messages.park('pump', { messageId: id, number: message.number })
      await Promise.all([report(id, 'DELIVERED'), report(id, 'DELIVERED')])

      expect(await unfinished()).toEqual([{ messageId: id, forMs: FINISH_MS }])
    })

    test('watch: the deadline starts and ends → unfinished with its time, deadline, unfinished with null', async () => {
      const messageId = await store.put(FINISH)
      const events = recordEvents(store.messages)
      await report(messageId, 'DELIVERED')

      const event = { is: 'unfinished', deviceId: 'pump', messageId } as const
      await expectEvent(events, { ...event, forMs: FINISH_MS })
      await expectEvent(events, { is: 'deadline', inMs: FINISH_MS })
      await report(messageId, 'COMPLETED')
      await expectEvent(events, { ...event, forMs: null })
    })

    test('watch: the deadline is over → unfinished with null', async () => {
      const messageId = await store.put(FINISH)
      await report(messageId, 'DELIVERED')
      const events = recordEvents(store.messages)
      store.clock.advance(FINISH_MS)
      await store.messages.expire(1_000)

      await expectEvent(events, { is: 'unfinished', deviceId: 'pump', messageId, forMs: null })
    })

    test('extras: DELIVERED, then COMPLETED → the terms have the time of the deadline while it runs', async () => {
      const id = await store.put({ terms: terms({ finishSeconds: 7, validSeconds: 60, maxAttempts: 2 }) })
      const expiresAtMs = store.clock.wallMs() + 60_000
      const own = {
        ...toStoredTerms(NO_TERMS, 0),
        expiresAtMs,
        finishSeconds: 7,
        maxAttempts: 2,
        details: false,
      }
      expect((await store.extras(id)).terms).toEqual({ ...own, finishAtMs: null })
      await report(id, 'DELIVERED')
      expect((await store.extras(id)).terms).toEqual({ ...own, finishAtMs: store.clock.wallMs() + FINISH_MS })
      await report(id, 'COMPLETED')
      expect((await store.extras(id)).terms).toEqual({ ...own, finishAtMs: null })
    })
  })
}
