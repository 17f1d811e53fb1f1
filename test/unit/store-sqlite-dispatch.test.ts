/** The SQLite store: attempts, delays, deadlines and replays across a restart, and what their statements read and write. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, test } from 'vitest'
import type { AttemptRules, EndedAttempt, Head } from '../../src/broker/contract/device-lease.ts'
import type { QueueLimits } from '../../src/broker/contract/store.ts'
import type { NewMessage } from '../../src/broker/vocabulary/message.ts'
import { NO_TERMS, type Terms } from '../../src/broker/vocabulary/term-table.ts'
import { endAt } from '../../src/store/end.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database/directory.ts'
import { Queues } from '../../src/store/sqlite/messages/queues.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'

const DURATIONS = [10_000, 20_000, 30_000]
const RULES: AttemptRules = { durationsMs: DURATIONS, paced: false, deaf: false }
const LIMITS: QueueLimits = { messages: 1_000_000, bytes: 0 }

let clock: HeldClock
let store: TemporaryStore
beforeEach(() => {
  clock = new HeldClock()
  store = new TemporaryStore({ clock, durationsMs: DURATIONS })
})

const put = async (parts: Partial<NewMessage> = {}, terms: Partial<Terms> | null = null) =>
  (await store.messages.enqueue(message({ ...parts, terms: terms && { ...NO_TERMS, ...terms } }), LIMITS)).id

const poll = async (rules = RULES) => {
  const head = await store.messages.head('pump')
  return head && (await store.messages.take('pump', head, rules))
}

/** @param outcome ends the open attempt */
const claim = async (outcome: EndedAttempt['outcome'] | null = null, rules = RULES) => {
  const lease = await store.messages.attach('pump', 'MQTT')
  const { attempt } = lease.state
  const claimed = await lease.claim(outcome && attempt && { ...attempt, outcome }, rules)
  if (claimed.is === 'message') await claimed.recorded
  return claimed
}

const acknowledge = (messageId: number, status: 'DELIVERED' | 'COMPLETED', deviceId = 'pump') =>
  store.messages.acknowledge({ deviceId, messageId, status, by: null, report: null })

const line = async () => (await store.messages.line('pump')).attempt

const attemptsOf = (id: number) =>
  store.rows('SELECT number, transport, outcome FROM attempts WHERE message_id = ? ORDER BY number', id)

describe('service', () => {
  test('changeService: a poll begins an attempt during the commit → it ends as BUSY too', async () => {
    const id = await put()
    await poll()
    const service = { untilMs: null, reason: 'repair', by: null }
    const changed = store.messages.changeService([{ deviceId: 'pump', service, audit: null }])
    await Promise.resolve()
    expect(await poll()).not.toBeNull()
    await changed

    expect(await line()).toBeNull()
    expect(attemptsOf(id)).toEqual([
      { number: 1, transport: 'REST', outcome: 'BUSY' },
      { number: 2, transport: 'REST', outcome: 'BUSY' },
    ])
  })
})

describe('attempts across a restart', () => {
  test('attempt: it runs over MQTT → number, start and the rest of its duration', async () => {
    const messageId = await put()
    const atMs = clock.wallMs()
    await claim()
    clock.advance(4_000)
    await store.reopen()

    expect(await line()).toMatchObject({ messageId, number: 1, counted: 1, runningMs: 6_000, atMs })
    expect(await claim('TIMEOUT')).toMatchObject({
      message: { id: messageId, number: 2, counted: 2 },
    })
    clock.advance(21_000)
    await store.reopen()
    expect(await line()).toMatchObject({ number: 2, runningMs: 0 })
    expect(attemptsOf(messageId)).toEqual([
      { number: 1, transport: 'MQTT', outcome: 'TIMEOUT' },
      { number: 2, transport: 'MQTT', outcome: null },
    ])
  })

  test('attempt: its time is in the future → the whole duration', async () => {
    await put()
    await claim()
    clock.setWall(clock.wallMs() - 3_600_000)
    await store.reopen()

    expect(await line()).toMatchObject({ runningMs: 10_000 })
  })

  test('attempt: the first poll made it → the column until it ends, then a row', async () => {
    const messageId = await put()
    await poll()
    clock.advance(1_000)
    await store.reopen()

    expect(attemptsOf(messageId)).toEqual([])
    expect(await line()).toMatchObject({ messageId, number: 1, runningMs: 9_000 })
    clock.advance(9_000)
    expect(await poll()).toMatchObject({ message: { number: 2, counted: 2 } })
    expect(attemptsOf(messageId)).toEqual([
      { number: 1, transport: 'REST', outcome: 'TIMEOUT' },
      { number: 2, transport: 'REST', outcome: null },
    ])
    expect(store.rows('SELECT polled_at_ms AS polled, delivered_error AS error FROM messages')).toEqual([
      { polled: null, error: 1 },
    ])
    await store.reopen()
    expect(await line()).toMatchObject({ number: 2, runningMs: 20_000 })
  })

  test('attempt: a poll took a message while the disk synced a message that supersedes it → the attempt is kept', async () => {
    const messageId = await put()
    const head = (await store.messages.head('pump')) as Head
    const superseding = put({ guarantee: 'ONLY_LAST' })
    await store.messages.take('pump', head, RULES)
    await superseding

    expect(await store.messageLog.get(messageId)).toMatchObject({ cause: 'SUPERSEDED' })
    expect((await store.messageLog.extras(messageId)).attemptCount).toBe(1)
    await store.reopen()
    expect((await store.messageLog.extras(messageId)).attemptCount).toBe(1)
  })

  test('attempt: the device was busy → the attempt does not count, and the pause lasts', async () => {
    const messageId = await put()
    await claim()
    await store.messages.setBusy('pump', 60_000)
    clock.advance(20_000)
    await store.reopen()

    expect([...(await store.messages.busyDevices())]).toEqual([['pump', 40_000]])
    expect(await line()).toBeNull()
    expect(await claim()).toMatchObject({ message: { id: messageId, number: 2, counted: 1 } })
    await store.messages.setBusy('pump', 0)
    await store.reopen()
    expect([...(await store.messages.busyDevices())]).toEqual([])
  })

  test('attempt: an older delayed message became due meanwhile → the running attempt goes first', async () => {
    const delayed = await put({}, { delaySeconds: 5 })
    const running = await put()
    await claim()
    clock.advance(6_000)
    await store.reopen()

    expect(await line()).toMatchObject({ messageId: running, runningMs: 4_000 })
    expect(await claim()).toMatchObject({ is: 'inFlight', attempt: { messageId: running } })
    await acknowledge(running, 'COMPLETED')
    expect(await claim()).toMatchObject({ message: { id: delayed, number: 1 } })
  })

  test('attempt: an older message was replayed → the running attempt goes first', async () => {
    const parked = await put()
    const running = await put()
    await claim()
    await store.messages.park('pump', { messageId: parked, number: 1 })
    await claim()
    await store.messages.replay(parked, { by: null, limits: LIMITS })
    await store.reopen()

    expect(await line()).toMatchObject({ messageId: running, number: 1 })
    await acknowledge(running, 'COMPLETED')
    expect(await claim()).toMatchObject({ message: { id: parked, number: 2, counted: 1 } })
  })

  test('attempt: the device is deaf → number and row are repeated', async () => {
    const messageId = await put()
    await claim()
    clock.advance(10_000)
    expect(await claim('TIMEOUT', { ...RULES, deaf: true })).toMatchObject({
      message: { number: 1, counted: 1 },
    })

    expect(attemptsOf(messageId)).toEqual([{ number: 1, transport: 'MQTT', outcome: null }])
  })
})

describe('deadlines across a restart', () => {
  test('delay: it is not over → due at its time', async () => {
    const id = await put({}, { delaySeconds: 10 })
    clock.advance(4_000)
    await store.reopen()

    expect(await claim()).toEqual({ is: 'empty', dueInMs: 6_000 })
    clock.advance(6_000)
    expect(await claim()).toMatchObject({ message: { id } })
  })

  test('validity: it ended meanwhile → not dispatched, then EXPIRED', async () => {
    const id = await put({}, { validSeconds: 10 })
    clock.advance(10_000)
    await store.reopen()

    expect(await claim()).toEqual({ is: 'empty', dueInMs: null })
    expect(await store.messages.expire(1_000)).toMatchObject({
      settled: [{ messageId: id, status: 'CANCELLED', cause: 'EXPIRED' }],
      nextInMs: null,
    })
    expect(store.rows('SELECT number, status, cause FROM changes')).toEqual([
      { number: 1, status: 'CANCELLED', cause: 'EXPIRED' },
    ])
  })

  test('validity: an attempt runs → the deadline moves to its end, and comes earlier when it ends', async () => {
    const id = await put({}, { validSeconds: 5 })
    await claim()
    clock.advance(5_000)
    await store.reopen()

    expect(await store.messages.expire(1_000)).toEqual({ settled: [], nextInMs: 5_000 })
    await store.messages.setBusy('pump', 1_000)
    expect(await store.messages.expire(1_000)).toMatchObject({
      settled: [{ messageId: id, status: 'UNKNOWN', cause: 'EXPIRED' }],
    })
  })

  test('validity: it ends during the first attempt of a poll → the time of the poll is stored with the moved deadline', async () => {
    await put({}, { validSeconds: 5 })
    clock.advance(4_500)
    const atMs = clock.wallMs()
    await poll()
    clock.advance(500)
    await store.messages.expire(1_000)

    expect(store.rows('SELECT polled_at_ms AS polled FROM messages')).toEqual([{ polled: atMs }])
  })

  test('finish: it runs → unfinished until its end, then NOT_FINISHED', async () => {
    const id = await put({}, { finishSeconds: 60 })
    await claim()
    await acknowledge(id, 'DELIVERED')
    clock.advance(20_000)
    await store.reopen()

    const { unfinished } = await store.messages.line('pump')
    expect(unfinished).toEqual([{ messageId: id, forMs: 40_000 }])
    clock.advance(40_000)
    expect(await store.messages.expire(1_000)).toMatchObject({
      settled: [{ messageId: id, cause: 'NOT_FINISHED' }],
      nextInMs: null,
    })
    expect((await store.messages.line('pump')).unfinished).toEqual([])
  })
})

describe('replay', () => {
  test('replay: while the disk syncs the park → pending again, and the head', async () => {
    const id = await put()
    await claim()

    const parking = store.messages.park('pump', { messageId: id, number: 1 })
    // By then the writer has committed, and a disk takes longer to sync.
    await new Promise((resolve) => setImmediate(resolve))
    const replayed = await store.messages.replay(id, { by: null, limits: LIMITS })

    expect(await parking).toMatchObject({ status: 'UNKNOWN' })
    expect(replayed).toMatchObject({ is: 'replayed' })
    expect(await store.messages.head('pump')).toMatchObject({ message: { id }, attempt: null })
  })

  test('replay: two at once → one replays the message', async () => {
    const id = await put()
    await claim()
    await store.messages.park('pump', { messageId: id, number: 1 })

    const replay = () => store.messages.replay(id, { by: null, limits: LIMITS })
    const results = await Promise.all([replay(), replay()])

    expect(results.map((each) => each?.is)).toEqual(['replayed', 'not-unknown'])
    expect(await store.messages.head('pump')).toMatchObject({ message: { id } })
    expect(await store.stats.pending()).toBe(1)
  })

  test('replay: before a restart → pending at its place, also where the index of pending messages had it', async () => {
    const first = await put()
    const second = await put()
    await claim()
    await store.messages.park('pump', { messageId: first, number: 1 })
    await store.close()
    const db = new Database(join(store.directory, DATABASE_FILE))
    db.exec(`INSERT INTO device_messages SELECT 0, device_id, id FROM messages;
      INSERT INTO waiting SELECT id, device_id, command, 7 FROM messages WHERE status = 'NOT_DELIVERED';
      UPDATE progress SET message_id = ${second}`)
    db.close()
    await store.reopen()

    expect(await store.messages.replay(first, { by: 'boss', limits: LIMITS })).toMatchObject({
      transition: { status: 'NOT_DELIVERED', cause: 'REPLAYED' },
    })
    expect(store.rows('SELECT message_id AS id, bytes FROM waiting')).toEqual([
      { id: first, bytes: 7 },
      { id: second, bytes: 7 },
    ])
    await store.reopen()
    expect(await claim()).toMatchObject({ message: { id: first, number: 2, counted: 1 } })
    expect(store.rows('SELECT cause, by FROM changes ORDER BY number')).toEqual([
      { cause: 'NOT_ACKNOWLEDGED', by: null },
      { cause: 'REPLAYED', by: 'boss' },
    ])
  })
})

describe('cancel', () => {
  test('cancel: by force, behind an acknowledgement that is not stored yet → the acknowledgement counts', async () => {
    const id = await put()
    await claim()

    const [acknowledged, cancelled] = await Promise.all([
      acknowledge(id, 'DELIVERED'),
      store.messages.cancel(id, { by: null, force: true }),
    ])

    expect(acknowledged).toMatchObject({ status: 'DELIVERED', transition: { messageId: id } })
    expect(cancelled).toEqual({ status: 'DELIVERED', transition: null, attempts: 1 })
  })

  test('cancel: a poll before the restart returned the message → only force cancels it', async () => {
    const id = await put()
    await poll()
    await store.reopen()

    expect(await store.messages.cancel(id, { by: null, force: false })).toMatchObject({
      status: 'NOT_DELIVERED',
      attempts: 1,
    })
    expect(await store.messages.cancel(id, { by: null, force: true })).toMatchObject({
      status: 'CANCELLED',
      attempts: 1,
    })
  })
})

describe('limits', () => {
  test('bytes: after a restart → the same sum, in UTF-8', async () => {
    const limits = { messages: 100, bytes: 40 }
    const limited = new TemporaryStore({ clock, durationsMs: DURATIONS, limits })
    const enqueue = () => limited.messages.enqueue(message({ data: '{"t":"ü€"}' }), limits)
    await enqueue()
    await enqueue()
    await limited.reopen()

    const full = { deviceId: 'pump', value: 36, limit: 40, of: 'bytes' }
    expect(await limited.stats.nearlyFull(10)).toEqual([full])
    await expect(enqueue()).rejects.toMatchObject({ code: 'queue-full' })
  })
})

describe('cost', () => {
  test('plain message: enqueue, claim and acknowledgement → one row of attempts and no other', async () => {
    const id = await put()
    await claim()
    await acknowledge(id, 'COMPLETED')

    const count = (table: string) => store.rows<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n
    const tables = ['attempts', 'terms', 'deadlines', 'reports', 'changes', 'devices']
    expect(tables.map(count)).toEqual([1, 0, 0, 0, 0, 0])
  })

  test('expire: one deadline is due → the plan reads a range of deadlines, and no table of messages', () => {
    const plan = store.rows<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT d.at_ms, m.device_id FROM deadlines d LEFT JOIN messages m ON m.id = d.message_id
       WHERE d.at_ms <= 1 ORDER BY d.at_ms LIMIT 1000`,
    )
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH d USING PRIMARY KEY (at_ms<?)',
      'SEARCH m USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
    ])
  })

  test('queue: 10,000 delayed messages → a look at the next one asks for the terms of one message', () => {
    let asked = 0
    const isValid = () => ++asked > 0
    const queues = new Queues({ terms: { isValid } as never, limits: LIMITS, nearlyFullShare: 0.8 })
    const clock = new HeldClock(1_000)
    const due = endAt(5_000, 4_000, clock)
    for (let id = 1; id <= 10_000; id++) queues.add('pump', id, 'start', LIMITS, 7, due)
    queues.add('pump', 10_001, 'start', LIMITS, 7)

    expect(queues.next('pump', clock)).toBe(10_001)
    expect(asked).toBe(1)
    expect(queues.nextDueInMs('pump', clock)).toBe(4_000)
    clock.advance(4_000)
    expect(queues.next('pump', clock)).toBe(1)
    expect(queues.size('pump')).toBe(10_001)
  })
})
