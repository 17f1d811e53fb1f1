/** `waybill db recover` keeps the messages before the damage of a write-ahead log. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { DatabaseUnderTest, idsIn } from '../_support/db-command.ts'
import { alter, fingerprint, rowsOf } from '../_support/stored.ts'

const FRAME = 4_096 + 24

let db: DatabaseUnderTest
beforeEach(() => {
  db = new DatabaseUnderTest()
})

/** Stores ten messages in a log, each in a transaction of its own, and overwrites the log at a part of its length. */
async function damagedAt(part: number): Promise<Buffer> {
  await db.send(10, 'killed')
  const log = readFileSync(`${db.path}-wal`)
  const frame = Math.floor((part * log.length) / FRAME)
  log.fill('garbage', frame * FRAME, frame * FRAME + 200)
  writeFileSync(`${db.path}-wal`, log)
  return log
}

test('db recover: the log is damaged in the middle → the messages before are served, the log is kept', async () => {
  const log = await damagedAt(0.6)
  await expect(db.start()).rejects.toThrow(
    /is damaged \(the write-ahead log is damaged at frame \d+\): "waybill db recover" keeps all messages before the damage, "waybill db restore FILE" puts a backup in its place$/,
  )

  const text = await db.said('recover')

  const [, count, kept = ''] =
    /is sound: (\d+) messages? .*\nthe log as it was is kept in (\S+)\n$/.exec(text) ?? []
  expect(Number(count)).toBeGreaterThan(0)
  expect(idsIn(db.path)).toEqual(Array.from({ length: Number(count) }, (_, n) => n + 1))
  expect(readFileSync(kept)).toEqual(log)
  const broker = await db.start()
  expect(await broker.next('pump')).toBe(1)
})

test('db recover: a sound log of a crash → all messages', async () => {
  await db.filled('killed')
  expect(await db.said('recover')).toMatch(/is sound: 2 messages/)
  expect(idsIn(db.path)).toEqual([1, 2])
})

test('db recover: no log → checked only', async () => {
  await db.filled()
  expect(await db.said('recover')).toBe(`${db.path} is sound: 2 messages (2 pending), 1 client\n`)
})

test('db recover: the database itself is damaged → refused, no file changes', async () => {
  await db.filled('killed')
  writeFileSync(db.path, '')
  const before = fingerprint(db.path)
  expect(await db.refused('recover')).toMatch(/the file is empty\): "waybill db check" tells more/)
  expect(fingerprint(db.path)).toBe(before)
})

test('db recover: a server holds the directory → refused', async () => {
  const broker = await db.start()
  expect(await db.refused('recover')).toMatch(/is in use by another waybill/)
  await broker.send('pump', { command: 'start' })
})

test('db recover: no database → refused, none is created', async () => {
  expect(await db.refused('recover')).toBe(`waybill: there is no database ${db.path}\n`)
  expect(existsSync(db.path)).toBe(false)
  expect(readdirSync(db.dataDir)).toEqual([])
})

const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`

test.each(['recover', 'backup and restore'])('db %s: every table has rows → all rows', async (command) => {
  await db.filled()
  alter(
    db.path,
    `INSERT INTO attempts VALUES (1, 1, 5, 'MQTT', 'TIMEOUT', NULL);
     INSERT INTO terms VALUES (1, NULL, 32503680000000, 60, NULL, 3, 1);
     INSERT INTO deadlines VALUES (32503680000000, 'EXPIRES', 1);
     INSERT INTO reports VALUES (1, 'worn', '{"left":1.0}', 0, NULL, NULL, NULL);
     INSERT INTO changes VALUES (1, 1, 5, 'UNKNOWN', 'NOT_ACKNOWLEDGED', NULL);
     INSERT INTO submissions VALUES ('shop', 'key-1', 'abc', 1, 5, 2);
     INSERT INTO resends VALUES (1, 2);
     INSERT INTO alert_acks VALUES ('FAILED/pump', 'admin', 5, 2, 'known');
     INSERT INTO incidents VALUES (1, 'DEVICE:pump', 'DEVICE', 'OPEN', 5, 5, NULL, 1, 0, 2, 1, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
     INSERT INTO incident_signals VALUES (1, 'DEVICE_DEAF:pump', 'DEVICE_DEAF', 'pump', NULL, NULL, NULL, NULL, 5, NULL, NULL, NULL);
     INSERT INTO incident_lines VALUES (1, 1, 5, 'STARTED', NULL, NULL);
     INSERT INTO incident_rules VALUES ('FAILED', 1, NULL, NULL, 60, 3);
     INSERT INTO devices VALUES ('pump', 5, 32503680000000, 86400000);
     INSERT INTO device_service VALUES ('pump', 5, NULL, 'repair', 'admin');
     INSERT INTO device_notes VALUES (1, 'pump', 5, 'admin', 'valve ordered');
     INSERT INTO device_settings (device_id, details) VALUES ('pump', 1);
     INSERT INTO api_keys VALUES (1, 1, 'abc', 'robot', 5, NULL, NULL);
     INSERT INTO audit VALUES (1, 5, 'admin', 1, '192.0.2.7', 'client.change', 'pump', '{}');
     INSERT INTO device_events VALUES (1, 1, 'pump', 'REFUSED', 5, 6, 2, '{}');
     INSERT INTO sightings VALUES ('pump', 5, 6, NULL, NULL, 60);
     INSERT INTO periods VALUES (1, 1, 'pump', 'MQTT', 5, 6, 5, '192.0.2.7', 'pump', '5', 'CLIENT', NULL);
     INSERT INTO templates VALUES (1, 1, '', 'on', 'NO', 60, NULL, 3, '{}');
     INSERT INTO device_messages SELECT 0, device_id, id FROM messages;
     INSERT INTO newest_messages SELECT device_id, max(id) FROM messages GROUP BY device_id;
     INSERT INTO waiting SELECT id, device_id, command, octet_length(command || data) FROM messages;
     UPDATE progress SET message_id = 2`,
  )
  const contents = (): Record<string, unknown[]> =>
    Object.fromEntries(
      rowsOf<{ name: string }>(db.path, TABLES).map(({ name }) => [
        name,
        rowsOf(db.path, `SELECT * FROM "${name}"`),
      ]),
    )
  const before = contents()
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])

  if (command === 'recover') await db.said('recover')
  else {
    await db.said('backup', db.backup)
    await db.said('restore', db.backup)
  }

  expect(contents()).toEqual(before)
})
