/**
 * PostgreSQL gives numbers of transactions out again, after a crash, that it had not written to its log. A node that has read the journal
 * beyond such a number must still learn of the change that gets it.
 */
import type pg from 'pg'
import { expect, test, vi } from 'vitest'
import { whenDone } from '../_support/cleanup.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { PostgresServer } from '../_support/postgres.ts'
import { addedTo, NodesUnderTest, put, startPostgresProxy } from '../_support/postgres-nodes.ts'

/** Transactions that end without a trace in the log. */
const LOST = 300
/** No beat of a node writes the log during the test. */
const TIMES = { readMs: 20, beatMs: 120_000, leaseMs: 240_000, deadMs: 480_000 }

const until = (check: () => unknown) => vi.waitFor(check, { interval: 10, timeout: WAIT_MS })

/** Returns the number of the next transaction. */
async function nextNumber(session: pg.Client): Promise<number> {
  const { rows } = await session.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS number')
  return Number(rows[0].number)
}

/** Uses up numbers of transactions, and waits until both nodes have read the journal. Returns the number of the next one. */
async function loseNumbers(session: pg.Client): Promise<number> {
  for (let n = 0; n < LOST; n++) await session.query('BEGIN; SELECT pg_current_xact_id(); ROLLBACK')
  const { rows } = await session.query('SELECT clock_timestamp() AS now')
  await until(async () => {
    const reads = await session.query(
      `SELECT FROM pg_stat_activity WHERE query LIKE '%read_changes%' AND pid <> pg_backend_pid() AND query_start > $1`,
      [rows[0].now],
    )
    expect(reads.rowCount).toBe(2)
  })
  return nextNumber(session)
}

test('crash: numbers of transactions are given out again → the other node learns of the next message', async () => {
  const server = new PostgresServer(['wal_writer_delay = 10s', 'autovacuum = off'])
  whenDone(() => server.remove())
  const nodes = new NodesUnderTest(server)
  const storing = await nodes.open({ times: TIMES })
  const proxy = await startPostgresProxy(server)
  const reading = await nodes.open({ times: TIMES, hosts: [proxy.config] })
  const added = addedTo(reading)
  await put(storing, 'first')
  await until(() => expect(added).toContain('first'))

  // A flush of the log that comes in between keeps the numbers.
  for (let isLower = false; !isLower; ) {
    proxy.dropsAnswers = false
    proxy.cut()
    const before = await loseNumbers(await nodes.session())
    // The reading node comes back after the message is stored.
    proxy.dropsAnswers = true
    await server.crash()
    await server.startAgain()
    isLower = (await nextNumber(await nodes.session())) < before
  }
  await put(storing, 'second')
  proxy.dropsAnswers = false
  proxy.cut()

  await until(() => expect(added).toContain('second'))
})
