/** Dispatch to connected devices, over the real store and with a clock that the test moves. */

import { beforeEach, describe, expect, test, vi } from 'vitest'
import { actorNamed } from '../../src/audit/actor.ts'
import { Broker } from '../../src/broker/broker.ts'
import { GENERAL_SETTINGS } from '../../src/broker/device-settings.ts'
import { Dispatcher } from '../../src/broker/dispatcher.ts'
import type { DispatchedMessage } from '../../src/broker/message.ts'
import type { Guarantee } from '../../src/broker/status.ts'
import type { Transitioned } from '../../src/broker/store.ts'
import { whenDone } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'
import { alter, databaseIn } from '../_support/stored.ts'
import { WatchedStore } from '../_support/watched-store.ts'

const INTERVAL_MS = 2_000
const ATTEMPT_MS = 30_000
const START_MS = 1_800_000_000_000
const DAY_MS = 86_400_000
const LOG = { debug() {}, info() {}, error() {} }

interface Sent {
  readonly deviceId: string
  readonly id: number
  readonly atMs: number
}

let store: TemporaryStore
let watched: WatchedStore
let broker: Broker
let dispatcher: Dispatcher
let sent: Sent[]
let changes: Transitioned[]
/** True while messages reach their device. */
let reaches: boolean

function open({ intervalMs = INTERVAL_MS } = {}): void {
  const messages = watched.over(store.messages)
  broker = new Broker({ messages, queueLimit: 100, log: LOG })
  broker.onChange((change) => changes.push(change))
  dispatcher = new Dispatcher({
    ...{ broker, messages, intervalMs, attemptMs: ATTEMPT_MS, maxAttempts: 10, log: LOG },
    connections: {
      async dispatch(deviceId: string, { id, atMs }: DispatchedMessage) {
        sent.push({ deviceId, id, atMs: atMs - START_MS })
        return reaches
      },
      disconnect() {},
    },
  })
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: START_MS })
  whenDone(() => vi.useRealTimers())
  store = new TemporaryStore()
  watched = new WatchedStore()
  sent = []
  changes = []
  reaches = true
  open()
  whenDone(() => dispatcher.close())
})

/** Resolves when the store has finished all calls. */
const settle = (): Promise<void> => watched.rest()

/** Resolves when nothing but calls that need the disk is left to do. */
async function turnOfPromises(): Promise<void> {
  for (let n = 0; n < 50; n++) await null
}

async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await settle()
}

async function send(deviceId = 'pump', guarantee: Guarantee = 'RECEIPT_CONFIRMATION', command = 'start') {
  const { id } = await broker.enqueue(message({ deviceId, command, guarantee }))
  return id
}

/** Makes the database refuse every change of a message. Returns a function that ends it. */
function refuse(): () => void {
  const database = databaseIn(store.directory)
  alter(
    database,
    `CREATE TRIGGER refuse BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'not this one'); END`,
  )
  return () => alter(database, 'DROP TRIGGER refuse')
}

const ids = (): number[] => sent.map(({ id }) => id)

describe('a connected device', () => {
  test('connects → is sent the pending message at once, and later ones as they arrive', async () => {
    const first = await send()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    expect(sent).toEqual([{ deviceId: 'pump', id: first, atMs: 0 }])

    await broker.acknowledge('pump', first, 'COMPLETED')
    await pass(INTERVAL_MS)
    const second = await send()
    await settle()
    expect(ids()).toEqual([first, second])
  })

  test('has several pending messages → one at a time, oldest first', async () => {
    const stored = [await send(), await send(), await send()]
    dispatcher.attach('pump', 'MQTT')
    for (const [i, id] of stored.entries()) {
      await pass(INTERVAL_MS)
      expect(ids()).toEqual(stored.slice(0, i + 1))
      await pass(INTERVAL_MS)
      expect(ids()).toEqual(stored.slice(0, i + 1))
      await broker.acknowledge('pump', id, 'DELIVERED')
    }
  })

  test('acknowledges before the interval is over → is sent the next message after it', async () => {
    const [first, second] = [await send(), await send()]
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await broker.acknowledge('pump', first, 'COMPLETED')
    await pass(INTERVAL_MS - 1)
    expect(ids()).toEqual([first])
    await pass(1)
    expect(sent.at(-1)).toEqual({ deviceId: 'pump', id: second, atMs: INTERVAL_MS })
  })

  test('another device has a message in flight → is sent its own at once', async () => {
    const pump = await send('pump')
    const valve = await send('valve')
    dispatcher.attach('pump', 'MQTT')
    dispatcher.attach('valve', 'MQTT')
    await settle()
    expect(ids().toSorted()).toEqual([pump, valve])
  })

  test('has no interval → is sent the next message at its acknowledgement', async () => {
    open({ intervalMs: 0 })
    const stored = [await send(), await send()]
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await broker.acknowledge('pump', stored[0] as number, 'COMPLETED')
    await settle()
    expect(ids()).toEqual(stored)
  })

  test('has no interval → is sent the next message before the acknowledgement is durable; the notification follows', async () => {
    open({ intervalMs: 0 })
    const stored = [await send(), await send()]
    dispatcher.attach('pump', 'MQTT')
    await settle()
    const acknowledged = broker.acknowledge('pump', stored[0] as number, 'COMPLETED')
    await turnOfPromises()
    expect(ids()).toEqual(stored)
    expect(changes.map(({ status }) => status)).toEqual(['NOT_DELIVERED', 'NOT_DELIVERED'])
    await acknowledged
    expect(changes.at(-1)).toMatchObject({ messageId: stored[0], status: 'COMPLETED' })
  })

  test('the disk refuses its acknowledgement → redelivered when the attempt is over', async () => {
    open({ intervalMs: 0 })
    const [first, second] = [await send(), await send()]
    dispatcher.attach('pump', 'MQTT')
    await settle()
    const accept = refuse()
    await expect(broker.acknowledge('pump', first, 'COMPLETED')).rejects.toThrow('not this one')
    await settle()
    expect(ids()).toEqual([first, second])
    accept()
    await send()
    expect(ids()).toEqual([first, second])
    await broker.acknowledge('pump', second, 'COMPLETED')
    await settle()
    expect(ids()).toEqual([first, second])
    // The attempt is still open, since nothing ended it: the device may repeat its acknowledgement.
    await pass(ATTEMPT_MS)
    expect(ids()).toEqual([first, second, first])
  })

  test('the disk refuses a cancellation → sent at once', async () => {
    const id = await send()
    refuse()
    const cancelled = broker.cancel(id, { by: actorNamed(null) })
    dispatcher.attach('pump', 'MQTT')
    await turnOfPromises()
    expect(ids()).toEqual([])
    await expect(cancelled).rejects.toThrow('not this one')
    await settle()
    expect(ids()).toEqual([id])
  })

  test('a cancellation comes after a dispatch before a restart → sent at once', async () => {
    const id = await send()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await dispatcher.close()
    await store.reopen()
    open({ intervalMs: 0 })
    const cancelled = expect(broker.cancel(id, { by: actorNamed(null) })).rejects
    dispatcher.attach('pump', 'MQTT')
    await cancelled.toMatchObject({ code: 'handed-over' })
    await settle()
    expect(ids()).toEqual([id, id])
  })
})

describe('a device that does not answer', () => {
  test('the attempt is over → the message is redelivered, its delivery error recorded', async () => {
    const id = await send()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await pass(ATTEMPT_MS - 1)
    expect(ids()).toEqual([id])
    expect(store.rows('SELECT delivered_error FROM messages')).toEqual([{ delivered_error: 0 }])
    await pass(1)
    expect(ids()).toEqual([id, id])
    expect(store.rows('SELECT delivered_error FROM messages')).toEqual([{ delivered_error: 1 }])
    await pass(2 * ATTEMPT_MS - 1)
    expect(ids()).toEqual([id, id])
    await pass(1)
    expect(ids()).toEqual([id, id, id])
    expect(store.rows('SELECT number, at_ms - created_at_ms AS after FROM attempts, messages')).toEqual([
      { number: 1, after: 0 },
      { number: 2, after: ATTEMPT_MS },
      { number: 3, after: 3 * ATTEMPT_MS },
    ])
  })

  test('ONLY_LAST supersedes the message in flight → not redelivered', async () => {
    const old = await send('pump', 'ONLY_LAST')
    dispatcher.attach('pump', 'MQTT')
    await settle()
    const last = await send('pump', 'ONLY_LAST')
    await pass(INTERVAL_MS)
    expect(ids()).toEqual([old, last])
  })
})

describe('a NO message', () => {
  test('dispatched → DELIVERED, once; the next after the interval', async () => {
    const [first, second] = [await send('pump', 'NO'), await send('pump', 'NO')]
    dispatcher.attach('pump', 'MQTT')
    await settle()
    expect(ids()).toEqual([first])
    expect(await broker.status(first)).toBe('DELIVERED')
    expect(await broker.status(second)).toBe('NOT_DELIVERED')
    await pass(INTERVAL_MS)
    expect(ids()).toEqual([first, second])
  })

  test('the connection breaks → UNKNOWN, not redelivered', async () => {
    reaches = false
    const id = await send('pump', 'NO')
    dispatcher.attach('pump', 'MQTT')
    await settle()
    expect(await broker.status(id)).toBe('UNKNOWN')
    await pass(INTERVAL_MS)
    expect(ids()).toEqual([id])
  })
})

describe('a device that leaves', () => {
  test('comes back → is sent the message it did not acknowledge', async () => {
    const id = await send()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await dispatcher.detach('pump', 'MQTT')
    await pass(10 * ATTEMPT_MS)
    expect(ids()).toEqual([id])
    dispatcher.attach('pump', 'MQTT')
    await settle()
    expect(ids()).toEqual([id, id])
    expect(store.rows('SELECT delivered_error FROM messages')).toEqual([{ delivered_error: 0 }])
  })

  test('comes back over another transport → the attempt has that transport', async () => {
    const id = await send()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await dispatcher.detach('pump', 'MQTT')
    dispatcher.attach('pump', 'TCP')
    await pass(INTERVAL_MS)
    expect(ids()).toEqual([id, id])
    expect(store.rows('SELECT transport FROM attempts')).toEqual([
      { transport: 'MQTT' },
      { transport: 'TCP' },
    ])
  })

  test('ends one of two connections → is still connected', async () => {
    dispatcher.attach('pump', 'MQTT')
    dispatcher.attach('pump', 'MQTT')
    await dispatcher.detach('pump', 'MQTT')
    const id = await send()
    await settle()
    expect(ids()).toEqual([id])
  })

  test.each([
    ['comes back', async () => dispatcher.detach('pump', 'MQTT')],
    [
      'comes back after a restart of the server',
      async () => {
        await dispatcher.close()
        await store.reopen()
        open()
      },
    ],
  ])('%s → the interval holds', async (_, leave) => {
    const id = await send()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await leave()
    vi.advanceTimersByTime(500)
    dispatcher.attach('pump', 'MQTT')
    await pass(INTERVAL_MS - 501)
    expect(ids()).toEqual([id])
    await pass(1)
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, INTERVAL_MS])
  })

  test('leaves during a dispatch and comes back → the interval holds', async () => {
    const id = await send()
    dispatcher.attach('pump', 'MQTT')
    void dispatcher.detach('pump', 'MQTT')
    dispatcher.attach('pump', 'MQTT')
    await pass(INTERVAL_MS - 1)
    expect(ids()).toEqual([id])
  })
})

describe('a device with an interval of its own', () => {
  const pace = (sendMessagePeriodMs: number | null): Promise<void> =>
    broker.deviceSettings.change('pump', { ...GENERAL_SETTINGS, sendMessagePeriodMs })
  const sendTwice = async (): Promise<void> => {
    await send('pump', 'NO')
    await send('pump', 'NO')
  }
  const times = (): number[] => sent.map(({ atMs }) => atMs)

  test('set before it connects → that interval; other devices keep the general one', async () => {
    await pace(500)
    await sendTwice()
    await send('valve', 'NO')
    await send('valve', 'NO')
    dispatcher.attach('pump', 'MQTT')
    dispatcher.attach('valve', 'MQTT')
    await settle()
    await pass(500)
    await pass(INTERVAL_MS - 501)
    expect(sent.map(({ deviceId, atMs }) => [deviceId, atMs])).toEqual([
      ['pump', 0],
      ['valve', 0],
      ['pump', 500],
    ])
  })

  test('made shorter while pacing → the pause ends earlier', async () => {
    await sendTwice()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await pass(300)
    await pace(500)
    expect(dispatcher.hold('pump')).toEqual({ is: 'PACING', messageId: null, forMs: 200 })
    await pass(200)
    expect(times()).toEqual([0, 500])
  })

  test('made longer while pacing, then general again → the pause of the moment', async () => {
    await sendTwice()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await pace(60_000)
    await pass(INTERVAL_MS)
    expect(times()).toEqual([0])
    await pace(null)
    await settle()
    expect(times()).toEqual([0, INTERVAL_MS])
  })

  test('no general interval, and a restart after a dispatch → the own interval holds', async () => {
    open({ intervalMs: 0 })
    await pace(500)
    await sendTwice()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    await pass(200)
    await dispatcher.close()
    await store.reopen()
    open({ intervalMs: 0 })
    await broker.deviceSettings.load()
    dispatcher.attach('pump', 'MQTT')
    await pass(299)
    expect(times()).toEqual([0])
    await pass(1)
    expect(times()).toEqual([0, 500])
  })

  test('no interval at all → no time of a dispatch is stored', async () => {
    open({ intervalMs: 0 })
    await sendTwice()
    dispatcher.attach('pump', 'MQTT')
    await settle()
    expect(times()).toEqual([0, 0])
    expect(store.rows('SELECT * FROM devices')).toEqual([])
  })
})

test('nextAfter COMPLETED: DELIVERED is being written → the next message is not dispatched', async () => {
  open({ intervalMs: 0 })
  const settings = { ...GENERAL_SETTINGS, nextAfter: 'COMPLETED' as const, finishSeconds: 600 }
  await broker.deviceSettings.change('pump', settings)
  const [first, second] = [await send(), await send()]
  dispatcher.attach('pump', 'MQTT')
  await settle()
  const acknowledged = broker.acknowledge('pump', first, 'DELIVERED')
  await turnOfPromises()
  expect(ids()).toEqual([first])
  await acknowledged
  await settle()
  expect(ids()).toEqual([first])
  await broker.acknowledge('pump', first, 'COMPLETED')
  await settle()
  expect(ids()).toEqual([first, second])
})

describe('listeners', () => {
  test('a status changes → called once with its reply-to; a repeated acknowledgement → not called', async () => {
    const replyTo = { producerId: 'app', correlationId: 7 }
    const { id: first } = await broker.enqueue(message({ guarantee: 'ONLY_LAST', replyTo }))
    const { id: second } = await broker.enqueue(message({ guarantee: 'ONLY_LAST', replyTo }))
    await broker.acknowledge('pump', second, 'DELIVERED')
    await broker.acknowledge('pump', second, 'DELIVERED')
    await broker.acknowledge('pump', second, 'COMPLETED')
    const whom = { deviceId: 'pump', replyTo, details: null }
    expect(changes).toEqual([
      { messageId: first, status: 'NOT_DELIVERED', cause: 'STORED', ...whom },
      { messageId: second, status: 'NOT_DELIVERED', cause: 'STORED', ...whom },
      { messageId: first, status: 'CANCELLED', cause: 'SUPERSEDED', ...whom },
      { messageId: second, status: 'DELIVERED', cause: 'ACKNOWLEDGED', ...whom },
      { messageId: second, status: 'COMPLETED', cause: 'ACKNOWLEDGED', ...whom },
    ])
  })
})

describe('a wall clock that is set back', () => {
  test.each([1, 60])(
    'by %i days, while the server runs → dispatch goes on with its interval',
    async (days) => {
      const [first, second] = [await send(), await send()]
      dispatcher.attach('pump', 'MQTT')
      await settle()
      vi.setSystemTime(START_MS - days * DAY_MS)
      await broker.acknowledge('pump', first, 'COMPLETED')
      await pass(INTERVAL_MS - 1)
      expect(ids()).toEqual([first])
      await pass(1)
      expect(ids()).toEqual([first, second])
    },
  )

  test.each([1, 60])(
    'by %i days, before a restart → the device waits for one interval at most',
    async (days) => {
      const first = await send()
      dispatcher.attach('pump', 'MQTT')
      await settle()
      await broker.acknowledge('pump', first, 'COMPLETED')
      await dispatcher.close()
      await store.reopen()
      open()
      vi.setSystemTime(START_MS - days * DAY_MS)
      const second = await send()
      dispatcher.attach('pump', 'MQTT')
      await pass(INTERVAL_MS)
      expect(ids()).toEqual([first, second])
    },
  )
})

test('pacing interval: longer than a timer of Node → kept, without a busy loop', async () => {
  const intervalMs = 60 * DAY_MS
  open({ intervalMs })
  const [first, second] = [await send(), await send()]
  dispatcher.attach('pump', 'MQTT')
  await settle()
  await broker.acknowledge('pump', first, 'COMPLETED')
  await settle()
  const timers = vi.spyOn(globalThis, 'setTimeout')
  await pass(intervalMs - 1)
  expect(timers.mock.calls.length).toBeLessThan(10)
  expect(ids()).toEqual([first])
  await pass(1)
  expect(ids()).toEqual([first, second])
})
