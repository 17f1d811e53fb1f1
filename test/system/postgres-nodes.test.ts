/** Nodes on one PostgreSQL: the journal, hints, barriers, and the clean-up after a dead node. */
import type pg from 'pg'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { News } from '../../src/broker/contract/cluster.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { addedTo, NodesUnderTest, put, SHORT } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'

const NEWS: News = { is: 'session-taken', fence: 1, isClean: false, sessionId: 'pump' }

const until = (check: () => unknown) => vi.waitFor(check, { interval: 5, timeout: WAIT_MS })

let nodes: NodesUnderTest
beforeEach(() => {
  nodes = new NodesUnderTest(postgresServer())
})

describe('journal', () => {
  /** Writes a change in the name of a node that does not exist. */
  const write = (session: pg.Client, deviceId: string) =>
    session.query(
      'INSERT INTO changes (origin, message_id, status, cause, subject) VALUES (0, 1, 0, 0, $1)',
      [deviceId],
    )

  test('journal: a transaction commits after a younger one → each change is reported once', async () => {
    const devices = addedTo(await nodes.open())
    const [older, younger] = [await nodes.session(), await nodes.session()]
    await older.query('BEGIN')
    await write(older, 'older')
    await write(younger, 'younger')
    await until(() => expect(devices).toEqual(['younger']))
    await write(younger, 'second')
    await until(() => expect(devices).toEqual(['younger', 'second']))
    await older.query('COMMIT')
    await until(() => expect(devices).toContain('older'))
    await write(younger, 'last')
    await until(() => expect(devices).toEqual(['younger', 'second', 'older', 'last']))
  })

  test('journal: more changes than one read returns → all are reported once, those of a message in order', async () => {
    const node = await nodes.open()
    const session = await nodes.session()
    const statement = "SELECT read_changes('{-1}', $1, 10) AS page"
    const [{ snapshot }] = (await session.query('SELECT pg_current_snapshot()::text AS snapshot')).rows
    const open = await nodes.session()
    await open.query('BEGIN')
    await write(open, 'open')
    for (let n = 0; n < 35; n++) await write(session, `d${n}`)
    await open.query('COMMIT')

    const read: string[][] = []
    let page = { snapshot: snapshot as string, more: true, rows: [] as { subject: string }[] }
    for (let reads = 0; page.more && reads < 10; reads++) {
      page = (await session.query(statement, [page.snapshot])).rows[0].page
      read.push(page.rows.map(({ subject }) => subject))
    }

    expect(read.flat()).toEqual(['open', ...Array.from({ length: 35 }, (_, n) => `d${n}`)])
    expect(read.length).toBeGreaterThan(3)
    expect((await session.query(statement, [page.snapshot])).rows[0].page).toMatchObject({
      rows: [],
      more: false,
    })
    await node.close()
  })

  test('journal: a handler fails → the change is repeated, the later ones follow', async () => {
    const errors: unknown[] = []
    const node = await nodes.open({ onError: (error) => errors.push(error) })
    const seen: string[] = []
    node.journal.on('test', ({ subject }) => {
      seen.push(subject)
      if (seen.length === 1) throw new Error('not yet')
    })
    const session = await nodes.session()
    for (const name of ['ann', 'bob'])
      await session.query("INSERT INTO changes (origin, kind, subject) VALUES (0, 'test', $1)", [name])

    await until(() => expect(seen.slice(-2)).toEqual(['ann', 'bob']))
    expect(seen[0]).toBe('ann')
    expect(errors).toMatchObject([{ message: 'not yet' }])
  })

  test('journal: no handler can handle a change → skipped after some tries, a gap is reported, the later ones follow', async () => {
    const errors: Error[] = []
    const node = await nodes.open({ onError: (error) => errors.push(error as Error), times: { readMs: 20 } })
    const gaps: number[] = []
    node.journal.onGap(() => gaps.push(errors.length))
    const devices = addedTo(node)
    const others: string[] = []
    node.journal.on('message', ({ subject }) => void others.push(subject))
    const session = await nodes.session()
    const text = 'INSERT INTO changes (origin, message_id, status, cause, subject) VALUES (0, 1, 2, $1, $2)'
    await session.query(text, [99, 'of a newer release'])
    await write(session, 'pump')

    await until(() => expect(devices).toContain('pump'))
    expect(errors.map(({ name }) => name)).toEqual(['Error', 'Error', 'Error', 'Error', 'SkippedChange'])
    expect(errors.at(-1)).toMatchObject({
      row: { cause: 99 },
      cause: { message: expect.stringContaining('99') },
    })
    expect(others.slice(-2)).toEqual(['of a newer release', 'pump'])
    await until(() => expect(gaps).toEqual([5]))
  })

  test('journal: a slot is due for truncation → kept until every node has read it', async () => {
    const node = await nodes.open()
    const session = await nodes.session()
    const rows = async () => (await session.query('SELECT count(*)::int AS n FROM changes')).rows[0].n
    await node.close()
    await session.query('INSERT INTO nodes (node_id, tail) VALUES (99, pg_current_snapshot())')
    for (const slot of [0, 1, 2])
      await session.query("INSERT INTO changes (slot, origin, kind, subject) VALUES ($1, 0, 'news', '')", [
        slot,
      ])

    await session.query('SELECT rotate_changes(420)')
    expect(await rows()).toBe(3)

    await session.query('UPDATE nodes SET tail = pg_current_snapshot()')
    await session.query('SELECT rotate_changes(420)')
    expect(await rows()).toBe(2)
    await session.query('SELECT rotate_changes(420)')
    expect(await rows()).toBe(2)
  })
})

describe('hints', () => {
  test('hints: the other node stored a message → reported, though no regular read is due', async () => {
    const [here, there] = [await nodes.open(), await nodes.open({ times: { readMs: 3_600_000 } })]
    await here.node.beat()
    const devices = addedTo(there)

    for (const [n, device] of ['pump', 'valve', 'pump'].entries()) {
      await put(here, device)
      await until(() => expect(devices).toHaveLength(n + 1))
    }
    expect(devices).toEqual(['pump', 'valve', 'pump'])
  })

  test('hints: the node is alone → it sends none', async () => {
    const node = await nodes.open()
    const session = await nodes.session()
    await put(node, 'pump')
    const { rows } = await session.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_notify%'",
    )
    expect(rows).toEqual([{ n: 0 }])
  })

  test('hints: the listening connection was lost → changes still arrive', async () => {
    const [here, there] = [await nodes.open(), await nodes.open()]
    await here.node.beat()
    const session = await nodes.session()
    const devices = addedTo(there)
    await session.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query IN ('SELECT 1') AND pid <> pg_backend_pid()",
    )

    await put(here, 'pump')

    await until(() => expect(devices).toEqual(['pump']))
  })
})

describe('news', () => {
  test('tell: another node listens → it has the news and the sender, the sender has none', async () => {
    const [here, there] = [await nodes.open(), await nodes.open()]
    const news: unknown[] = []
    here.cluster.onNews(() => news.push('own'))
    there.cluster.onNews((each, from) => news.push([each, from]))

    await here.cluster.tell(NEWS)

    await until(() => expect(news).toEqual([[NEWS, here.cluster.nodeId]]))
    await here.cluster.tell({ ...NEWS, sessionId: 'a\u0000b' })
    await until(() => expect(news[1]).toEqual([{ ...NEWS, sessionId: 'a\u0000b' }, here.cluster.nodeId]))
    expect(news).toHaveLength(2)
  })
})

describe('dead nodes', () => {
  /** Adds a node that does nothing, with device lines. */
  async function addDead(session: pg.Client, lines: number, isStopped = false): Promise<void> {
    await session.query('INSERT INTO nodes (node_id, stopped, tail) VALUES (99, $1, pg_current_snapshot())', [
      isStopped,
    ])
    await session.query(
      'INSERT INTO lanes (node_id, lane) VALUES (99, 0); INSERT INTO tickets (node_id, lane, no) VALUES (99, 0, 1)',
    )
    await session.query(
      "INSERT INTO device_lines (device_id, fence, node_id) SELECT 'd' || n, 7, 99 FROM generate_series(1, $1::int) n",
      [lines],
    )
  }
  const traces = async (session: pg.Client) =>
    (
      await session.query(`SELECT (SELECT count(*) FROM nodes WHERE node_id = 99)::int AS nodes,
        (SELECT count(*) FROM lanes WHERE node_id = 99)::int AS lanes,
        (SELECT count(*) FROM tickets WHERE node_id = 99)::int AS tickets,
        (SELECT count(*) FROM device_lines WHERE node_id = 99)::int AS lines,
        (SELECT count(*) FROM device_lines WHERE fence = 7)::int AS fences`)
    ).rows[0]

  test('reap: a node has not beaten for long → its row, tickets and device lines are freed; the fences stay', async () => {
    await nodes.open({ times: SHORT })
    const session = await nodes.session()
    await addDead(session, 4_500)

    await until(async () =>
      expect(await traces(session)).toEqual({ nodes: 0, lanes: 0, tickets: 0, lines: 0, fences: 4_500 }),
    )
  })

  test('reap: a node stopped → removed by the next beat of another one', async () => {
    const node = await nodes.open()
    const session = await nodes.session()
    await addDead(session, 10, true)
    await node.node.beat()

    expect(await traces(session)).toEqual({ nodes: 0, lanes: 0, tickets: 0, lines: 0, fences: 10 })
  })

  test('reap: a batch of the node is not committed yet → its ticket is removed too', async () => {
    await nodes.open()
    const [session, batch] = [await nodes.session(), await nodes.session()]
    await addDead(session, 0)
    await batch.query(`BEGIN; SELECT with_ticket('tell', 99, 0::smallint, 2, '["news"]')`)
    const { rows } = await session.query('SELECT pg_backend_pid() AS pid')
    const reaped = session.query('SELECT reap(99, 0)')
    await until(async () =>
      expect((await batch.query('SELECT pg_blocking_pids($1) AS by', [rows[0].pid])).rows[0].by).toHaveLength(
        1,
      ),
    )
    await batch.query('COMMIT')
    await reaped

    expect(await traces(session)).toEqual({ nodes: 0, lanes: 0, tickets: 0, lines: 0, fences: 0 })
  })

  test('reap: a node lives → it stays', async () => {
    const [, there] = [await nodes.open({ times: SHORT }), await nodes.open({ times: SHORT })]
    const session = await nodes.session()
    const beats = async () =>
      (await session.query('SELECT beats FROM nodes WHERE node_id = $1', [there.cluster.nodeId])).rows[0]
        .beats
    await until(async () => expect(Number(await beats())).toBeGreaterThan(40))
  })

  test('close: a node ends → no row of it is left', async () => {
    const node = await nodes.open()
    await node.close()
    const { rows } = await (await nodes.session()).query(
      `SELECT (SELECT count(*)::int FROM nodes) AS nodes, (SELECT count(*)::int FROM lanes) AS lanes,
        (SELECT count(*)::int FROM tickets) AS tickets`,
    )
    expect(rows).toEqual([{ nodes: 0, lanes: 0, tickets: 0 }])
  })
})

describe('barrier', () => {
  test('barrier: another node handles a change → resolved only then', async () => {
    const [here, there] = [await nodes.open(), await nodes.open()]
    const steps: string[] = []
    let finish: () => void = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const began = new Promise<void>((resolve) => {
      there.journal.on('test', async () => {
        resolve()
        await finished
        steps.push('handled')
      })
    })
    const session = await nodes.session()
    await session.query("INSERT INTO changes (origin, kind, subject) VALUES ($1, 'test', 'ann')", [
      here.cluster.nodeId,
    ])
    const barrier = here.node.barrier().then(() => steps.push('passed'))
    await began
    await Promise.all([here, there].map(({ node }) => node.beat()))
    expect(steps).toEqual([])
    finish()
    await barrier

    expect(steps).toEqual(['handled', 'passed'])
  })

  test('barrier: the other node is dead → resolved when its lease is over', async () => {
    const node = await nodes.open({ times: SHORT })
    const session = await nodes.session()
    await session.query('INSERT INTO nodes (node_id, tail) VALUES (99, pg_current_snapshot())')

    await node.node.barrier()

    expect(node.node.others).toBe(0)
  })

  test('barrier: a transaction of another program runs → resolved, without the next regular beat', async () => {
    const rarely = { leaseMs: 3_600_000, beatMs: 3_600_000 }
    const [here] = [await nodes.open({ times: rarely }), await nodes.open({ times: rarely })]
    await here.node.beat()
    const session = await nodes.session()
    await session.query('BEGIN; SELECT pg_current_xact_id()')

    await here.node.barrier()

    expect(here.node.others).toBe(1)
    await session.query('COMMIT')
  })
})
