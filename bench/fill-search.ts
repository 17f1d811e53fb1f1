/**
 * Fills a data directory with messages of a month for many devices. Writes the rows by SQL, since a million messages through
 * the product's own storage take minutes. Runs as a process of its own. What a search finds last is among the oldest messages.
 */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from '../src/store/sqlite/database/directory.ts'
import { openStorage } from '../src/store/sqlite/database.ts'
import { NO_LIMITS } from './messages.ts'

const MONTH_MS = 30 * 24 * 3_600_000
const DEVICES = 100_000

const [dataDir = '', messages = ''] = process.argv.slice(2)
const count = Number(messages)
const empty = openStorage({
  directory: dataDir,
  durationsMs: [30_000],
  limits: NO_LIMITS,
  onFailure(error) {
    throw error
  },
})
await empty.close()

const db = new Database(join(dataDir, DATABASE_FILE))
db.pragma('synchronous = OFF')
db.transaction(() => {
  db.prepare(
    `INSERT INTO messages (id, device_id, command, guarantee, status, sender_id, created_at_ms, changed_at_ms, delivered_at_ms, cause, data)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @count),
       m AS (SELECT i, CAST(@first + i * @month / @count AS INTEGER) AS at, (i * 7919) % CAST(@devices AS INTEGER) AS device,
         CASE WHEN i > @count - 10000 THEN 'NOT_DELIVERED' WHEN i % 100 = 7 THEN 'COMPLETED_WITH_ERROR' WHEN i % 200 = 9 THEN 'UNKNOWN'
           WHEN i % 200 = 11 THEN 'CANCELLED' ELSE 'COMPLETED' END AS status FROM n)
     SELECT i, 'site-' || (device / 1000) || '/pump-' || device, 'set-' || (i % 20), 'RECEIPT_CONFIRMATION', status, 'shop-' || (i % 5), at, at + 900,
       CASE WHEN status = 'COMPLETED' THEN at + 900 END, CASE status WHEN 'UNKNOWN' THEN 'NOT_ACKNOWLEDGED' WHEN 'CANCELLED' THEN 'CANCELLED' END,
       '{"speed":' || (i % 100) || ',"zone":"Насосная станция ' || (i % 30) || '","note":"' || CASE WHEN i <= 5 THEN 'needle' ELSE 'valve ' || (i % 977) END || '"}'
     FROM m`,
  ).run({ count, devices: DEVICES, month: MONTH_MS, first: Date.now() - MONTH_MS })
  db.exec(`INSERT INTO device_messages SELECT id >> 14, device_id, id FROM messages ORDER BY 1, 2, 3;
    INSERT INTO newest_messages SELECT device_id, max(id) FROM messages GROUP BY device_id;
    INSERT INTO waiting SELECT id, device_id, command, octet_length(command) + octet_length(data) FROM messages WHERE status = 'NOT_DELIVERED';
    INSERT INTO resends (message_id, new_message_id) SELECT id, id + 1 FROM messages WHERE status = 'COMPLETED_WITH_ERROR' AND id % 3 = 0;
    UPDATE progress SET message_id = ${count};
    UPDATE sqlite_sequence SET seq = ${count} WHERE name = 'messages'`)
})()
db.pragma('wal_checkpoint(TRUNCATE)')
db.close()
