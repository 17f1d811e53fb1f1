/**
 * The verbs of messages read as many pages of a long queue as of an empty one, whatever the statistics were when their plans
 * were made. Pages are counted, no time is measured.
 */
import type pg from 'pg'
import { expect, test } from 'vitest'
import { NodesUnderTest } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'

const DEVICE = 'pump'
/** Messages of the device, and of a thousand others. */
const PENDING = 60_000
/** Pages that one call may read. The most expensive verb reads 71, and a part of the queue has hundreds. */
const MAX_PAGES = 100
const RULES = { durations_ms: [60_000], paced: true, deaf: false }
const NEW = {
  ...{
    device_id: DEVICE,
    command: 'start',
    guarantee: 1,
    data: '1',
    bytes: 20,
    has_terms: false,
    details: false,
  },
  ...{ max_messages: 1_000_000, max_bytes: 0 },
}

/** Returns a call of each verb about the device. @param id a pending message @param last another one */
function callsOf(fence: number, id: number, last: number): [verb: string, call: object][] {
  const line = { device_id: DEVICE, fence, transport: 'MQTT', ...RULES }
  return [
    ['enqueue', NEW],
    ['enqueue', { ...NEW, scope: 's', key: 'k', fingerprint: 'f' }],
    ['enqueue', { ...NEW, replaces: last }],
    ['claim', line],
    ['take', { ...line, id }],
    ['take', line],
    ['change_lines', { kind: 'attach', device_id: DEVICE }],
    ['change_lines', { kind: 'busy', device_id: DEVICE, for_ms: 1_000 }],
    ['acknowledge', { device_id: DEVICE, id, status: 2, name: 'ackCompleted' }],
    ['cancel_messages', { id: last, force: true }],
    ['make_unknown', { device_id: DEVICE, id, number: 1, outcome: 0, parks: true }],
    ['expire', { max: 1_000 }],
    ['look', { kind: 'head', device_id: DEVICE }],
    ['look', { kind: 'line', device_id: DEVICE }],
  ]
}

/** Performs a call in a transaction that is rolled back, and returns the pages that it read. */
async function pagesOf(session: pg.Client, nodeId: number, verb: string, call: object): Promise<number> {
  const text = verb === 'look' ? 'SELECT look($1)' : `SELECT ${verb}(${nodeId}, $1)`
  const values = [JSON.stringify([call])]
  await session.query('BEGIN')
  // Each session compiles a function once, which reads pages of the catalogue.
  await session.query(text, values)
  await session.query('ROLLBACK; BEGIN')
  const { rows } = await session.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values)
  await session.query('ROLLBACK')
  const { Plan: plan } = rows[0]['QUERY PLAN'][0]
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

/** Stores pending messages whose ids begin with a number. @param device SQL expression of the device of message n */
async function fill(session: pg.Client, from: number, device: string): Promise<void> {
  const numbers = `generate_series(${from}, ${from + PENDING - 1}) n`
  await session.query(
    `INSERT INTO messages (id, device_id, command, guarantee, created_at_ms, changed_at_ms, data)
     SELECT n, ${device}, 'start', 1, 1, 1, '1' FROM ${numbers}`,
  )
  await session.query(
    `INSERT INTO pending (device_id, delayed, id, place, bytes_place, bytes, guarantee, command)
     SELECT ${device}, false, n, n, n * 20, 20, 1, 'start' FROM ${numbers}`,
  )
}

test('pages: 60,000 messages of one device; plans from empty tables, new ones, new statistics → few for each call', async () => {
  const nodes = new NodesUnderTest(postgresServer())
  const node = await nodes.open()
  await node.messages.attach(DEVICE, 'MQTT')
  const session = await nodes.session()
  await session.query('SET jit = off')
  const { rows } = await session.query('SELECT node_id, fence FROM device_lines')
  const nodeId = rows[0].node_id as number
  const calls = callsOf(Number(rows[0].fence), 1, PENDING)
  const measure = async (phase: string) => {
    const found: [string, string, number][] = []
    for (const [verb, call] of calls) found.push([phase, verb, await pagesOf(session, nodeId, verb, call)])
    return found
  }
  await measure('empty')
  await fill(session, 1, `'${DEVICE}'`)
  await fill(session, PENDING + 1, "'valve-' || n % 1000")
  await session.query("SELECT setval('message_ids', $1)", [2 * PENDING])

  const found = [...(await measure('plans of empty tables'))]
  await session.query('DISCARD PLANS')
  found.push(...(await measure('new plans')))
  await session.query('ANALYZE pending; ANALYZE messages; ANALYZE device_lines; ANALYZE attempts')
  found.push(...(await measure('new statistics')))

  expect(found.filter(([, , pages]) => pages > MAX_PAGES)).toEqual([])
})
