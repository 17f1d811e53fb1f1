/** `waybill db check` tells a sound database from a damaged one. */
import { readdirSync, statSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { DatabaseUnderTest } from '../_support/db-command.ts'
import { alter, fingerprint } from '../_support/stored.ts'

let db: DatabaseUnderTest
beforeEach(() => {
  db = new DatabaseUnderTest()
})

test('db check: a sound database → its contents in one line', async () => {
  await db.filled()
  expect(await db.said('check')).toBe(`${db.path} is sound: 2 messages (2 pending), 1 client\n`)
})

test('db check: the server runs → checked, and the server continues', async () => {
  const broker = await db.start()
  const id = await broker.send('pump', { command: 'start' })
  await broker.acknowledge('pump', { id })
  await broker.send('pump', { command: 'stop' })
  expect(await db.said('check')).toBe(`${db.path} is sound: 2 messages (1 pending), 1 client\n`)
  await broker.send('pump', { command: 'stop' })
  expect(await db.said('check')).toContain('3 messages (2 pending)')
})

test('db check: a crash left a write-ahead log → no file changes', async () => {
  await db.filled('killed')
  expect(statSync(`${db.path}-wal`).size).toBeGreaterThan(0)
  const before = fingerprint(db.path)
  await db.said('check')
  expect(fingerprint(db.path)).toBe(before)
})

test('db check: data with 2000 nested lists → sound', async () => {
  const broker = await db.start()
  const data = `{"deep":${'['.repeat(2000)}${']'.repeat(2000)}}`
  expect(await broker.request('pump', `{"command":"start","data":${data}}`)).toMatchObject({ status: 200 })
  expect(await db.said('check')).toContain('is sound')
})

test('db check: no database → refused, none is created', async () => {
  expect(await db.refused('check')).toBe(`waybill: there is no database ${db.path}\n`)
  expect(readdirSync(db.dataDir)).toEqual([])
})

test.each([
  [`UPDATE messages SET status = 'LOST' WHERE id = 1`, '1 messages of an unknown status'],
  [`UPDATE messages SET guarantee = 'ALWAYS'`, '2 messages of an unknown guarantee'],
  [`UPDATE messages SET status = 'UNKNOWN' WHERE id = 2`, '1 messages whose cause does not fit their status'],
  [
    `UPDATE messages SET status = 'CANCELLED', cause = 'NOT_FINISHED' WHERE id = 2`,
    '1 messages whose cause does not fit their status',
  ],
  [
    `UPDATE messages SET status = 'UNKNOWN', cause = 'CONNECTION_BROKE' WHERE id = 2`,
    '1 messages whose cause does not fit their status',
  ],
  [
    `UPDATE messages SET cause = 'REPLAYED', status = 'DELIVERED'`,
    '2 messages whose cause does not fit their status',
  ],
  [`UPDATE messages SET data = '[]' WHERE id = 2`, '1 messages whose data is no JSON object'],
  [`UPDATE messages SET data = '{"n":' WHERE id = 2`, '1 messages whose data is no JSON object'],
  [
    `UPDATE messages SET guarantee = 'ONLY_LAST' WHERE id = 2`,
    '1 commands of a device with a message that ONLY_LAST should have cancelled',
  ],
  [
    `UPDATE sqlite_sequence SET seq = 0 WHERE name = 'clients'`,
    '1 clients with an id that would be used again',
  ],
  [`DELETE FROM sqlite_sequence`, '1 clients with an id that would be used again'],
  [`UPDATE clients SET role = 'ROOT'`, '1 clients of an unknown role'],
  [
    `INSERT INTO templates VALUES (7, 1, '', 'on', 'MAYBE', NULL, NULL, NULL, '{}')`,
    '1 templates of an unknown guarantee',
  ],
  [
    `INSERT INTO templates VALUES (7, 1, '', 'on', 'NO', NULL, NULL, NULL, '[]')`,
    '1 templates whose data is no JSON object',
  ],
  [
    `INSERT INTO audit VALUES (1, 5, NULL, NULL, NULL, 'client.create', 'a', 'text')`,
    '1 lines of the audit trail whose detail is no JSON object',
  ],
  [
    `UPDATE progress SET message_id = 2`,
    '2 messages that the index by device lacks, or has under another device',
  ],
  [`UPDATE progress SET message_id = 2`, '2 pending messages that the index of pending messages lacks'],
  [
    `INSERT INTO waiting VALUES (3, 'ghost', 'on', 4)`,
    '1 entries of the index of pending messages without a pending message',
  ],
  [
    `INSERT INTO device_messages VALUES (0, 'ghost', 1)`,
    '1 entries of the index by device without a message',
  ],
  [`INSERT INTO newest_messages VALUES ('ghost', 1)`, '1 devices whose newest message is another one'],
  ...[
    `attempts VALUES (77, 1, 0, 'MQTT', NULL, NULL)`,
    `terms VALUES (77, NULL, NULL, NULL, NULL, 3, 0)`,
    `reports VALUES (77, 'worn', NULL, 0, NULL, NULL, NULL)`,
    `changes VALUES (77, 1, 0, 'UNKNOWN', 'EXPIRED', NULL)`,
    `submissions VALUES ('', 'key-1', 'abc', 77, 0, 0)`,
  ].map((row): [string, string] => [
    `PRAGMA foreign_keys = OFF; INSERT INTO ${row}`,
    '1 rows that refer to a row that is not there',
  ]),
  [
    `UPDATE messages SET created_at_ms = created_at_ms - 3600000 WHERE id = 1;
     INSERT INTO terms SELECT id, NULL, created_at_ms + 1, NULL, NULL, NULL, 0 FROM messages WHERE id = 1`,
    '1 pending messages whose validity was over a minute before the newest message was stored',
  ],
  [`INSERT INTO deadlines VALUES (0, 'SOMETIMES', 1)`, '1 deadlines of an unknown kind'],
  [
    `INSERT INTO changes VALUES (1, 1, 0, 'UNKNOWN', 'BAD_LUCK', NULL)`,
    '1 changes to an unknown status or for an unknown cause',
  ],
  [`INSERT INTO reports VALUES (1, NULL, '{', 0, NULL, NULL, NULL)`, '1 reports whose result is no JSON'],
  [`DROP TABLE attempts`, '"attempts" is missing'],
  [`ALTER TABLE clients ADD COLUMN shoe_size INTEGER`, '"clients" is not as it was made'],
])('db check: after %s → "%s"', async (sql, finding) => {
  await db.filled()
  alter(db.path, sql)
  expect((await db.refused('check')).split('\n')).toContain(`waybill: ${db.path} is damaged: ${finding}`)
})

test.each([
  ['a message that was purged left its deadline', `INSERT INTO deadlines VALUES (0, 'EXPIRES', 77)`],
  [
    'a dispatched message is past its validity',
    `UPDATE messages SET polled_at_ms = 1 WHERE id = 1;
     INSERT INTO terms VALUES (1, NULL, 2, NULL, NULL, NULL, 0)`,
  ],
  [
    'the clock is behind, and a message is past its validity',
    `UPDATE messages SET created_at_ms = created_at_ms + 3600000 WHERE id = 1;
     INSERT INTO terms VALUES (2, NULL, 2, NULL, NULL, NULL, 0)`,
  ],
  [
    'a replayed message is pending beside a younger ONLY_LAST message',
    `UPDATE messages SET cause = 'REPLAYED' WHERE id = 1; UPDATE messages SET guarantee = 'ONLY_LAST' WHERE id = 2`,
  ],
])('db check: %s → sound', async (_, sql) => {
  await db.filled()
  alter(db.path, sql)
  expect(await db.said('check')).toContain('is sound')
})

test('db check: two kinds of damage → a line for each', async () => {
  await db.filled()
  alter(db.path, `UPDATE messages SET status = 'LOST'; UPDATE clients SET role = 'ROOT'`)
  expect(await db.refused('check')).toBe(
    `waybill: ${db.path} is damaged: 2 messages of an unknown status\n` +
      `waybill: ${db.path} is damaged: 1 clients of an unknown role\n`,
  )
})
