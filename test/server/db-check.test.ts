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
  [
    `UPDATE messages SET status = 'UNKNOWN' WHERE id = 2`,
    '1 messages that are UNKNOWN, which only one with guarantee NO can be',
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
  [`INSERT INTO templates VALUES (7, 1, '', 'on', 'MAYBE', '{}')`, '1 templates of an unknown guarantee'],
  [`INSERT INTO templates VALUES (7, 1, '', 'on', 'NO', '[]')`, '1 templates whose data is no JSON object'],
  [
    `UPDATE progress SET message_id = 2`,
    '2 messages that the index by device lacks, or has under another device',
  ],
  [`UPDATE progress SET message_id = 2`, '2 pending messages that the index of pending messages lacks'],
  [
    `INSERT INTO waiting VALUES (3, 'ghost', 'on')`,
    '1 entries of the index of pending messages without a pending message',
  ],
  [`INSERT INTO device_messages VALUES ('ghost', 1)`, '1 entries of the index by device without a message'],
  [
    `PRAGMA foreign_keys = OFF; INSERT INTO attempts VALUES (77, 1, 0, 'mqtt', NULL)`,
    '1 rows that refer to a row that is not there',
  ],
  [`DROP TABLE attempts`, '"attempts" is missing'],
  [`ALTER TABLE clients ADD COLUMN shoe_size INTEGER`, '"clients" is not as it was made'],
])('db check: after %s → "%s"', async (sql, finding) => {
  await db.filled()
  alter(db.path, sql)
  expect((await db.refused('check')).split('\n')).toContain(`waybill: ${db.path} is damaged: ${finding}`)
})

test('db check: two kinds of damage → a line for each', async () => {
  await db.filled()
  alter(db.path, `UPDATE messages SET status = 'LOST'; UPDATE clients SET role = 'ROOT'`)
  expect(await db.refused('check')).toBe(
    `waybill: ${db.path} is damaged: 2 messages of an unknown status\n` +
      `waybill: ${db.path} is damaged: 1 clients of an unknown role\n`,
  )
})
