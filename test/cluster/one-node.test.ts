/** The fault run itself, with one node on SQLite: kills and restarts break no promise. */

import { expect, test, vi } from 'vitest'
import { LIMIT_MS } from '../_support/limits.ts'
import { alter, databaseIn } from '../_support/stored.ts'
import { faultRun } from './_support/fault-run.ts'
import { killNode, moveDevices, rollingRestart } from './_support/faults.ts'
import { listOf, type Violations } from './_support/invariants.ts'
import { SqliteRunStore } from './_support/run-store.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

test('one node on SQLite: killed, restarted, devices move → no violation', async () => {
  const report = await faultRun({
    name: 'one node, SQLite',
    store: new SqliteRunStore(),
    nodes: 1,
    faults: [killNode, rollingRestart, moveDevices],
  })
  expect(report.answered).toBeGreaterThan(100)
  expect(listOf(report.violations)).toEqual([])
})

test('one node on SQLite: the database is damaged at the end → the violations are counted', async () => {
  const store = new SqliteRunStore()
  const { violations } = await faultRun({
    name: 'control: a damaged database, SQLite',
    ...{ store, nodes: 1, faults: [], seconds: 3 },
    beforeReading: () => alter(databaseIn(store.directory), DAMAGE),
  })
  expect(counts(violations)).toMatchObject({ lost: 6, doubled: 1, stuck: 1, unseen: 1, unexpected: 0 })
  expect(violations.intervals.length).toBeGreaterThanOrEqual(1)
  expect(violations.outOfOrder.length).toBeGreaterThanOrEqual(1)
})

/**
 * Removes a message, stores another one again for a device without connections, makes a third one pending, and adds two
 * attempts over MQTT. Lost are a request and its report, the first copy of the request, the report of the pending one, and the
 * end of the second copy for its producer and for the event stream. Each is a message whose device received a later one, which is then out of order.
 */
const DAMAGE = `
  CREATE TEMP TABLE chosen AS SELECT id FROM messages m WHERE status = 'COMPLETED' AND guarantee = 'RECEIPT_CONFIRMATION'
    AND EXISTS (SELECT 1 FROM messages later WHERE later.device_id = m.device_id AND later.id > m.id
      AND later.status = 'COMPLETED' AND later.guarantee = 'RECEIPT_CONFIRMATION'
      AND EXISTS (SELECT 1 FROM attempts a WHERE a.message_id = later.id)) LIMIT 4;
  DELETE FROM messages WHERE id = (SELECT id FROM chosen LIMIT 1);
  INSERT INTO messages (device_id, command, guarantee, status, created_at_ms, changed_at_ms, data)
    SELECT 'other', command, guarantee, status, created_at_ms, changed_at_ms, data FROM messages
    WHERE id = (SELECT id FROM chosen LIMIT 1 OFFSET 1);
  UPDATE messages SET status = 'NOT_DELIVERED' WHERE id = (SELECT id FROM chosen LIMIT 1 OFFSET 2);
  INSERT INTO attempts (message_id, number, at_ms, transport)
    SELECT id, 98 + later, changed_at_ms + later, 'MQTT' FROM messages, (SELECT 0 AS later UNION SELECT 1)
    WHERE id = (SELECT id FROM chosen LIMIT 1 OFFSET 3)`

function counts(violations: Violations): Record<string, number> {
  return Object.fromEntries(
    Object.entries(violations).map(([name, found]: [string, string[]]) => [name, found.length]),
  )
}
