/** The dispatch over PostgreSQL: what depends on locks, batches and the lease of the node. */
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { Broker } from '../../src/broker/engine/broker.ts'
import { openPostgres } from '../../src/store/postgres/database.ts'
import { Node } from '../../src/store/postgres/nodes/node.ts'
import { whenDone } from '../_support/cleanup.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import {
  ATTEMPT_MS,
  claimMessage,
  expectEvent,
  put,
  RULES,
  recordEvents,
  terms,
} from '../contract/store-under-test.ts'

async function open() {
  const { config } = postgresServer()
  const schema = newSchema()
  const { messages, close } = await openPostgres({
    hosts: [config],
    schema,
    limits: { messages: 1_000, bytes: 0 },
  })
  const client = new pg.Client(config)
  await client.connect()
  await client.query(`SET search_path TO ${schema}`)
  whenDone(async () => {
    vi.restoreAllMocks()
    await close()
    await client.query(`DROP SCHEMA ${schema} CASCADE`)
    await client.end()
  })
  const statusOf = async (id: number): Promise<number> =>
    (await client.query('SELECT status FROM messages WHERE id = $1', [id])).rows[0].status
  return { messages, client, statusOf }
}

/** Waits until a statement waits for a lock of a transaction. */
async function expectWaiting(client: pg.Client): Promise<void> {
  const look = () => client.query('SELECT 1 FROM pg_locks WHERE NOT granted')
  await vi.waitFor(async () => expect((await look()).rowCount).toBeGreaterThan(0), { interval: 5 })
}

const UNKNOWN = 5

describe('dispatch over PostgreSQL', () => {
  test('claim: another transaction takes the message out of its queue meanwhile → the next message', async () => {
    const { messages, client } = await open()
    const first = await put(messages)
    const second = await put(messages)
    const lease = await messages.attach('pump', 'MQTT')
    await client.query('BEGIN')
    await client.query('DELETE FROM pending WHERE id = $1', [first])

    const claim = claimMessage(lease)
    await expectWaiting(client)
    await client.query('COMMIT')

    expect((await claim).message.id).toBe(second)
    expect((await messages.line('pump')).attempt).toMatchObject({ messageId: second })
  })

  test('take: another transaction takes the message out of its queue meanwhile → null', async () => {
    const { messages, client } = await open()
    const id = await put(messages)
    const head = await messages.head('pump')
    if (!head) throw new Error('The queue is empty.')
    await client.query('BEGIN')
    await client.query('DELETE FROM pending WHERE id = $1', [id])

    const taken = messages.take('pump', head, RULES)
    await expectWaiting(client)
    await client.query('COMMIT')

    expect(await taken).toBeNull()
  })

  test('takeFirst: an expired message, a delayed one that is due, then an attempt → the due message once', async () => {
    const { messages, client } = await open()
    const expired = await put(messages, { terms: terms({ validSeconds: 60 }) })
    const due = await put(messages, { terms: terms({ delaySeconds: 60 }), command: 'go', data: '{"a":1}' })
    await put(messages)
    await client.query('UPDATE pending SET expires_at_ms = now_ms() - 1 WHERE id = $1', [expired])
    await client.query('UPDATE pending SET due_at_ms = now_ms() - 1 WHERE id = $1', [due])

    const [taken, other] = await Promise.all([
      messages.takeFirst?.('pump', RULES),
      messages.takeFirst?.('lamp', RULES),
    ])
    expect(taken?.message).toMatchObject({ id: due, command: 'go', data: '{"a":1}', number: 1 })
    expect(other).toBeNull()
    expect(await messages.takeFirst?.('pump', RULES)).toBeNull()
    expect(await messages.head('pump')).toMatchObject({ message: { id: due }, attempt: { number: 1 } })
  })

  test('poll: a message is stored → the poll takes it in one call; the next poll looks, and writes nothing', async () => {
    const { messages } = await open()
    const log = { debug() {}, info() {}, error() {} }
    const broker = new Broker({ messages, queueLimit: 10, log })
    const [takeFirst, head, take] = (['takeFirst', 'head', 'take'] as const).map((name) =>
      vi.spyOn(messages, name),
    )

    const id = await put(messages)
    expect(await broker.poll('pump')).toMatchObject({ id, number: 1 })
    expect(takeFirst).toHaveBeenCalledTimes(1)
    expect(head).not.toHaveBeenCalled()

    expect(await broker.poll('pump')).toMatchObject({ id, number: 1 })
    expect(takeFirst).toHaveBeenCalledTimes(1)
    expect(head).toHaveBeenCalledTimes(1)
    expect(take).not.toHaveBeenCalled()
  })

  test('claim: the device attaches elsewhere while the claim waits for the line → lost', async () => {
    const { messages, client } = await open()
    const id = await put(messages)
    const lease = await messages.attach('pump', 'MQTT')
    await client.query('BEGIN')
    await client.query(`UPDATE device_lines SET fence = fence + 1, node_id = 4711 WHERE device_id = 'pump'`)

    const claim = lease.claim(null, RULES)
    await expectWaiting(client)
    await client.query('COMMIT')

    expect(await claim).toEqual({ is: 'lost' })
    expect(await messages.head('pump')).toMatchObject({ message: { id }, attempt: null })
  })

  test('attach: 10,000 devices at once → a lease of each, in batches', async () => {
    const { messages, client } = await open()
    const devices = Array.from({ length: 10_000 }, (_, n) => `pump-${n}`)
    await Promise.all(devices.map((each) => messages.attach(each, 'MQTT')))

    const { rows } = await client.query(
      'SELECT (SELECT sum(no)::int FROM tickets) AS batches, (SELECT count(*)::int FROM device_lines WHERE node_id IS NOT NULL) AS leases',
    )
    expect(rows).toEqual([{ batches: 40, leases: 10_000 }])
  })

  test('claim: many devices at once → each has its own message', async () => {
    const { messages } = await open()
    const devices = Array.from({ length: 600 }, (_, n) => `pump-${n}`)
    const ids = await Promise.all(
      devices.map((deviceId, n) => put(messages, { deviceId, guarantee: n % 2 ? 'NO' : 'ONLY_LAST' })),
    )
    const leases = await Promise.all(devices.map((each) => messages.attach(each, 'MQTT')))

    const claims = await Promise.all(leases.map((lease) => claimMessage(lease)))

    expect(claims.map(({ message }) => message.id)).toEqual(ids)
    expect(claims.map(({ transition }) => transition?.deviceId ?? null)).toEqual(
      devices.map((each, n) => (n % 2 ? each : null)),
    )
  })

  test('claim, take: planned while the tables were empty, then 5,000 messages are pending → a few rows are read', async () => {
    const { messages, client } = await open()
    await messages.attach('pump', 'MQTT')
    const { rows: lines } = await client.query('SELECT node_id, fence FROM device_lines')
    const line = {
      device_id: 'pump',
      fence: lines[0].fence,
      transport: 'MQTT',
      durations_ms: [1],
      paced: true,
      deaf: false,
    }
    const perform = (verb: string, calls: object) =>
      client.query(`SELECT ${verb}($1, $2) AS results`, [lines[0].node_id, JSON.stringify([calls])])
    const performAll = async (id: number) => {
      await perform('claim', line)
      await perform('make_unknown', { device_id: 'pump', id, number: 1, outcome: 0, parks: true })
      await perform('take', { ...line, id: id + 1 })
      await perform('change_lines', { kind: 'busy', device_id: 'pump', for_ms: 1 })
    }
    const [id] = [await put(messages), await put(messages)]
    await performAll(id)
    const devices = Array.from({ length: 5_000 }, (_, n) => `valve-${n}`)
    await Promise.all(devices.map((deviceId) => put(messages, { deviceId })))

    await client.query('BEGIN')
    await performAll((await messages.head('pump'))?.message.id ?? 0)
    const { rows } = await client.query(
      `SELECT relname, seq_tup_read + idx_tup_fetch AS read FROM pg_stat_xact_user_tables
       WHERE relname IN ('pending', 'device_lines', 'attempts_0', 'messages_0') AND schemaname = current_schema()`,
    )
    await client.query('COMMIT')

    expect(rows.filter(({ read }) => Number(read) > 100)).toEqual([])
  })

  test('claim: the lease of the node ends during the call → lost; a NO message is UNKNOWN and announced', async () => {
    const { messages, statusOf } = await open()
    const id = await put(messages, { guarantee: 'NO' })
    const events = recordEvents(messages)
    const lease = await messages.attach('pump', 'MQTT')
    vi.spyOn(Node.prototype, 'isLive').mockReturnValue(false)

    expect(await lease.claim(null, RULES)).toEqual({ is: 'lost' })
    const change = {
      messageId: id,
      deviceId: 'pump',
      replyTo: null,
      details: null,
      order: expect.any(Number),
    }
    for (const each of [
      { status: 'DELIVERED', cause: 'HANDED_OVER' },
      { status: 'UNKNOWN', cause: 'CONNECTION_BROKE' },
    ] as const)
      await expectEvent(events, { is: 'transitioned', transition: { ...change, ...each } })
    expect(await statusOf(id)).toBe(UNKNOWN)
  })

  test('claim: the lease of the node ends during the call, RECEIPT_CONFIRMATION → the next lease has the attempt', async () => {
    const { messages } = await open()
    const messageId = await put(messages)
    const lease = await messages.attach('pump', 'MQTT')
    const isLive = vi.spyOn(Node.prototype, 'isLive').mockReturnValue(false)
    expect(await lease.claim(null, RULES)).toEqual({ is: 'lost' })
    isLive.mockRestore()

    const { state } = await messages.attach('pump', 'MQTT')
    expect(state.attempt).toMatchObject({ messageId, number: 1 })
    expect(state.attempt?.runningMs).toBeLessThanOrEqual(ATTEMPT_MS)
  })
})
