/** The rows that PostgreSQL writes for the trip of a command. Each row costs time, WAL and a vacuum. */
import { expect, test } from 'vitest'
import { eventually } from '../_support/eventually.ts'
import { NodesUnderTest, put } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { acknowledge, RULES } from '../contract/store-under-test.ts'

const TRIPS = 20
/** Rows that were written, by table. An update without a change of an index writes less. */
const WRITES = `SELECT regexp_replace(relname, '_[0-9]+$', '') AS name, sum(n_tup_ins)::int AS inserted, sum(n_tup_del)::int AS deleted,
    sum(n_tup_hot_upd)::int AS updated, sum(n_tup_upd - n_tup_hot_upd)::int AS "updated with indexes"
  FROM pg_stat_user_tables WHERE schemaname = $1 GROUP BY name ORDER BY name`
/** Tables that the node writes by itself, and that a batch writes once. */
const OTHERS = ['nodes', 'lanes', 'settings', 'schema_steps', 'transition_kinds', 'rotation', 'tickets']

test('a trip: enqueue, poll, acknowledge → few rows, none of the attempt, and each index only where a row is added', async () => {
  const nodes = new NodesUnderTest(postgresServer())
  const session = await nodes.session()
  // The first poll of a device adds its line.
  const first = await nodes.open()
  await first.messages.attach('pump', 'MQTT')
  await first.close()
  const writes = async () => {
    // The server counts the writes of a session at the latest when the session ends.
    await eventually(async () => {
      const sessions = `SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`
      expect((await session.query(sessions)).rowCount).toBe(0)
    })
    const { rows } = await session.query(WRITES, [nodes.schema])
    return new Map(rows.map(({ name, ...counts }) => [name as string, counts as Record<string, number>]))
  }
  const before = await writes()
  const node = await nodes.open()
  for (let n = 0; n < TRIPS; n++) {
    const { id } = await put(node, 'pump')
    await node.messages.takeFirst?.('pump', RULES)
    await acknowledge(node.messages, id, 'COMPLETED')
  }
  await node.close()
  const after = await writes()

  const each = [...after].flatMap(([name, counts]) => {
    if (OTHERS.includes(name)) return []
    const more = Object.entries(counts).flatMap(([kind, count]) => {
      const rows = count - (before.get(name)?.[kind] ?? 0)
      return rows === 0 ? [] : `${name}: ${rows / TRIPS} ${kind}`
    })
    return more
  })
  expect(each).toEqual([
    'changes: 2 inserted',
    'device_lines: 1 updated',
    ...['messages: 1 inserted', 'messages: 1 updated'],
    ...['pending: 1 inserted', 'pending: 1 deleted', 'pending: 1 updated'],
  ])
})
