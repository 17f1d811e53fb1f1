/** Lists and state in PostgreSQL: every filter against a plain one, rare statuses, queues that are nearly full, backups. */
import { expect, test } from 'vitest'
import { STATUSES, WITHDRAWN_CAUSES } from '../../src/broker/vocabulary/status.ts'
import { CAUSE_CODES, STATUS_CODES } from '../../src/store/postgres/schema/codes.ts'
import { message } from '../_support/message.ts'
import { openPostgresStorage, type PostgresUnderTest } from '../_support/postgres-store.ts'
import {
  CHANGES,
  enqueueAll,
  expectLists,
  expectSearches,
  RESENDS,
  STATUSES_BY_CAUSE,
} from '../contract/message-lists.ts'

const LIMITS = { messages: 1_000_000, bytes: 0 }

/** Gives messages a status, and removes them from their queues. */
async function settle(
  { query }: PostgresUnderTest,
  status: (typeof STATUSES)[number],
  cause: (typeof WITHDRAWN_CAUSES)[number] | null,
  where: string,
): Promise<void> {
  const code = cause === null ? null : CAUSE_CODES.of(cause)
  await query(
    `WITH m AS (UPDATE messages SET status = $1, cause = $2 WHERE ${where} RETURNING id)
    DELETE FROM pending p USING m WHERE p.id = m.id`,
    [STATUS_CODES.of(status), code],
  )
}

test('list of messages: any filter → the same as a plain filter', async () => {
  const opened = await openPostgresStorage()
  const { storage, clock, query } = opened
  await enqueueAll(storage.messages, clock)
  await query('UPDATE messages SET created_at_ms = (id - 1) * 1000')
  for (const [n, status] of STATUSES.entries())
    if (status !== 'NOT_DELIVERED') await settle(opened, status, null, `id < 2200 AND id % 8 = ${n}`)
  for (const [n, cause] of WITHDRAWN_CAUSES.entries()) {
    const [status, other] = STATUSES_BY_CAUSE[cause]
    await settle(opened, status, cause, `id < 2200 AND id % 90 = ${2 * n}`)
    if (other) await settle(opened, other, cause, `id < 2200 AND id % 90 = ${2 * n + 20}`)
  }
  await query(`${CHANGES} AND status <> 0`)
  await query(RESENDS)
  await expectLists(storage.messageLog)
  await expectSearches(storage)
})

test('list of messages: a device id with U+0000 → its messages', async () => {
  const { storage } = await openPostgresStorage()
  await storage.messages.enqueue(message({ deviceId: 'a\0b' }), LIMITS)
  const { items } = await storage.messageLog.list({ deviceId: 'a\0b' }, 10)
  expect(items).toMatchObject([{ deviceId: 'a\0b' }])
})

test('list of messages: a filter that nothing passes, over many messages → bounded pages, then the end', async () => {
  const { storage, query } = await openPostgresStorage()
  await query(`INSERT INTO messages (id, created_at_ms, changed_at_ms, guarantee, status, device_id, command, data)
    SELECT n, n, n, 0, 2, 'pump', 'go', '{}' FROM generate_series(1, 60000) n`)
  const first = await storage.messageLog.list({ command: 'never' }, 10)
  expect(first).toEqual({ items: [], next: 60_001 - 45_500 })
  expect(await storage.messageLog.list({ command: 'never', before: first.next as number }, 10)).toEqual({
    items: [],
    next: null,
  })
})

test('state: UNKNOWN messages, some parked → the newest, counted by cause with the oldest, parked ids', async () => {
  const opened = await openPostgresStorage()
  const { storage, query } = opened
  for (let n = 0; n < 6; n++) await storage.messages.enqueue(message({ deviceId: 'pump' }), LIMITS)
  await query('UPDATE messages SET changed_at_ms = id * 1000')
  await settle(opened, 'UNKNOWN', 'NOT_ACKNOWLEDGED', 'id IN (2, 4)')
  await settle(opened, 'UNKNOWN', 'NOT_FINISHED', 'id = 3')
  const ref = (messageId: number) => ({ messageId, deviceId: 'pump', atMs: messageId * 1000 })
  const { stats, metrics } = storage
  expect(await stats.newest('UNKNOWN', 3000, 5)).toEqual([ref(4), ref(3)])
  expect(await stats.newest('UNKNOWN', 0, 5, ['NOT_FINISHED'])).toEqual([ref(4), ref(2)])
  const counts = await stats.unknown(0)
  expect(counts).toHaveLength(2)
  expect(counts).toContainEqual({ cause: 'NOT_ACKNOWLEDGED', count: 2, oldest: ref(2) })
  expect(counts).toContainEqual({ cause: 'NOT_FINISHED', count: 1, oldest: ref(3) })
  expect(await metrics.parked()).toEqual([2, 4])
  expect(await stats.pending()).toBe(3)
})

test('state: a queue has 8 of its 10 messages, by a limit of its own → nearly full', async () => {
  const { storage, query } = await openPostgresStorage()
  for (let n = 0; n < 8; n++)
    for (const deviceId of ['pump', 'lamp']) await storage.messages.enqueue(message({ deviceId }), LIMITS)
  await query('UPDATE pending SET place = id, bytes_place = 10 * id')
  await query(`INSERT INTO device_settings VALUES ('pump', '{"queueLimit":10}')`)
  expect(await storage.stats.nearlyFull(5)).toEqual([
    { deviceId: 'pump', value: 8, limit: 10, of: 'messages' },
  ])
})

test('state: 60,000 pending messages → an estimate', async () => {
  const { storage, query } = await openPostgresStorage()
  await query(`INSERT INTO pending (device_id, delayed, id, place, bytes_place, bytes, guarantee, command)
    SELECT 'd' || n % 1000, false, n, n, n, 1, 1, 'go' FROM generate_series(1, 60000) n; ANALYZE pending`)
  expect(await storage.stats.pending()).toBe(60_000)
})

test('backup: PostgreSQL makes its own → refused', async () => {
  const { storage } = await openPostgresStorage()
  await expect(storage.backups.make()).rejects.toMatchObject({ code: 'backup-elsewhere' })
})
