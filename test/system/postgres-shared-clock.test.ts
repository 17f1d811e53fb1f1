/** Nodes keep what they share when the clock of PostgreSQL steps or the journal has a gap, and remove what has ended. */
import type pg from 'pg'
import { beforeEach, expect, test, vi } from 'vitest'
import { Presence } from '../../src/broker/views/presence.ts'
import { SharedPresence } from '../../src/broker/views/shared-presence.ts'
import type { ListedConnection } from '../../src/transport/connections.ts'
import { whenDone } from '../_support/cleanup.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { NodesUnderTest, type OpenNode } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { RULES } from '../contract/store-under-test.ts'

const HOUR_MS = 3_600_000
const TIMES = { leaseMs: 2_000, beatMs: 50, deadMs: 600_000 }

const until = (check: () => unknown) => vi.waitFor(check, { interval: 5, timeout: WAIT_MS })

let nodes: NodesUnderTest
let first: OpenNode
let second: OpenNode
let session: pg.Client
beforeEach(async () => {
  nodes = new NodesUnderTest(postgresServer())
  first = await nodes.open({ times: TIMES })
  second = await nodes.open({ times: TIMES })
  session = await nodes.session()
})

/** Sets the clock of the database by a time. */
const step = (byMs: number) =>
  session.query(`CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${byMs}'`)

const tidy = () => session.query('SELECT tidy_shared(3, 2)')
const idsIn = async (table: string, column: string) =>
  (await session.query(`SELECT ${column} AS id FROM ${table} ORDER BY 1`)).rows.map(({ id }) => id)

const change = { deviceId: 'lamp', connected: true, transport: 'MQTT', atMs: 1 }
const connectionOf = ({ node }: OpenNode): ListedConnection => ({
  ...{ id: node.id * 2 ** 32, deviceId: 'lamp', clientId: 'lamp', devices: ['lamp'], address: '::1' },
  ...{ transport: 'TCP', protocol: 'MQTT', version: '5', sinceMs: 1, lastPacketAtMs: 2, subscriptions: 1 },
  deviceCount: 1,
})

test.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])(
  'clock: PostgreSQL steps %s by an hour → the nodes, their connections and their leases stay',
  async (_, byMs) => {
    await second.nodes.presence.put(change)
    await second.nodes.connections.put(connectionOf(second))
    const lease = await second.messages.attach('lamp', 'MQTT')
    await step(byMs)
    const beat = async () => Promise.all([first.node.beat(), second.node.beat()])
    await tidy()
    await beat()

    expect([first.node.isLive(), second.node.isLive(), first.ready()]).toEqual([true, true, true])
    expect(await first.nodes.presence.livingNodes()).toContain(second.node.id)
    expect(await first.nodes.presence.connected()).toMatchObject([{ deviceId: 'lamp' }])
    expect(await first.nodes.connections.count()).toBe(1)
    expect((await lease.claim(null, RULES)).is).toBe('empty')
    expect(await idsIn('nodes', 'node_id')).toHaveLength(2)

    // A node that ends is noticed under the new clock too, and its device has one owner.
    const later = await first.messages.attach('lamp', 'MQTT')
    expect((await lease.claim(null, RULES)).is).toBe('lost')
    expect((await later.claim(null, RULES)).is).toBe('empty')
    const { id } = second.node
    await second.close()
    await until(async () => expect(await first.nodes.presence.livingNodes()).not.toContain(id))
    expect(await first.nodes.presence.connected()).toEqual([])
  },
)

test('presence: the journal had a gap, in which a device came and another one left → as the other node shows it', async () => {
  const presence = new Presence()
  const log = { debug() {}, warn() {} }
  const { cluster } = first
  const shared = new SharedPresence({ cluster, directory: first.nodes.presence, presence, log })
  await second.nodes.presence.put(change)
  await shared.start()
  whenDone(() => shared.close())
  expect(presence.of('lamp').transport).toBe('MQTT')

  // Another node removes the row of this one, and truncates the journal.
  await session.query('BEGIN; LOCK TABLE nodes')
  await session.query('DELETE FROM nodes WHERE node_id = $1', [first.node.id])
  await session.query("DELETE FROM device_presence WHERE device_id = 'lamp'")
  await session.query("INSERT INTO device_presence VALUES ($1, 'panel', 'MQTT')", [second.node.id])
  await session.query('COMMIT')

  await until(() => expect(presence.of('panel').transport).toBe('MQTT'))
  expect(presence.of('lamp').transport).toBeNull()
})

test('tidy: nodes ended, sessions expired, old reports → removed; the rest stays', async () => {
  const gone = 4711
  const { rows } = await session.query('SELECT now_ms() AS now')
  const nowMs = Number(rows[0].now)
  await second.nodes.presence.put(change)
  await second.nodes.connections.put(connectionOf(second))
  await second.nodes.sessions.take({ sessionId: 'lives', isClean: false, expirySeconds: 60 })
  const statements: [string, unknown[]][] = [
    ["INSERT INTO connections VALUES (1, $1, 'valve', '{}')", [gone]],
    ["INSERT INTO device_presence VALUES ($1, 'valve', 'MQTT')", [gone]],
    ["INSERT INTO mqtt_sessions VALUES ('orphan', $1, 1, NULL, 60, NULL)", [gone]],
    ["INSERT INTO mqtt_sessions VALUES ('short', $1, 1, NULL, 0, NULL)", [gone]],
    ["INSERT INTO mqtt_sessions VALUES ('expired', $1, 1, NULL, 60, $2)", [second.node.id, nowMs - 1]],
    ["INSERT INTO rejections SELECT 'r' || n, n, n, 1, '{}' FROM generate_series(1, 5) n", []],
    ["INSERT INTO import_reports SELECT n, 1, 0, '{}' FROM generate_series(1, 5) n", []],
  ]
  for (const [text, values] of statements) await session.query(text, values)
  await tidy()

  expect(await idsIn('connections', 'device_id')).toEqual(['lamp'])
  expect(await idsIn('device_presence', 'device_id')).toEqual(['lamp'])
  expect(await idsIn('mqtt_sessions', 'session_id')).toEqual(['lives', 'orphan'])
  expect(await idsIn('rejections', 'key')).toEqual(['r2', 'r3', 'r4', 'r5'])
  expect(await idsIn('import_reports', 'id::int')).toEqual([4, 5])
  // The session of the node that ended expires by its own time from then on.
  await step(61_000)
  await tidy()
  expect(await idsIn('mqtt_sessions', 'session_id')).toEqual(['lives'])
})

test('tidy: two nodes at once → one of them does it, and neither waits', async () => {
  await session.query('BEGIN; SELECT pg_advisory_xact_lock(7, 3)')
  const other = await nodes.session()
  await other.query("INSERT INTO device_presence VALUES (4711, 'valve', 'MQTT')")
  await other.query('SELECT tidy_shared(3, 2)')
  expect(await idsIn('device_presence', 'device_id')).toEqual(['valve'])
})
