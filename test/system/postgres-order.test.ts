/** A node reports its own changes and those of another node in their order, and late ones once. */
import { beforeEach, expect, test, vi } from 'vitest'
import type { StoreEvent } from '../../src/broker/contract/store.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { message } from '../_support/message.ts'
import { NodesUnderTest, type OpenNode, startPostgresProxy } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { seeded, seedOfRun } from '../_support/random.ts'
import { acknowledge, recordEvents, terms } from '../contract/store-under-test.ts'

const LIMITS = { messages: 1_000_000, bytes: 0 }
/** Reads the journal on a hint only. */
const SLOW = { times: { readMs: 600_000 } }
const REPLY_TO = { producerId: 'boss', correlationId: 7 }

const until = (check: () => unknown) => vi.waitFor(check, { interval: 5, timeout: WAIT_MS })

let nodes: NodesUnderTest
beforeEach(() => {
  nodes = new NodesUnderTest(postgresServer())
})

/** Stores a message with a finish time on a node, and makes it DELIVERED. */
async function putDelivered(node: OpenNode): Promise<number> {
  const parts = { terms: terms({ finishSeconds: 600 }), replyTo: REPLY_TO }
  const { id } = await node.messages.enqueue(message(parts), LIMITS)
  await acknowledge(node.messages, id, 'DELIVERED')
  return id
}

/** Collects what a node knows by the events of its store. */
class Memory {
  readonly unfinished = new Set<number>()
  readonly busy = new Set<string>()
  readonly added = new Set<string>()
  readonly removed = new Set<number>()

  constructor({ messages }: OpenNode) {
    messages.watch({
      added: ({ deviceId }) => this.added.add(deviceId),
      removed: ({ messageId }) => this.removed.add(messageId),
      unfinished: ({ forMs, messageId }) => this.unfinished[forMs === null ? 'delete' : 'add'](messageId),
      busy: ({ forMs, deviceId }) => this.busy[forMs > 0 ? 'add' : 'delete'](deviceId),
    })
  }
}

test('two nodes: they change the same messages at once, by chance → each knows what is stored', async () => {
  const seed = seedOfRun()
  const random = seeded(seed)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const both = [await nodes.open({ times: { readMs: 10 } }), await nodes.open({ times: { readMs: 10 } })]
  const memories = both.map((node) => new Memory(node))
  const session = await nodes.session()
  const devices = ['pump', 'valve', 'lamp']
  const parts = { terms: terms({ finishSeconds: 600 }) }
  const stored: { readonly id: number; readonly deviceId: string }[] = []
  const change = async ({ messages }: OpenNode): Promise<unknown> => {
    const deviceId = pick(devices)
    const kind = random()
    if (kind < 0.2 || stored.length === 0) {
      const { id } = await messages.enqueue(message({ ...parts, deviceId }), LIMITS)
      return stored.push({ id, deviceId })
    }
    if (kind < 0.35) return messages.setBusy(deviceId, random() < 0.5 ? 0 : 600_000)
    // The newest messages, so that the nodes meet.
    const each = pick(stored.slice(-4))
    if (kind < 0.45) return messages.cancel(each.id, { by: null, force: true })
    if (kind < 0.5) return messages.cancelAll(deviceId, { force: true, by: null }, { limit: 10_000 })
    const status = random() < 0.6 ? 'DELIVERED' : 'COMPLETED'
    return acknowledge(messages, each.id, status, each.deviceId)
  }
  const runs = Array.from({ length: 12 }, async (_, n) => {
    for (let step = 0; step < 40; step++) await change(both[n % 2] as OpenNode)
  })
  await Promise.all(runs)
  for (const node of both)
    await node.messages.enqueue(message({ deviceId: `end of ${node.node.id}` }), LIMITS)
  const ends = both.map(({ node }) => `end of ${node.id}`)
  await until(() =>
    expect(memories.map(({ added }) => ends.every((end) => added.has(end)))).toEqual([true, true]),
  )

  const ids = async (text: string) => (await session.query(text)).rows.map(({ id }) => id)
  const unfinished = (await ids('SELECT id FROM messages WHERE status = 1 AND finish_at_ms IS NOT NULL')).map(
    Number,
  )
  const busy = await ids('SELECT device_id AS id FROM device_lines WHERE busy_until_ms IS NOT NULL')
  const settled = (await ids('SELECT id FROM messages WHERE id NOT IN (SELECT id FROM pending)')).map(Number)
  const pending = await ids('SELECT DISTINCT device_id AS id FROM pending')
  for (const memory of memories) {
    expect(
      [...memory.unfinished].toSorted((a, b) => a - b),
      `SEED=${seed}`,
    ).toEqual(unfinished.toSorted((a, b) => a - b))
    expect([...memory.busy].toSorted(), `SEED=${seed}`).toEqual(busy.toSorted())
    expect(
      settled.filter((id) => !memory.removed.has(id)),
      `SEED=${seed}`,
    ).toEqual([])
    expect(
      pending.filter((deviceId) => !memory.added.has(deviceId)),
      `SEED=${seed}`,
    ).toEqual([])
  }
})

const unfinishedIn = (events: readonly StoreEvent[]) => events.filter(({ is }) => is === 'unfinished')
const statusesIn = (events: readonly StoreEvent[]) =>
  events.flatMap((event) => (event.is === 'transitioned' ? [event.transition.status] : []))

test('journal: it reports a DELIVERED that this node has completed meanwhile → the message is not unfinished', async () => {
  const [first, second] = [await nodes.open(SLOW), await nodes.open(SLOW)]
  const events = recordEvents(second.messages)
  const id = await putDelivered(first)
  await acknowledge(second.messages, id, 'COMPLETED')

  second.journal.hint()
  await until(() => expect(statusesIn(events)).toContain('DELIVERED'))
  expect(unfinishedIn(events)).toEqual([{ is: 'unfinished', deviceId: 'pump', messageId: id, forMs: null }])
})

test('journal: it reports a pause that this node has ended meanwhile → the device is not busy', async () => {
  const [first, second] = [await nodes.open(SLOW), await nodes.open(SLOW)]
  const events = recordEvents(second.messages)
  await first.messages.setBusy('pump', 600_000)
  await second.messages.setBusy('pump', 0)
  await putDelivered(first)

  second.journal.hint()
  await until(() => expect(statusesIn(events)).toContain('DELIVERED'))
  expect(events.filter(({ is }) => is === 'busy')).toEqual([{ is: 'busy', deviceId: 'pump', forMs: 0 }])
})

test('late result: a pause took effect after its caller got an error → reported once', async () => {
  const node = await nodes.open()
  const session = await nodes.session()
  await node.messages.attach('pump', 'MQTT')
  const events = recordEvents(node.messages)
  await session.query("BEGIN; SELECT FROM device_lines WHERE device_id = 'pump' FOR UPDATE")

  await expect(node.messages.setBusy('pump', 600_000)).rejects.toMatchObject({ code: 'storage-away' })
  await session.query('COMMIT')

  await until(() => expect(events).toEqual([{ is: 'busy', deviceId: 'pump', forMs: 600_000 }]))
})

test('late result: the node registered anew while a change waited for the database → announced once', async () => {
  const proxy = await startPostgresProxy(postgresServer())
  const times = { leaseMs: 400, beatMs: 50, deadMs: 600_000, readMs: 20 }
  const node = await nodes.open({ hosts: [proxy.config], times })
  const session = await nodes.session()
  const id = await putDelivered(node)
  const events = recordEvents(node.messages)
  const former = node.node.id
  // The call begins under the former number, and takes effect after the registration.
  await session.query('BEGIN')
  await session.query('SELECT FROM messages WHERE id = $1 FOR UPDATE', [id])
  const outcome = acknowledge(node.messages, id, 'COMPLETED')
  await until(async () => {
    const text = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%with_ticket%'"
    expect((await session.query(text)).rowCount).toBe(1)
  })
  proxy.dropsAnswers = true
  await until(() => expect(node.node.isLive()).toBe(false))
  proxy.dropsAnswers = false
  proxy.cut()
  await until(() => expect(node.node.id).not.toBe(former))
  await session.query('COMMIT')

  expect(await outcome).toMatchObject({ transition: { status: 'COMPLETED' } })
  const other = await nodes.open()
  await other.messages.enqueue(message({ deviceId: 'valve' }), LIMITS)
  await until(() => expect(events).toContainEqual({ is: 'added', deviceId: 'valve' }))
  // The other node stored the last message. No journal announces the change that the caller has.
  expect(statusesIn(events)).toEqual(['NOT_DELIVERED'])
})
