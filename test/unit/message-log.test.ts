/** The newest message of a device in SQLite, and what a store keeps beside the record of a message. */

import { describe, expect, test } from 'vitest'
import { NO_LINKS } from '../../src/broker/vocabulary/link-table.ts'
import { NO_TERMS } from '../../src/broker/vocabulary/term-table.ts'
import { checkDatabase } from '../../src/store/sqlite/database/backup.ts'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'
import { alter, databaseIn } from '../_support/stored.ts'

const LIMITS = { messages: 1_000_000, bytes: 0 }

describe('newest message of a device', () => {
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
    ...NO_LINKS,
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
      `INSERT INTO reports (message_id, reason, result, result_dropped, late_status, late_at_ms, late_reason)
       VALUES (${id}, 'worn', '{"left":1.0}', 1, 'COMPLETED', 7, 'late');
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
