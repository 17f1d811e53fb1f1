/** Lists of messages from the store, compared with a plain filter over all messages, also where an index serves them. */
import { describe, expect, test } from 'vitest'
import { type AckStatus, WITHDRAWN_CAUSES } from '../../src/broker/vocabulary/status.ts'
import { NO_TERMS } from '../../src/broker/vocabulary/term-table.ts'
import { checkDatabase } from '../../src/store/sqlite/database/backup.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'
import { alter, databaseIn } from '../_support/stored.ts'
import {
  CHANGES,
  DEVICES,
  enqueueAll,
  expectLists,
  expectSearches,
  RESENDS,
  STATUSES_BY_CAUSE,
} from '../contract/message-lists.ts'

/** Distance of the ids that {@link SPREAD} makes. A multiple of 11 and one, since a rule of the tests counts in elevens. */
const APART = 56
/** Spreads the ids over nine segments, and makes two of these empty. */
const SPREAD = `PRAGMA foreign_keys = OFF;
  UPDATE messages SET id = -${APART} * id;
  UPDATE messages SET id = -id;
  UPDATE resends SET message_id = ${APART} * message_id;
  DELETE FROM resends WHERE message_id BETWEEN 40000 AND 90000;
  DELETE FROM messages WHERE id BETWEEN 40000 AND 90000`

const LIMITS = { messages: 1_000_000, bytes: 0 }

/** Stores 2,400 messages, one each second, and settles most of them. */
async function fill(store: TemporaryStore, clock: HeldClock): Promise<void> {
  await enqueueAll(store.messages, clock)
  clock.setWall(9e6)
  const changed: Promise<unknown>[] = []
  const acknowledge = (messageId: number, deviceId: string, status: AckStatus): void => {
    changed.push(store.messages.acknowledge({ messageId, deviceId, status, by: null, report: null }))
  }
  for (let id = 1; id <= 2_200; id++) {
    const deviceId = DEVICES[((id - 1) * 7) % 3] as string
    if (id % 300 === 4) {
      acknowledge(id, deviceId, 'DELIVERED')
    } else if (id % 250 === 1) changed.push(store.messages.cancel(id, { by: null, force: false }))
    else if (id % 350 === 2) acknowledge(id, deviceId, 'COMPLETED_WITH_ERROR')
    else acknowledge(id, deviceId, id % 2 ? 'DELIVERED' : 'COMPLETED')
  }
  await Promise.all(changed)
  // Messages that ended in every other way, CANCELLED and UNKNOWN ones in turn.
  const path = databaseIn(store.directory)
  for (const [n, cause] of WITHDRAWN_CAUSES.entries()) {
    const [status, other] = STATUSES_BY_CAUSE[cause]
    const set = (to: string, rest: number): void =>
      alter(
        path,
        `UPDATE messages SET status = '${to}', cause = '${cause}' WHERE id < 2200 AND id % 90 = ${rest}`,
      )
    set(status, 2 * n)
    if (other) set(other, 2 * n + 20)
  }
  alter(path, `${CHANGES} AND status <> 'NOT_DELIVERED'; ${RESENDS}`)
}

describe('list of messages', () => {
  test('any filter, not indexed yet, indexed, reopened, purged → the same as a plain filter', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    await fill(store, clock)
    await expectLists(store.messageLog)
    await expectSearches(store)
    await store.indexed(1_500)
    await expectLists(store.messageLog)
    await expectSearches(store)
    await store.reopen()
    await expectLists(store.messageLog)
    await expectSearches(store)

    expect(await store.messages.purge(9.1e6)).toBeGreaterThan(2_000)
    await expectLists(store.messageLog)
    await expectSearches(store)
    await store.close()
    expect(checkDatabase(databaseIn(store.directory))).toMatchObject({ messages: expect.any(Number) })
  })

  test('many segments of the index by device, some of them empty → the same as a plain filter', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    await fill(store, clock)
    await store.close()
    alter(databaseIn(store.directory), SPREAD)
    await store.reopen()
    await store.indexed(2_300 * APART)
    await expectLists(store.messageLog, APART)
    await expectSearches(store, APART)
    const newest = (await store.devices.get('pump')).last?.id
    expect(newest).toBeGreaterThan(2_390 * APART)

    expect(await store.messages.purge(9.1e6)).toBeGreaterThan(1_000)
    await expectLists(store.messageLog, APART)
    await expectSearches(store, APART)
    await store.close()
    expect(checkDatabase(databaseIn(store.directory))).toMatchObject({ messages: expect.any(Number) })
  })

  test('the newest message of a device is removed → an older pending one is the newest, or none', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    const put = async (deviceId: string): Promise<number> =>
      (await store.messages.enqueue(message({ deviceId }), LIMITS)).id
    const older = await put('pump')
    const newer = await put('pump')
    const only = await put('lamp')
    for (const [messageId, deviceId] of [
      [newer, 'pump'],
      [only, 'lamp'],
    ] as const)
      await store.messages.acknowledge({ messageId, deviceId, status: 'COMPLETED', by: null, report: null })
    await store.close()
    // The pending message gets an id three segments before the others.
    alter(
      databaseIn(store.directory),
      `UPDATE messages SET id = id + 50000 WHERE id > ${older}; UPDATE sqlite_sequence SET seq = 52000`,
    )
    await store.reopen()
    await store.indexed(51_000)
    expect((await store.devices.get('pump')).last).toMatchObject({ id: newer + 50_000 })

    expect(await store.messages.purge(clock.wallMs() + 1)).toBe(2)
    expect((await store.devices.get('pump')).last).toMatchObject({ id: older })
    expect(await store.devices.owners('', 10)).toEqual({ items: ['pump'], next: null })
    await store.close()
    expect(checkDatabase(databaseIn(store.directory))).toMatchObject({ messages: 1 })
  })
})

describe('extras of a message', () => {
  const RULES = { durationsMs: [30_000], paced: false, deaf: false }
  const NONE = {
    terms: null,
    report: null,
    changes: [],
    attemptCount: 0,
    attempts: [],
    idempotencyKey: null,
    repeats: 0,
    resentFrom: null,
    resentAs: null,
  }

  test('a plain message, and an unknown id → none', async () => {
    const store = new TemporaryStore()
    const { id } = await store.messages.enqueue(message(), LIMITS)
    expect(await store.messageLog.extras(id)).toEqual(NONE)
    expect(await store.messageLog.extras(77)).toEqual(NONE)
  })

  test('a first poll → one attempt at once, after a reopen, and when it ended with an outcome', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    const { id } = await store.messages.enqueue(message(), LIMITS)
    const poll = async (): Promise<void> => {
      const head = await store.messages.head('pump')
      if (head) await store.messages.take('pump', head, RULES)
    }
    const atMs = clock.wallMs()
    const first = { number: 1, atMs, transport: 'REST' }
    await poll()
    const open = { attemptCount: 1, attempts: [{ ...first, outcome: null, refused: null }] }
    expect(await store.messageLog.extras(id)).toMatchObject(open)
    await store.reopen()
    expect(await store.messageLog.extras(id)).toMatchObject(open)

    clock.advance(30_000)
    await poll()

    expect(await store.messageLog.extras(id)).toMatchObject({
      attemptCount: 2,
      attempts: [
        { ...first, outcome: 'TIMEOUT', refused: null },
        { number: 2, atMs: atMs + 30_000, transport: 'REST', outcome: null, refused: null },
      ],
    })
  })

  test('terms, report, changes, 130 attempts and a key → all, the newest 100 attempts', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    const idempotency = { scope: 'shop', key: 'key-1', fingerprint: 'abc' }
    const terms = { ...NO_TERMS, finishSeconds: 60, maxAttempts: 3 }
    const { id } = await store.messages.enqueue(message({ terms, details: true, idempotency }), LIMITS)
    await store.messages.enqueue(message({ terms, details: true, idempotency }), LIMITS)
    alter(
      databaseIn(store.directory),
      `INSERT INTO reports VALUES (${id}, 'worn', '{"left":1.0}', 1, 'COMPLETED', 7, 'late');
       INSERT INTO changes VALUES (${id}, 1, 5, 'UNKNOWN', 'NOT_ACKNOWLEDGED', NULL);
       INSERT INTO changes VALUES (${id}, 2, 6, 'NOT_DELIVERED', 'REPLAYED', 'shop');
       INSERT INTO attempts (message_id, number, at_ms, transport, outcome) WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 130)
         SELECT ${id}, n, n, 'MQTT', 'TIMEOUT' FROM n`,
    )

    const { attempts, ...rest } = await store.messageLog.extras(id)

    expect(rest).toEqual({
      terms: {
        dueAtMs: null,
        expiresAtMs: null,
        finishSeconds: 60,
        finishAtMs: null,
        maxAttempts: 3,
        details: true,
      },
      report: {
        reason: 'worn',
        result: '{"left":1.0}',
        resultDropped: true,
        lateStatus: 'COMPLETED',
        lateAtMs: 7,
        lateReason: 'late',
      },
      changes: [
        { atMs: 5, status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', by: null },
        { atMs: 6, status: 'NOT_DELIVERED', cause: 'REPLAYED', by: 'shop' },
      ],
      attemptCount: 130,
      idempotencyKey: 'key-1',
      repeats: 1,
      resentFrom: null,
      resentAs: null,
    })
    expect([attempts.length, attempts[0]?.number, attempts.at(-1)?.number]).toEqual([100, 31, 130])
  })

  test('several messages → records with extras in the order asked, unknown ids left out', async () => {
    const store = new TemporaryStore()
    for (const command of ['one', 'two', 'three']) {
      await store.messages.enqueue(message({ command, details: command === 'two' }), LIMITS)
    }
    const found = await store.messageLog.getAll([3, 77, 2])
    expect(found.map(({ id, extras }) => [id, extras.terms?.details ?? null])).toEqual([
      [3, null],
      [2, true],
    ])
    expect(found[0]).toEqual({ ...(await store.messageLog.get(3)), extras: NONE })
  })
})
