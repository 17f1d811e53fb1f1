/** The lease of a node on PostgreSQL: how it ends, and what the node does when it registers again. */
import type pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import type { News } from '../../src/broker/contract/cluster.ts'
import { eventually } from '../_support/eventually.ts'
import { addedTo, NodesUnderTest, put, SHORT } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'

const NEWS: News = { is: 'session-taken', fence: 1, isClean: false, sessionId: 'pump' }

let nodes: NodesUnderTest
beforeEach(() => {
  nodes = new NodesUnderTest(postgresServer())
})

describe('lease of a node', () => {
  test('lease: beats get no answer → over; the node registers again and goes on', async () => {
    const node = await nodes.open({ times: SHORT })
    const session = await nodes.session()
    const first = node.cluster.nodeId
    const lapses: boolean[] = []
    node.cluster.onLapse(() => lapses.push(node.node.isLive()))
    expect([node.node.isLive(), node.ready()]).toEqual([true, true])

    await session.query('BEGIN; LOCK TABLE nodes IN SHARE ROW EXCLUSIVE MODE')
    await eventually(() => expect(lapses).toEqual([false]))
    expect(node.ready()).toBe(false)
    await session.query('COMMIT')

    await eventually(() => expect(node.node.isLive()).toBe(true))
    expect(node.cluster.nodeId).toBeGreaterThan(first)
    expect(await put(node, 'pump')).toMatchObject({ id: 1 })
    expect(lapses).toEqual([false])
  })

  test('lease: the node was paused → over at the first look, before any timer', async () => {
    let nowMs = 0
    const node = await nodes.open({ nowMs: () => performance.now() + nowMs })
    expect(node.node.isLive()).toBe(true)
    nowMs = 60_000
    expect(node.node.isLive()).toBe(false)
  })

  test('lease: another node removed this one → over, and the state is reported anew', async () => {
    const node = await nodes.open({ times: SHORT })
    const session = await nodes.session()
    await put(node, 'pump')
    const gaps: number[] = []
    node.journal.onGap(() => gaps.push(node.cluster.nodeId))
    const first = node.cluster.nodeId

    await session.query('DELETE FROM nodes')

    await eventually(() => expect(gaps).toHaveLength(1))
    expect(gaps[0]).toBeGreaterThan(first)
    expect(await put(node, 'pump')).toMatchObject({ id: 2 })
  })

  test('lease: the node lapsed and was not removed → no change of the others is missed', async () => {
    const [node, other] = [await nodes.open({ times: SHORT }), await nodes.open()]
    const session = await nodes.session()
    const devices = addedTo(node)
    let lapses = 0
    node.cluster.onLapse(() => lapses++)
    await session.query(
      'BEGIN; LOCK TABLE nodes, ONLY changes_0, changes_1, changes_2 IN ACCESS EXCLUSIVE MODE',
    )
    // The node with short times may count the other one, which cannot beat either, as lapsed. Then the client sends again.
    const stored = put(other, 'pump').catch(() => eventually(() => put(other, 'pump')))
    await eventually(() => expect(lapses).toBe(1))
    await session.query('COMMIT')
    await stored

    await eventually(() => expect(devices).toContain('pump'))
    await eventually(() => expect(node.node.isLive()).toBe(true))
  })

  test('lease: a read of the journal began before the node registered again → no own news', async () => {
    const node = await nodes.open({ times: { beatMs: 50, readMs: 20 } })
    const session = await nodes.session()
    const news: unknown[] = []
    node.cluster.onNews((each) => news.push(each))
    const { id } = node.node
    await holdReads(session)
    await session.query('DELETE FROM nodes')
    await eventually(() => expect(node.node.id).toBeGreaterThan(id))

    await node.cluster.tell(NEWS)
    await session.query('SELECT pg_advisory_unlock(99)')
    await session.query("INSERT INTO changes (origin, kind, subject, content) VALUES (0, 'news', '', '{}')")

    await eventually(() => expect(news).toContainEqual({}))
    expect(news).toEqual([{}])
  })
})

/** Makes a read of the journal wait until the session unlocks 99. Resolves when one waits. */
async function holdReads(session: pg.Client): Promise<void> {
  const { rows } = await session.query("SELECT pg_get_functiondef('read_changes'::regproc) AS text")
  await session.query(rows[0].text.replace('read_changes', 'read_changes_now'))
  await session.query('SELECT pg_advisory_lock(99)')
  await session.query(`CREATE OR REPLACE FUNCTION read_changes(p_nodes int[], p_since pg_snapshot, p_limit int) RETURNS json LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(99);
      RETURN read_changes_now(p_nodes, p_since, p_limit);
    END $$`)
  const waits = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 99 AND NOT granted"
  await eventually(async () => expect((await session.query(waits)).rowCount).toBe(1))
}
