/** A device out of service on two nodes over PostgreSQL: what one node sets holds on the other. */
import { beforeEach, expect, test, vi } from 'vitest'
import { Broker } from '../../src/broker/engine/broker.ts'
import { Dispatcher } from '../../src/broker/engine/dispatcher.ts'
import type { DispatchedMessage } from '../../src/broker/vocabulary/message.ts'
import { whenDone } from '../_support/cleanup.ts'
import { WAIT_MS } from '../_support/limits.ts'
import { NodesUnderTest, type OpenNode, put } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'

const LOG = { debug() {}, info() {}, error() {} }
const RULES = { durationsMs: [600_000], paced: false, deaf: false }

const until = (check: () => unknown) => vi.waitFor(check, { interval: 5, timeout: WAIT_MS })

let nodes: NodesUnderTest
beforeEach(() => {
  nodes = new NodesUnderTest(postgresServer())
})

/** Starts a broker on a node, with a connection of device `pump`. @returns the commands that it received */
async function connect(node: OpenNode): Promise<{ broker: Broker; received: number[] }> {
  const { messages } = node
  const broker = new Broker({ messages, log: LOG, queueLimit: 1_000 })
  await broker.pauses.load()
  const received: number[] = []
  const connections = {
    dispatch: (_deviceId: string, { id }: DispatchedMessage): true => {
      received.push(id)
      return true
    },
    disconnect: () => {},
  }
  const timing = { intervalMs: 0, attemptMs: 600_000, maxAttempts: 0 }
  const dispatcher = new Dispatcher({ broker, messages, connections, log: LOG, ...timing })
  whenDone(async () => {
    await dispatcher.close()
    await broker.pauses.close()
  })
  dispatcher.attach('pump', 'MQTT')
  await dispatcher.decided('pump')
  return { broker, received }
}

const change = (node: OpenNode, isOut: boolean) =>
  node.messages.changeService([
    { deviceId: 'pump', service: isOut ? { untilMs: null, reason: 'repair', by: null } : null, audit: null },
  ])

const outcomes = async (node: OpenNode, id: number) =>
  (await node.messageLog.extras(id)).attempts.map(({ outcome }) => outcome)

test('two nodes: one takes a device of the other out of service → its attempt ends, no command until the end', async () => {
  const [first, second] = [await nodes.open(), await nodes.open()]
  const { broker, received } = await connect(second)
  const { id } = await put(first, 'pump')
  await until(() => expect(received).toEqual([id]))
  await change(first, true)
  expect(await outcomes(first, id)).toEqual(['BUSY'])
  await until(() => expect(broker.pauses.forMs('pump')).toBe(Number.POSITIVE_INFINITY))
  await put(first, 'pump')
  expect(await broker.poll('pump')).toBeNull()
  expect(received).toEqual([id])
  await change(first, false)
  await until(() => expect(received).toEqual([id, id]))
})

test('two nodes: an attempt begins before the other node knows → it ends as BUSY too', async () => {
  const [first, second] = [await nodes.open(), await nodes.open()]
  const { id } = await put(first, 'pump')
  const head = await second.messages.head('pump')
  await change(first, true)
  if (head) await second.messages.take('pump', head, RULES)
  await until(async () => expect(await outcomes(first, id)).toEqual(['BUSY']))
  expect(await second.messages.openAttempts()).toEqual([])
})

test('two nodes: a node starts later → the device is out of service there before it connects', async () => {
  const first = await nodes.open()
  await change(first, true)
  await put(first, 'pump')
  const { broker, received } = await connect(await nodes.open())
  expect(broker.pauses.serviceOf('pump')).toMatchObject({ reason: 'repair' })
  expect(received).toEqual([])
})
