/** The sessions of a node in PostgreSQL: their names, their settings, and what becomes of those that a node gives up. */
import { hostname } from 'node:os'
import { expect, test, vi } from 'vitest'
import { Connection } from '../../src/store/postgres/connection.ts'
import { whenDone } from '../_support/cleanup.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { NodesUnderTest, put } from '../_support/postgres-nodes.ts'
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
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['enqueue', 'reads', 'beats', 'journal', 'listen'].map(of)),
  )
})
