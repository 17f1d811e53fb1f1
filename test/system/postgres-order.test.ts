/** A node reports its own changes and those of another node in their order, and late ones once. */
import { beforeEach, expect, test, vi } from 'vitest'
import type { StoreEvent } from '../../src/broker/store.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { message } from '../_support/message.ts'
import { NodesUnderTest, type OpenNode, startPostgresProxy } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'
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
  expect(statusesIn(events)).toEqual([])
})
