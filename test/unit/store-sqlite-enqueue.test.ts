/** Enqueue in SQLite: idempotency keys, `replaces`, the limits of a queue, and the rows of terms. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { QueueLimits, StoreEvent } from '../../src/broker/contract/store.ts'
import type { NewMessage } from '../../src/broker/vocabulary/message.ts'
import { NO_TERMS, toStoredTerms } from '../../src/broker/vocabulary/term-table.ts'
import { allEvents } from '../_support/all-events.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'
import { alter, databaseIn } from '../_support/stored.ts'

const NO_LIMITS: QueueLimits = { messages: 1_000_000, bytes: 0 }
const RULES = { durationsMs: [30_000], paced: false, deaf: false }

let clock: HeldClock
let store: TemporaryStore
beforeEach(() => {
  clock = new HeldClock()
  store = new TemporaryStore({ clock })
})

const put = (parts: Partial<NewMessage> = {}, limits = NO_LIMITS) =>
  store.messages.enqueue(message(parts), limits)
const key = (name: string, fingerprint = 'content') => ({
  idempotency: { scope: 'shop', key: name, fingerprint },
})
const acknowledge = (messageId: number) =>
  store.messages.acknowledge({ deviceId: 'pump', messageId, status: 'DELIVERED', by: null, report: null })
const count = (table: string): number =>
  store.rows<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n ?? 0

/** Makes the storage refuse each new row of a table. Returns a function that ends this. */
function refuseRowsOf(table: string): () => void {
  const path = databaseIn(store.directory)
  alter(path, `CREATE TRIGGER refusal BEFORE INSERT ON ${table} BEGIN SELECT raise(ABORT, 'refused'); END`)
  return () => alter(path, 'DROP TRIGGER refusal')
}

describe('idempotency key', () => {
  test('100 concurrent submits → one message, and all have its id', async () => {
    const submits = await Promise.all(Array.from({ length: 100 }, () => put(key('key-1'))))

    expect(new Set(submits.map(({ id }) => id))).toEqual(new Set([1]))
    expect(submits.map(({ replayed }) => replayed)).toEqual([false, ...new Array(99).fill(true)])
    expect(count('messages')).toBe(1)
    expect(await store.messageLog.extras(1)).toMatchObject({ idempotencyKey: 'key-1', repeats: 99 })
  })

  test('repeated after the commit, and after a reopen → the same id, nothing stored', async () => {
    await put(key('key-1'))
    expect(await put(key('key-1'))).toEqual({ id: 1, replayed: true, cancelled: [] })
    await store.reopen()
    expect(await put(key('key-1'))).toEqual({ id: 1, replayed: true, cancelled: [] })
    expect(count('messages')).toBe(1)
  })

  test('other content, during the first submit and after it → key-reused, nothing stored', async () => {
    const first = put(key('key-1', 'start'))
    await expect(put(key('key-1', 'stop'))).rejects.toMatchObject({ code: 'key-reused' })
    await first
    await expect(put(key('key-1', 'stop'))).rejects.toMatchObject({ code: 'key-reused' })
    expect(count('messages')).toBe(1)
  })

  test('the key in another scope, or in the common one → a message of its own', async () => {
    const submits = await Promise.all(
      ['shop', 'office', ''].map((scope) => put({ idempotency: { ...key('key-1').idempotency, scope } })),
    )
    expect(submits.map(({ id, replayed }) => [id, replayed])).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ])
  })

  test('the submit was refused by a full queue → the key is free', async () => {
    await put()
    const limits = { messages: 1, bytes: 0 }
    await expect(put(key('key-1'), limits)).rejects.toMatchObject({ code: 'queue-full' })
    await acknowledge(1)
    expect(await put(key('key-1'), limits)).toMatchObject({ id: 2, replayed: false })
  })

  test('the storage refuses the first submit → all concurrent submits fail, the key is free', async () => {
    const end = refuseRowsOf('submissions')
    const submits = await Promise.allSettled([put(key('key-1')), put(key('key-1'))])
    expect(submits.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    end()

    expect(await put(key('key-1'), { messages: 1, bytes: 0 })).toMatchObject({ replayed: false })
    expect(count('messages')).toBe(1)
  })

  test('ONLY_LAST is repeated → it cancels once', async () => {
    await put()
    const onlyLast = { ...key('key-1'), guarantee: 'ONLY_LAST' } as const
    const [first, second] = await Promise.all([put(onlyLast), put(onlyLast)])
    expect(first?.cancelled.map(({ messageId }) => messageId)).toEqual([1])
    expect(second).toEqual({ id: 2, replayed: true, cancelled: [] })
  })

  test('keys of 300 older submits are purged → they are free, a younger one is not', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, n) => put(key(`key-${n}`))))
    clock.advance(10_000)
    await put(key('young'))

    expect(await store.messages.purgeSubmissions(clock.wallMs())).toBe(300)

    expect(await put(key('young'))).toMatchObject({ id: 301, replayed: true })
    expect(await put(key('key-7'))).toMatchObject({ id: 302, replayed: false })
  })

  test('the message is purged → the key is free, and no row of the message is left but a deadline', async () => {
    const terms = { ...NO_TERMS, validSeconds: 60 }
    await put({ ...key('key-1'), terms })
    await acknowledge(1)
    clock.advance(10_000)

    expect(await store.messages.purge(clock.wallMs())).toBe(1)

    expect([count('terms'), count('submissions'), count('deadlines')]).toEqual([0, 0, 1])
    expect(await put(key('key-1'))).toMatchObject({ id: 2, replayed: false })
  })
})

describe('replaces', () => {
  const claim = async (): Promise<void> => {
    const claimed = await (await store.messages.attach('pump', 'MQTT')).claim(null, RULES)
    if (claimed.is === 'message') await claimed.recorded
  }

  test('a pending message → cancelled in the same commit as superseded', async () => {
    await put()
    await put({ command: 'other' })
    const { id, cancelled } = await put({ command: 'stop', replaces: 1 })

    expect(id).toBe(3)
    expect(cancelled).toMatchObject([{ messageId: 1, status: 'CANCELLED', cause: 'SUPERSEDED' }])
    expect(await store.messageLog.get(1)).toMatchObject({
      status: 'CANCELLED',
      cause: 'SUPERSEDED',
      supersededBy: 3,
    })
    expect((await store.messages.head('pump'))?.message.id).toBe(2)
  })

  test('ONLY_LAST with the same command → the message is cancelled once', async () => {
    await put()
    const { cancelled } = await put({ guarantee: 'ONLY_LAST', replaces: 1 })
    expect(cancelled.map(({ messageId }) => messageId)).toEqual([1])
  })

  test.each([
    ['no message', 7],
    ['a message of another device', 1],
  ])('%s → unknown-message, nothing stored', async (_, replaces) => {
    await put({ deviceId: 'valve' })
    await expect(put({ replaces })).rejects.toMatchObject({ code: 'unknown-message' })
    expect(count('messages')).toBe(1)
  })

  test('a dispatched message, also after a reopen → handed-over with its attempts, nothing stored', async () => {
    await put()
    await claim()
    const handedOver = { code: 'handed-over', status: 'NOT_DELIVERED', attempts: 1 }
    await expect(put({ replaces: 1 })).rejects.toMatchObject(handedOver)
    await store.reopen()
    await expect(put({ replaces: 1 })).rejects.toMatchObject(handedOver)
    expect(count('messages')).toBe(1)
  })

  test('a DELIVERED message, during the acknowledgement and after it → handed-over', async () => {
    await put()
    const acknowledged = acknowledge(1)
    const handedOver = { code: 'handed-over', status: 'DELIVERED' }
    await expect(put({ replaces: 1 })).rejects.toMatchObject(handedOver)
    await acknowledged
    await expect(put({ replaces: 1 })).rejects.toMatchObject(handedOver)
  })

  test('a CANCELLED message, and two concurrent submits → all are stored, one cancels', async () => {
    await put()
    const [first, second] = await Promise.all([put({ replaces: 1 }), put({ replaces: 1 })])
    const third = await put({ replaces: 1 })
    expect([first, second, third].map((each) => each?.cancelled.length)).toEqual([1, 0, 0])
    expect(new Set([first?.id, second?.id, third.id])).toEqual(new Set([2, 3, 4]))
  })

  test('a full queue → the replaced message makes room', async () => {
    const limits = { messages: 1, bytes: 0 }
    await put({}, limits)
    expect(await put({ replaces: 1 }, limits)).toMatchObject({ id: 2 })
  })

  test('no room even so → queue-full, the message stays the head', async () => {
    await put()
    await put()
    const limits = { messages: 1, bytes: 0 }
    await expect(put({ replaces: 1 }, limits)).rejects.toMatchObject({ code: 'queue-full' })
    expect((await store.messages.head('pump'))?.message.id).toBe(1)
    expect(await store.messages.status(1)).toBe('NOT_DELIVERED')
  })

  test('the storage refuses the new message → the old one stays the head', async () => {
    await put()
    const end = refuseRowsOf('messages')
    await expect(put({ replaces: 1 })).rejects.toThrow('refused')
    end()
    expect((await store.messages.head('pump'))?.message.id).toBe(1)
    expect(await put({ replaces: 1 })).toMatchObject({ cancelled: [{ messageId: 1 }] })
  })
})

describe('limits of a queue', () => {
  test('as many messages as the limit → queue-full names the number', async () => {
    await put()
    const limits = { messages: 1, bytes: 100 }
    await expect(put({}, limits)).rejects.toMatchObject({
      message: '1 messages are pending for device "pump", which is the limit: nothing was stored.',
      queue: { waiting: 1, limit: 1, bytes: 7, limitBytes: 100 },
    })
  })

  test('command and data exceed the bytes → queue-full names the bytes in UTF-8', async () => {
    await put({ command: 'où' })
    const limits = { messages: 10, bytes: 10 }
    await put({ command: 'lau' }, limits)
    await expect(put({ command: 'x', data: '{}' }, limits)).rejects.toThrow(
      '10 bytes are pending for device "pump", and 3 more exceed the limit of 10: nothing was stored.',
    )
  })

  test('an empty queue → any message is accepted, the next one is not', async () => {
    const limits = { messages: 1, bytes: 1 }
    await put({}, limits)
    await expect(put({}, limits)).rejects.toMatchObject({ code: 'queue-full' })
    await put({ guarantee: 'ONLY_LAST' }, limits)
  })

  test('ONLY_LAST cancels messages → their bytes are free at once', async () => {
    await put({ data: '{"a":"1234567890"}' })
    await put({ command: 'other' })
    const limits = { messages: 2, bytes: 20 }
    await put({ guarantee: 'ONLY_LAST' }, limits)
    await expect(put({}, limits)).rejects.toMatchObject({ queue: { waiting: 2, bytes: 14 } })
  })

  test('reopened → the bytes count as before', async () => {
    await put({ data: '{"a":"1234567890"}' })
    await store.reopen()
    await expect(put({}, { messages: 10, bytes: 29 })).rejects.toMatchObject({ queue: { bytes: 23 } })
    await put({}, { messages: 10, bytes: 30 })
  })
})

describe('terms', () => {
  test('all terms → their times, a deadline of the validity, and an event', async () => {
    const events: StoreEvent[] = []
    store.messages.watch(allEvents((event) => events.push(event)))
    const terms = { ...NO_TERMS, validSeconds: 60, finishSeconds: 600, delaySeconds: 10, maxAttempts: 3 }
    const { id } = await put({ terms, details: true })

    const now = clock.wallMs()
    expect((await store.messageLog.extras(id)).terms).toEqual({
      ...toStoredTerms(terms, now),
      ...{ dueAtMs: now + 10_000, expiresAtMs: now + 60_000, finishSeconds: 600, maxAttempts: 3 },
      ...{ finishAtMs: null, details: true },
    })
    expect(store.rows('SELECT * FROM deadlines')).toEqual([
      { at_ms: now + 60_000, kind: 'EXPIRES', message_id: id },
    ])
    expect(events).toContainEqual({ is: 'deadline', inMs: 60_000 })
  })

  test('details alone → a row without times, no deadline', async () => {
    await put({ details: true })
    expect(await store.messageLog.extras(1)).toMatchObject({ terms: { expiresAtMs: null, details: true } })
    expect(count('deadlines')).toBe(0)
  })

  test('a plain message, and terms without a value → no row', async () => {
    await put()
    await put({ terms: NO_TERMS })
    expect([count('terms'), count('deadlines'), count('submissions')]).toEqual([0, 0, 0])
  })

  test('the storage refuses the terms → nothing is stored, the next message is the head', async () => {
    const end = refuseRowsOf('terms')
    await expect(put({ details: true })).rejects.toThrow('refused')
    end()
    const { id } = await put()
    expect((await store.messages.head('pump'))?.message.id).toBe(id)
    expect(count('messages')).toBe(1)
  })
})
