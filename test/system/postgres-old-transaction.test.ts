/** A transaction of another session stays open, so that PostgreSQL keeps all dead rows: a batch reads as many pages as before. */
import type pg from 'pg'
import { expect, test } from 'vitest'
import { LIMIT_MS } from '../_support/limits.ts'
import { NodesUnderTest, put } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'

const BATCHES = 1_500
/** Pages by which the index may grow on the way to its newest entry. */
const MAX_MORE = 4

/** Returns the pages that the look-up of the newest ticket reads: a call with the number of the newest one. */
async function pagesOf(session: pg.Client): Promise<number> {
  const { rows: lanes } = await session.query(
    'SELECT node_id, lane, no FROM tickets ORDER BY no DESC LIMIT 1',
  )
  const { node_id, lane, no } = lanes[0]
  const text = `SELECT with_ticket('enqueue', ${node_id}, ${lane}::smallint, ${no}, '[]')`
  // Each session compiles a function once, which reads pages of the catalogue.
  await session.query(text)
  const { rows } = await session.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`)
  const { Plan: plan } = rows[0]['QUERY PLAN'][0]
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

test.each([
  ['as PostgreSQL likes', ''],
  // By some statistics of the table, PostgreSQL prefers to read and sort all tickets of a lane.
  ['with a planner that prefers a bitmap', 'SET enable_indexscan = off'],
])(
  '1,500 batches beside an open transaction, %s → the ticket is found on as many pages as at first',
  {
    timeout: 2 * LIMIT_MS,
  },
  async (_what, planner) => {
    const nodes = new NodesUnderTest(postgresServer())
    const node = await nodes.open()
    const [session, old] = [await nodes.session(), await nodes.session()]
    await session.query(planner)
    await put(node, 'pump')
    const before = await pagesOf(session)
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1')

    for (let batch = 0; batch < BATCHES; batch++) await put(node, `device-${batch % 50}`)
    expect(await pagesOf(session)).toBeLessThanOrEqual(before + MAX_MORE)
    await old.query('ROLLBACK')
  },
)
