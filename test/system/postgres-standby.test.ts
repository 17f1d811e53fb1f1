/** The metric that tells whether the synchronous standby of PostgreSQL is missing. */
import { expect, test } from 'vitest'
import { whenDone } from '../_support/cleanup.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { PostgresServer } from '../_support/postgres.ts'
import { NodesUnderTest, put } from '../_support/postgres-nodes.ts'

test('none is promised → null; it is there → false; it stops → true, also for a role that sees no standby', {
  timeout: 2 * LIMIT_MS,
}, async () => {
  const primary = new PostgresServer(['fsync = off'])
  whenDone(() => primary.remove())
  await primary.query('CREATE ROLE plain LOGIN; GRANT CREATE ON DATABASE waybill TO plain')
  const nodes = new NodesUnderTest(primary)
  const node = await nodes.open()
  const plain = await new NodesUnderTest(primary).open({ hosts: [{ ...primary.config, user: 'plain' }] })
  expect(await node.metrics.standbyMissing()).toBe(null)

  const standby = new PostgresServer([], primary)
  whenDone(() => standby.remove())
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
  await primary.query('SELECT pg_reload_conf()')
  for (const each of [node, plain]) await expect.poll(() => each.metrics.standbyMissing()).toBe(false)
  await put(node, 'pump')

  standby.stop('immediate')
  void Promise.allSettled([put(node, 'pump'), put(plain, 'pump')])
  for (const each of [node, plain]) await expect.poll(() => each.metrics.standbyMissing()).toBe(true)
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = ''")
  await primary.query('SELECT pg_reload_conf()')
  for (const each of [node, plain]) await expect.poll(() => each.metrics.standbyMissing()).toBe(null)
})
