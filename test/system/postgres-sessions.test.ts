/** The sessions of a node in PostgreSQL: their names, their settings, and what becomes of those that a node gives up. */
import { hostname } from 'node:os'
import type pg from 'pg'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Connection } from '../../src/store/postgres/database/connection.ts'
import { whenDone } from '../_support/cleanup.ts'
import { LIMIT_MS, WAIT_MS } from '../_support/limits.ts'
import { PostgresServer } from '../_support/postgres.ts'
import { NodesUnderTest, type OpenNode, put } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'

/** Returns synchronous_commit of a session whose role has a value of its own. */
async function synchronousCommitOf(role: string, value: string): Promise<unknown> {
  const server = postgresServer()
  await server.query(`CREATE ROLE ${role} LOGIN; ALTER ROLE ${role} SET synchronous_commit = ${value}`)
  const connection = new Connection({
    ...{ hosts: [{ ...server.config, user: role }], schema: 'public', purpose: 'test' },
  })
  whenDone(() => connection.close())
  const [row] = await connection.run<{ value: string }>(
    "SELECT current_setting('synchronous_commit') AS value",
  )
  return row?.value
}

test.each(['off', 'local', 'remote_write'])('the role has synchronous_commit = %s → on', async (value) => {
  expect(await synchronousCommitOf(`sync_${value}`, value)).toBe('on')
})

test('the role has synchronous_commit = remote_apply → kept, since it promises more', async () => {
  expect(await synchronousCommitOf('sync_apply', 'remote_apply')).toBe('remote_apply')
})

test('the role has limits of time and an isolation level → those of the node hold', async () => {
  const server = postgresServer()
  await server.query(`CREATE ROLE limited LOGIN;
    ALTER ROLE limited SET statement_timeout = '1min'; ALTER ROLE limited SET lock_timeout = '1min';
    ALTER ROLE limited SET idle_session_timeout = '1min'; ALTER ROLE limited SET default_transaction_isolation = 'serializable'`)
  const connection = new Connection({
    ...{ hosts: [{ ...server.config, user: 'limited' }], schema: 'public', purpose: 'test' },
  })
  whenDone(() => connection.close())
  const [row] = await connection.run(`SELECT current_setting('statement_timeout') AS statement,
    current_setting('lock_timeout') AS lock, current_setting('idle_session_timeout') AS idle,
    current_setting('transaction_isolation') AS isolation`)
  expect(row).toEqual({ statement: '9500ms', lock: '0', idle: '0', isolation: 'read committed' })
})

test('a statement gets no answer in time → PostgreSQL ends it, and no session stays behind', async () => {
  const server = postgresServer()
  await server.query('CREATE TABLE locked ()')
  const target = { hosts: [server.config], schema: 'public', purpose: 'test' }
  const connection = new Connection({ ...target, answerMs: 1_000 })
  whenDone(() => connection.close())
  const blocked = async (): Promise<number> =>
    (await server.query("SELECT FROM pg_stat_activity WHERE query LIKE 'TABLE locked%' AND state = 'active'"))
      .length

  const holder = new Connection(target)
  whenDone(() => holder.close())
  await holder.run('BEGIN')
  await holder.run('LOCK TABLE locked')
  for (let n = 0; n < 3; n++) await expect(connection.run('TABLE locked')).rejects.toThrow()

  await vi.waitFor(async () => expect(await blocked()).toBe(0), { timeout: WAIT_MS })
})

test('application_name → names the process and what the connection is for', async () => {
  const nodes = new NodesUnderTest(postgresServer())
  await put(await nodes.open(), 'pump')
  const { rows } = await (await nodes.session()).query(
    "SELECT application_name AS name FROM pg_stat_activity WHERE application_name LIKE 'waybill %'",
  )
  const of = (purpose: string) => `waybill ${hostname().slice(0, 24)}:${process.pid} ${purpose}`
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['enqueue', 'beats'].map(of)))
})

/** Time that a statement has here, in milliseconds. */
const ANSWER_MS = 1_000
/** Number of statements that a node gives up in a minute, with the time of the product. */
const MINUTE = 6

describe('a node repeats for a minute what PostgreSQL does not answer', { timeout: 2 * LIMIT_MS }, () => {
  let server: PostgresServer
  let node: OpenNode
  let session: pg.Client
  let unanswered: number
  beforeEach(async () => {
    server = new PostgresServer(['fsync = off'])
    whenDone(() => server.remove())
    const nodes = new NodesUnderTest(server)
    const observer = { stored() {}, refused() {}, unanswered: () => ++unanswered }
    node = await nodes.open({ answerMs: ANSWER_MS, observer })
    session = await nodes.session()
    unanswered = 0
  })

  /** Makes a write and a read, which may fail. */
  const calls = () => Promise.allSettled([put(node, 'pump'), node.messageLog.list({}, 1)])
  /** Returns the connections of the node that have several sessions, with their number. */
  const several = () =>
    server.query(`SELECT application_name AS name, count(*)::int FROM pg_stat_activity
      WHERE application_name LIKE 'waybill %' GROUP BY 1 HAVING count(*) > 1`)

  /** Returns the sessions of the node that wait, for a lock or for a standby. */
  const waiting = async () =>
    (
      await server.query<{ pid: number }>(`SELECT pid FROM pg_stat_activity
        WHERE application_name LIKE 'waybill %' AND wait_event IN ('relation', 'transactionid', 'SyncRep')`)
    ).map(({ pid }) => pid)

  /** Makes calls until the node has repeated for a minute. Returns what became of the writes. */
  async function callForMinute(): Promise<string[]> {
    const results: string[] = []
    unanswered = 0
    while (unanswered < MINUTE) results.push((await calls())[0].status)
    return results
  }

  /** Makes calls for two minutes. Expects that no session waits in both, and that each connection has one. Returns what became of the writes. */
  async function callForTwoMinutes(): Promise<string[]> {
    const first = await callForMinute()
    const early: number[] = []
    await expect.poll(async () => early.push(...(await waiting()))).toBeGreaterThan(0)
    const results = [...first, ...(await callForMinute())]
    expect((await waiting()).filter((pid) => early.includes(pid))).toEqual([])
    await expect.poll(several).toEqual([])
    return results
  }

  test('a table is locked → each connection has one session', async () => {
    await session.query('BEGIN; LOCK TABLE messages')
    await callForTwoMinutes()
    await session.query('COMMIT')
    await vi.waitFor(() => put(node, 'pump'), { timeout: WAIT_MS })
  })

  test('the synchronous standby is missing → each connection has one session; no write is answered, each took effect once', async () => {
    const name = async (standbys: string) => {
      await session.query(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`)
      await session.query('SELECT pg_reload_conf()')
      await expect
        .poll(async () => (await session.query('SHOW synchronous_standby_names')).rows[0])
        .toEqual({ synchronous_standby_names: standbys })
    }
    await name('missing')
    expect(await callForTwoMinutes()).not.toContain('fulfilled')
    await name('')
    const last = await vi.waitFor(() => put(node, 'lamp'), { timeout: WAIT_MS })

    const { rows } = await session.query('SELECT count(*)::int AS count, max(id)::int AS max FROM messages')
    expect(rows).toEqual([{ count: last.id, max: last.id }])
  })
})
