/** The part of the storage contract about what devices report with an acknowledgement. */
import { describe, expect, test } from 'vitest'
import type { Report } from '../../src/broker/vocabulary/message.ts'
import { NO_REPORT_TEXTS } from '../../src/broker/vocabulary/report-table.ts'
import type { AckStatus } from '../../src/broker/vocabulary/status.ts'
import { message } from '../_support/message.ts'
import { acknowledge, claimMessage, type OpenStore, useStore } from './store-under-test.ts'

const LATE_NONE = { lateStatus: null, lateAtMs: null, lateReason: null }

const LAST = message({ guarantee: 'ONLY_LAST', details: true })

function report(parts: Partial<Report> = {}): Report {
  return { ...NO_REPORT_TEXTS, result: null, resultDropped: false, ...parts }
}

export function reportContract(open: OpenStore): void {
  describe('reports', () => {
    const store = useStore(open)
    const send = (id: number, status: AckStatus, parts: Partial<Report> | null = null) =>
      acknowledge(store.messages, id, status, 'pump', parts && report(parts))
    const stored = async (id: number) => (await store.extras(id)).report

    test.each([
      [
        'big numbers, 1.0, spaces, escapes',
        '{ "b":1.0,"a":9007199254740993,"s":"\\u00e9\\/" }',
        'it’s "so"; --',
      ],
      ['a bare NUL and emoji', '"\0🚀"', 'before\0after 👩‍🔧'],
      ['a number', '1e400', ''],
      ['null', 'null', '\ufeff  x  '],
    ])('reports: %s → unchanged to the byte, also after a reopen', async (_what, result, reason) => {
      const id = await store.put({ details: true })
      const { transition } = (await send(id, 'COMPLETED', { result, reason })) ?? {}

      expect(transition?.details).toMatchObject({ result, reason })
      await store.reopen()
      expect(await stored(id)).toEqual({ ...report({ result, reason }), ...LATE_NONE })
    })

    test('reports: none → none is stored', async () => {
      const id = await store.put()
      await send(id, 'COMPLETED')

      expect(await stored(id)).toBeNull()
    })

    test('reports: DELIVERED, then COMPLETED → the later members replace the earlier ones', async () => {
      const id = await store.put({ details: true })
      await send(id, 'DELIVERED', { result: '1', reason: 'begun' })
      expect(await stored(id)).toMatchObject({ result: '1', reason: 'begun' })
      const outcome = await send(id, 'COMPLETED', { result: '2' })

      expect(outcome?.transition?.details).toMatchObject({ result: '2', reason: 'begun' })
      expect(await stored(id)).toMatchObject({ result: '2', reason: 'begun', resultDropped: false })
    })

    test('reports: a result, then a result that was dropped → no result, resultDropped', async () => {
      const id = await store.put()
      await send(id, 'DELIVERED', { result: '1' })
      await send(id, 'COMPLETED', { resultDropped: true, reason: 'done' })

      expect(await stored(id)).toMatchObject({ result: null, resultDropped: true, reason: 'done' })
    })

    test('reports: a repeated acknowledgement has another report → the first one stays', async () => {
      const id = await store.put()
      for (const status of ['DELIVERED', 'DELIVERED', 'COMPLETED', 'COMPLETED', 'DELIVERED'] as const)
        await send(id, status, {
          reason: `${status} ${store.clock.wallMs()}`,
          result: String(store.clock.wallMs()),
        })
      expect(await stored(id)).toMatchObject({ reason: `COMPLETED ${store.clock.wallMs()}`, ...LATE_NONE })
      store.clock.advance(1)
      await send(id, 'COMPLETED', { reason: 'again', result: '"again"' })

      expect(await stored(id)).toMatchObject({
        reason: `COMPLETED ${store.clock.wallMs() - 1}`,
        result: String(store.clock.wallMs() - 1),
        ...LATE_NONE,
      })
    })

    test.each([
      ['COMPLETED', 'COMPLETED_WITH_ERROR'],
      ['COMPLETED_WITH_ERROR', 'COMPLETED'],
    ] as const)(
      'reports: %s, then %s → LATE with the reason, and the result stays',
      async (first, second) => {
        const id = await store.put()
        await send(id, first, { result: '1', reason: 'first' })
        store.clock.advance(5)

        const unchanged = { status: first, transition: null }
        expect(await send(id, second, { result: '2', reason: 'second' })).toEqual(unchanged)
        const lateAtMs = store.clock.wallMs()
        const late = { lateStatus: second, lateAtMs, lateReason: 'second' }
        expect(await stored(id)).toEqual({ ...report({ result: '1', reason: 'first' }), ...late })
      },
    )

    test.each(['DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR'] as const)(
      'reports: cancelled, then %s → CANCELLED, and LATE',
      async (status) => {
        const id = await store.put({ details: true })
        await claimMessage(await store.messages.attach('pump', 'MQTT'))
        await store.messages.cancel(id, { by: null, force: true })

        expect(await send(id, status)).toEqual({ status: 'CANCELLED', transition: null })
        const late = { lateStatus: status, lateAtMs: store.clock.wallMs(), lateReason: null }
        expect(await stored(id)).toEqual({ ...report(), ...late })
      },
    )

    test('reports: two come late → the newest one is kept, also after a reopen', async () => {
      const id = await store.put()
      await store.messages.cancel(id, { by: null, force: false })
      await send(id, 'DELIVERED', { reason: 'one' })
      store.clock.advance(5)
      await send(id, 'COMPLETED', { reason: 'two' })
      await store.reopen()

      expect(await stored(id)).toMatchObject({
        lateStatus: 'COMPLETED',
        lateAtMs: store.clock.wallMs(),
        lateReason: 'two',
      })
    })

    test('reports: DELIVERED comes after a late final one → the final one is kept with its reason', async () => {
      const id = await store.put()
      await store.messages.cancel(id, { by: null, force: false })
      await send(id, 'COMPLETED', { reason: 'done' })
      const lateAtMs = store.clock.wallMs()
      store.clock.advance(5)
      expect(await send(id, 'DELIVERED', { reason: 'bare' })).toMatchObject({ status: 'CANCELLED' })

      expect(await stored(id)).toMatchObject({ lateStatus: 'COMPLETED', lateAtMs, lateReason: 'done' })
    })

    test('reports: the device of another message reports → null, and nothing is stored', async () => {
      const id = await store.put()
      await store.messages.cancel(id, { by: null, force: false })

      expect(await acknowledge(store.messages, id, 'COMPLETED', 'valve', report({ reason: 'x' }))).toBeNull()
      expect(await stored(id)).toBeNull()
    })

    test('details: superseded, acknowledged → the number of attempts and the time of the change', async () => {
      const superseded = await store.put({ details: true })
      store.clock.advance(5)
      const [first] = (await store.messages.enqueue(LAST, { messages: 10, bytes: 0 })).cancelled
      const atMs = store.clock.wallMs()
      expect(first).toMatchObject({ messageId: superseded })
      expect(first?.details).toEqual({ ...NO_REPORT_TEXTS, result: null, attempts: 0, atMs })
      const id = await store.headId()
      await store.poll()

      const outcome = await send(id as number, 'COMPLETED', { reason: 'done' })
      expect(outcome?.transition?.details).toMatchObject({ reason: 'done', result: null, attempts: 1, atMs })
    })
  })
}
