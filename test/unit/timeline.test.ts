/** The timeline of a message and the reason why it is pending, while it is dispatched over a connection. */

import { beforeEach, describe, expect, test, vi } from 'vitest'
import { actorNamed } from '../../src/audit/actor.ts'
import { Broker } from '../../src/broker/engine/broker.ts'
import { Dispatcher } from '../../src/broker/engine/dispatcher.ts'
import { type MessageDetail, Messages } from '../../src/broker/views/messages.ts'
import type { Guarantee } from '../../src/broker/vocabulary/status.ts'
import { whenDone } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'
import { WatchedStore } from '../_support/watched-store.ts'

const INTERVAL_MS = 2_000
const TIMEOUT_MS = 30_000
const START_MS = 1_800_000_000_000
const LOG = { debug() {}, info() {}, error() {} }

let store: TemporaryStore
let broker: Broker
let watched: WatchedStore
let dispatcher: Dispatcher
let messages: Messages
let reaches: boolean

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: START_MS })
  whenDone(() => vi.useRealTimers())
  store = new TemporaryStore()
  reaches = true
  watched = new WatchedStore()
  const observed = watched.over(store.messages)
  broker = new Broker({ messages: observed, queueLimit: 100, log: LOG })
  dispatcher = new Dispatcher({
    ...{
      broker,
      messages: observed,
      intervalMs: INTERVAL_MS,
      attemptMs: TIMEOUT_MS,
      maxAttempts: 0,
      log: LOG,
    },
    connections: { dispatch: async () => reaches, disconnect() {} },
  })
  whenDone(() => dispatcher.close())
  messages = new Messages({ ...sources(), hold: (deviceId) => dispatcher.hold(deviceId) })
})

const sources = () => ({
  ...{ messageLog: store.messageLog, searches: store.searches, messages: store.messages },
  ...{ pauses: broker.pauses, deviceSettings: broker.deviceSettings },
})

const send = async (guarantee: Guarantee = 'RECEIPT_CONFIRMATION'): Promise<number> =>
  (await broker.enqueue(message({ guarantee, senderId: 'app' }))).id

/** Resolves when the store has finished all calls. */
const settle = (): Promise<void> => watched.rest()

async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await settle()
}

const timeline = ({ changes, attempts }: MessageDetail): unknown => ({
  changes: changes.map(({ atMs, status, cause, by }) => [atMs - START_MS, status, cause, by]),
  attempts: attempts.map(({ atMs, transport, outcome }) => [atMs - START_MS, transport, outcome]),
})
const waits = async (id: number): Promise<unknown> => {
  const { wait } = await messages.get(id)
  return wait && [wait.reason, wait.messageId, wait.untilMs === null ? null : wait.untilMs - START_MS]
}

describe('a message dispatched over a connection', () => {
  test('pending, in flight, settled → the reason of each wait, each attempt and each change', async () => {
    const [first, second] = [await send(), await send()]
    expect(await waits(first)).toEqual(['DEVICE_AWAY', null, null])
    dispatcher.attach('pump', 'MQTT')
    await settle()
    expect(await waits(first)).toEqual(['ACKNOWLEDGEMENT', null, TIMEOUT_MS])
    expect(await waits(second)).toEqual(['BEHIND', first, null])

    await pass(TIMEOUT_MS)
    expect(timeline(await messages.get(first))).toMatchObject({
      attempts: [
        [0, 'MQTT', 'NOT_ACKNOWLEDGED'],
        [TIMEOUT_MS, 'MQTT', 'OPEN'],
      ],
    })
    expect((await messages.get(first)).message.deliveredError).toBe(true)
    await broker.acknowledge('pump', first, 'DELIVERED', 'pump')
    await settle()
    expect(await waits(second)).toEqual(['GAP', null, TIMEOUT_MS + INTERVAL_MS])
    await pass(INTERVAL_MS)
    await broker.acknowledge('pump', first, 'COMPLETED', 'admin')
    expect(timeline(await messages.get(first))).toEqual({
      changes: [
        [0, 'NOT_DELIVERED', 'STORED', 'app'],
        [TIMEOUT_MS, 'DELIVERED', 'ACKNOWLEDGED', 'pump'],
        [TIMEOUT_MS + INTERVAL_MS, 'COMPLETED', 'ACKNOWLEDGED', 'admin'],
      ],
      attempts: [
        [0, 'MQTT', 'NOT_ACKNOWLEDGED'],
        [TIMEOUT_MS, 'MQTT', 'ACKNOWLEDGED'],
      ],
    })
    expect(await waits(first)).toBe(null)
  })

  test('the interval is over and the message not yet sent → GOING_OUT', async () => {
    const id = await send()
    const atTheEnd = new Messages({
      ...sources(),
      hold: () => ({ is: 'IDLE', messageId: null, forMs: 0 }),
    })
    expect((await atTheEnd.get(id)).wait).toEqual({ reason: 'GOING_OUT', messageId: null, untilMs: null })
  })

  test('in flight → it cannot be cancelled; the next one can', async () => {
    const [first, second] = [await send(), await send()]
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await expect(broker.cancel(first, { by: actorNamed('admin') })).rejects.toMatchObject({
      code: 'handed-over',
    })
    expect(await broker.cancel(second, { by: actorNamed('admin') })).toEqual({
      status: 'CANCELLED',
      attempts: 0,
    })
    await broker.acknowledge('pump', first, 'DELIVERED')
    await pass(INTERVAL_MS)
    expect((await messages.get(second)).attempts).toEqual([])
  })
})

describe('a NO message', () => {
  test('dispatched → one attempt, DELIVERED', async () => {
    const id = await send('NO')
    dispatcher.attach('pump', 'MQTT')
    await settle()
    expect(timeline(await messages.get(id))).toEqual({
      changes: [
        [0, 'NOT_DELIVERED', 'STORED', 'app'],
        [0, 'DELIVERED', 'HANDED_OVER', null],
      ],
      attempts: [[0, 'MQTT', 'SENT']],
    })
  })

  test('the connection breaks → UNKNOWN, until its device reports more', async () => {
    reaches = false
    const id = await send('NO')
    dispatcher.attach('pump', 'MQTT')
    await settle()
    const broken = [
      [0, 'NOT_DELIVERED', 'STORED', 'app'],
      [0, 'DELIVERED', 'HANDED_OVER', null],
      [1, 'UNKNOWN', 'CONNECTION_BROKE', null],
    ]
    expect(timeline(await messages.get(id))).toEqual({
      changes: broken,
      attempts: [[0, 'MQTT', 'CONNECTION_BROKE']],
    })
    await pass(5_000)
    await broker.acknowledge('pump', id, 'DELIVERED', 'pump')
    expect(timeline(await messages.get(id))).toMatchObject({
      changes: [...broken, [5_000, 'DELIVERED', 'ACKNOWLEDGED', 'pump']],
    })
    await pass(1_000)
    await broker.acknowledge('pump', id, 'COMPLETED', 'pump')
    expect(timeline(await messages.get(id))).toMatchObject({
      changes: [...broken, [6_000, 'COMPLETED', 'ACKNOWLEDGED', 'pump']],
    })
  })
})

test('timeline: changes in the same millisecond → in their order', async () => {
  const id = await send()
  await broker.acknowledge('pump', id, 'DELIVERED')
  await broker.acknowledge('pump', id, 'COMPLETED')
  expect(timeline(await messages.get(id))).toMatchObject({
    changes: [
      [0, 'NOT_DELIVERED', 'STORED', 'app'],
      [0, 'DELIVERED', 'ACKNOWLEDGED', 'pump'],
      [1, 'COMPLETED', 'ACKNOWLEDGED', 'pump'],
    ],
  })
})
