/** Failures between a node and PostgreSQL: lost answers, ended sessions, a stopped server, a standby, a full lane, an end. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Connection } from '../../src/store/postgres/database/connection.ts'
import { allEvents } from '../_support/all-events.ts'
import { whenDone } from '../_support/cleanup.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { message } from '../_support/message.ts'
import { PostgresServer } from '../_support/postgres.ts'
import { NodesUnderTest, type OpenNode, startPostgresProxy } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'

const LIMITS = { messages: 1_000_000, bytes: 0 }
const LOCK_PUMP = "SELECT pg_advisory_lock(7, hashtext('pump'))"
const UNLOCK_PUMP = "SELECT pg_advisory_unlock(7, hashtext('pump'))"
/** Sessions that wait for the lock of the pump. */
const WAITING =
  "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%with_ticket%'"

const until = (check: () => unknown) => vi.waitFor(check, { interval: 5, timeout: WAIT_MS })
const put = (node: OpenNode, deviceId = 'pump') => node.messages.enqueue(message({ deviceId }), LIMITS)

describe('failures of the connection', () => {
  let nodes: NodesUnderTest
  beforeEach(() => {
    nodes = new NodesUnderTest(postgresServer())
  })

  test('failure: the answer of a commit is lost → stored once, the caller has the id', async () => {
    const proxy = await startPostgresProxy(postgresServer())
    const node = await nodes.open({ hosts: [proxy.config] })
    const session = await nodes.session()
    const stored = async () =>
      (await session.query('SELECT id FROM messages ORDER BY id')).rows.map(({ id }) => Number(id))
    const { id: first } = await put(node)

    proxy.dropsAnswers = true
    const second = put(node)
    await until(async () => expect(await stored()).toHaveLength(2))
    proxy.dropsAnswers = false
    proxy.cut()

    const { id } = await second
    const { id: third } = await put(node)
    expect(await stored()).toEqual([first, id, third])
  })

  test('failure: the session of a batch is ended during the batch → repeated, stored once', async () => {
    const node = await nodes.open()
    const session = await nodes.session()
    await session.query(LOCK_PUMP)
    const ids = Promise.all([put(node), put(node)])
    await until(async () => expect((await session.query(WAITING)).rowCount).toBe(1))
    const [{ pid }] = (await session.query(WAITING)).rows
    await session.query('SELECT pg_terminate_backend($1)', [pid])
    await until(async () => expect((await session.query(WAITING)).rows).not.toEqual([{ pid }]))
    await session.query(UNLOCK_PUMP)

    const [one, two] = await ids
    const { rows } = await session.query('SELECT id FROM messages ORDER BY id')
    expect(rows.map(({ id }) => Number(id))).toEqual([one?.id, two?.id])
  })

  test('failure: all sessions of a node are ended → it goes on with the same number', async () => {
    const node = await nodes.open()
    const session = await nodes.session()
    await put(node)
    const { nodeId } = node.cluster
    await session.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'waybill %'",
    )

    expect(await put(node)).toMatchObject({ id: 2 })
    await node.node.beat()
    expect([node.cluster.nodeId, node.ready()]).toEqual([nodeId, true])
  })

  test('failure: a call takes longer than 5 s → storage-away; the message is reported when it is stored', async () => {
    const node = await nodes.open()
    const session = await nodes.session()
    const events: unknown[] = []
    node.messages.watch(allEvents((event) => events.push(event)))
    await session.query(LOCK_PUMP)

    await expect(put(node)).rejects.toMatchObject({ code: 'storage-away' })
    expect(events).toEqual([])
    await session.query(UNLOCK_PUMP)

    await until(() => expect(events).toContainEqual({ is: 'added', deviceId: 'pump' }))
    expect(await put(node)).toMatchObject({ id: 2 })
  })

  test('close: calls wait for a database that does not answer → they are refused, and the node ends', async () => {
    const proxy = await startPostgresProxy(postgresServer())
    const node = await nodes.open({ hosts: [proxy.config] })
    await put(node)
    proxy.dropsAnswers = true
    const calls = Promise.allSettled(Array.from({ length: 600 }, () => put(node)))
    await node.close()

    for (const each of await calls) expect(each).toMatchObject({ reason: { code: 'storage-away' } })
    await expect(put(node)).rejects.toMatchObject({ code: 'storage-closed' })
  })

  test('password: PostgreSQL refuses it → an error with the code, which says nothing about the call', async () => {
    const { config } = postgresServer()
    const connection = new Connection({
      hosts: [{ ...config, database: 'nowhere' }],
      schema: 'public',
      purpose: 'test',
    })

    await expect(connection.run('SELECT 1')).rejects.toMatchObject({ name: 'NotConnected', code: '3D000' })
  })
})

describe('failures of the server', () => {
  function startServer(): PostgresServer {
    const server = new PostgresServer(['fsync = off'])
    whenDone(() => server.remove())
    return server
  }

  test('failure: PostgreSQL crashes and starts again → what waits is stored once; ready again', async () => {
    const server = startServer()
    const nodes = new NodesUnderTest(server)
    const node = await nodes.open()
    await put(node)
    server.stop('immediate')
    const calls = Promise.all(Array.from({ length: 10 }, () => put(node, 'valve')))
    await until(() => expect(node.ready()).toBe(false))
    server.start()

    const stored = await calls
    await until(() => expect(node.ready()).toBe(true))
    const rows = await server.query<{ id: string }>(
      `SELECT id FROM ${nodes.schema}.messages WHERE device_id = 'valve' ORDER BY id`,
    )
    expect(rows.map(({ id }) => Number(id))).toEqual(stored.map(({ id }) => id))
  })

  test('hosts: the first one is a standby, or away → the primary is used', async () => {
    const [standby, primary] = [startServer(), startServer()]
    standby.becomeStandby()
    const away = { ...primary.config, host: `${primary.directory}/none` }
    const nodes = new NodesUnderTest(primary)
    const node = await nodes.open({ hosts: [standby.config, away, primary.config] })

    expect(await put(node)).toMatchObject({ id: 1 })
  })
})
