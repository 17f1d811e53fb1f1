/** Delivery to devices that are there, over the real store, with the clock in the test's hands. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Broker, type Change } from '../../src/broker/broker.ts'
import { Delivery } from '../../src/broker/delivery.ts'
import type { Guarantee } from '../../src/broker/status.ts'
import type { Waiting } from '../../src/broker/store.ts'
import { whenDone } from '../_support/cleanup.ts'
import { TemporaryStore } from '../_support/store.ts'
import { alter, databaseIn } from '../_support/stored.ts'

const GAP_MS = 2_000
const TIMEOUT_MS = 30_000
const START_MS = 1_800_000_000_000
const LOG = { debug() {}, info() {}, error() {} }

interface Published {
  readonly deviceId: string
  readonly id: number
  readonly atMs: number
}

let store: TemporaryStore
let broker: Broker
let delivery: Delivery
let published: Published[]
let changes: Change[]
/** What the next publishes answer: whether they reached the device. */
let reaches: boolean

function open({ gapMs = GAP_MS } = {}): void {
  broker = new Broker({ messages: store.messages, queueLimit: 100, log: LOG })
  broker.onChange((change) => changes.push(change))
  delivery = new Delivery({
    broker,
    messages: store.messages,
    gapMs,
    responseTimeoutMs: TIMEOUT_MS,
    log: LOG,
    async publish(deviceId: string, { id }: Waiting, atMs: number) {
      published.push({ deviceId, id, atMs: atMs - START_MS })
      return reaches
    },
  })
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: START_MS })
  whenDone(() => vi.useRealTimers())
  store = new TemporaryStore()
  published = []
  changes = []
  reaches = true
  open()
  whenDone(() => delivery.close())
})

/** Until the disk has nothing left to do for anybody: a write that is answered comes after all before it. */
async function settle(): Promise<void> {
  for (let trip = 0; trip < 8; trip++) await store.messages.responseMissed(0)
}

/** Until nothing is left to do but what waits for a disk. */
async function turnOfPromises(): Promise<void> {
  for (let n = 0; n < 50; n++) await null
}

async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await settle()
}

const send = (deviceId = 'pump', guarantee: Guarantee = 'RECEIPT_CONFIRMATION', command = 'start') =>
  broker.enqueue({ deviceId, command, guarantee, senderId: null })

/** The disk refuses every change of a message. @returns ends it */
function refuse(): () => void {
  const database = databaseIn(store.directory)
  alter(
    database,
    `CREATE TRIGGER refuse BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'not this one'); END`,
  )
  return () => alter(database, 'DROP TRIGGER refuse')
}

const ids = (): number[] => published.map(({ id }) => id)

describe('a device that is there', () => {
  test('is given what waits at once, and what comes later when it comes', async () => {
    const first = await send()
    delivery.attach('pump')
    await settle()
    expect(published).toEqual([{ deviceId: 'pump', id: first, atMs: 0 }])

    await broker.acknowledge('pump', first, 'COMPLETED')
    await pass(GAP_MS)
    const second = await send()
    await settle()
    expect(ids()).toEqual([first, second])
  })

  test('has one command at a time, oldest first', async () => {
    const sent = [await send(), await send(), await send()]
    delivery.attach('pump')
    for (const [i, id] of sent.entries()) {
      await pass(GAP_MS)
      expect(ids()).toEqual(sent.slice(0, i + 1))
      await pass(GAP_MS)
      expect(ids()).toEqual(sent.slice(0, i + 1))
      await broker.acknowledge('pump', id, 'DELIVERED')
    }
  })

  test('is left in peace for the gap, also when it is quick', async () => {
    const [first, second] = [await send(), await send()]
    delivery.attach('pump')
    await settle()
    await broker.acknowledge('pump', first, 'COMPLETED')
    await pass(GAP_MS - 1)
    expect(ids()).toEqual([first])
    await pass(1)
    expect(published.at(-1)).toEqual({ deviceId: 'pump', id: second, atMs: GAP_MS })
  })

  test('does not wait for another device', async () => {
    const pump = await send('pump')
    const valve = await send('valve')
    delivery.attach('pump')
    delivery.attach('valve')
    await settle()
    expect(ids().toSorted()).toEqual([pump, valve])
  })

  test('without a gap has the next one as soon as it acknowledged', async () => {
    open({ gapMs: 0 })
    const sent = [await send(), await send()]
    delivery.attach('pump')
    await settle()
    await broker.acknowledge('pump', sent[0] as number, 'COMPLETED')
    await settle()
    expect(ids()).toEqual(sent)
  })

  test('without a gap does not wait for the disk to have what it acknowledged, its producer does', async () => {
    open({ gapMs: 0 })
    const sent = [await send(), await send()]
    delivery.attach('pump')
    await settle()
    const acknowledged = broker.acknowledge('pump', sent[0] as number, 'COMPLETED')
    await turnOfPromises()
    expect(ids()).toEqual(sent)
    expect(changes.map(({ status }) => status)).toEqual(['NOT_DELIVERED', 'NOT_DELIVERED'])
    await acknowledged
    expect(changes.at(-1)).toMatchObject({ messageId: sent[0], status: 'COMPLETED' })
  })

  test('is given a command again whose acknowledgement the disk refused, after the one that it has', async () => {
    open({ gapMs: 0 })
    const [first, second] = [await send(), await send()]
    delivery.attach('pump')
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
    expect(ids()).toEqual([first, second, first])
  })

  test('is given at once what could not be cancelled, as the disk refused that', async () => {
    const id = await send()
    refuse()
    const cancelled = broker.cancel(id, null)
    delivery.attach('pump')
    await turnOfPromises()
    expect(ids()).toEqual([])
    await expect(cancelled).rejects.toThrow('not this one')
    await settle()
    expect(ids()).toEqual([id])
  })

  test('is given at once what could not be cancelled, as it was handed over before a restart', async () => {
    const id = await send()
    delivery.attach('pump')
    await settle()
    await delivery.close()
    await store.reopen()
    open({ gapMs: 0 })
    const cancelled = broker.cancel(id, null)
    delivery.attach('pump')
    await turnOfPromises()
    expect(ids()).toEqual([id])
    await expect(cancelled).rejects.toMatchObject({ code: 'handed-over' })
    await settle()
    expect(ids()).toEqual([id, id])
  })
})

describe('a device that does not answer', () => {
  test('is given the same command again after the time-out, which is noted', async () => {
    const id = await send()
    delivery.attach('pump')
    await settle()
    await pass(TIMEOUT_MS - 1)
    expect(ids()).toEqual([id])
    expect(store.rows('SELECT delivered_error FROM messages')).toEqual([{ delivered_error: 0 }])
    await pass(1)
    expect(ids()).toEqual([id, id])
    expect(store.rows('SELECT delivered_error FROM messages')).toEqual([{ delivered_error: 1 }])
    await pass(TIMEOUT_MS)
    expect(ids()).toEqual([id, id, id])
    expect(store.rows('SELECT number, at_ms - created_at_ms AS after FROM attempts, messages')).toEqual([
      { number: 1, after: 0 },
      { number: 2, after: TIMEOUT_MS },
      { number: 3, after: 2 * TIMEOUT_MS },
    ])
  })

  test('is not given it again when ONLY_LAST took its place', async () => {
    const old = await send('pump', 'ONLY_LAST')
    delivery.attach('pump')
    await settle()
    const last = await send('pump', 'ONLY_LAST')
    await pass(GAP_MS)
    expect(ids()).toEqual([old, last])
  })
})

describe('a command with guarantee NO', () => {
  test('is DELIVERED when it goes out, once; the next follows after the gap', async () => {
    const [first, second] = [await send('pump', 'NO'), await send('pump', 'NO')]
    delivery.attach('pump')
    await settle()
    expect(ids()).toEqual([first])
    expect(await broker.status(first)).toBe('DELIVERED')
    expect(await broker.status(second)).toBe('NOT_DELIVERED')
    await pass(GAP_MS)
    expect(ids()).toEqual([first, second])
  })

  test('is UNKNOWN when the connection broke', async () => {
    reaches = false
    const id = await send('pump', 'NO')
    delivery.attach('pump')
    await settle()
    expect(await broker.status(id)).toBe('UNKNOWN')
    await pass(GAP_MS)
    expect(ids()).toEqual([id])
  })
})

describe('a device that leaves', () => {
  test('is given nothing until it comes back, and then what it did not acknowledge', async () => {
    const id = await send()
    delivery.attach('pump')
    await settle()
    await delivery.detach('pump')
    await pass(10 * TIMEOUT_MS)
    expect(ids()).toEqual([id])
    delivery.attach('pump')
    await settle()
    expect(ids()).toEqual([id, id])
    expect(store.rows('SELECT delivered_error FROM messages')).toEqual([{ delivered_error: 0 }])
  })

  test('with one of two connections is still there', async () => {
    delivery.attach('pump')
    delivery.attach('pump')
    await delivery.detach('pump')
    const id = await send()
    await settle()
    expect(ids()).toEqual([id])
  })

  test.each([
    ['and comes back', async () => delivery.detach('pump')],
    [
      'because the server starts again',
      async () => {
        await delivery.close()
        await store.reopen()
        open()
      },
    ],
  ])('%s keeps its gap', async (_, leave) => {
    const id = await send()
    delivery.attach('pump')
    await settle()
    await leave()
    vi.advanceTimersByTime(500)
    delivery.attach('pump')
    await pass(GAP_MS - 501)
    expect(ids()).toEqual([id])
    await pass(1)
    expect(published.map(({ atMs }) => atMs)).toEqual([0, GAP_MS])
  })

  test('while it is being given a command finds the gap all the same', async () => {
    const id = await send()
    delivery.attach('pump')
    void delivery.detach('pump')
    delivery.attach('pump')
    await pass(GAP_MS - 1)
    expect(ids()).toEqual([id])
  })
})

describe('listeners', () => {
  test('hear of every change, with whom to tell', async () => {
    const birth = { tmpId: 7, producerId: 'app' }
    const order = {
      deviceId: 'pump',
      command: 'start',
      guarantee: 'ONLY_LAST',
      birth,
      senderId: null,
    } as const
    const first = await broker.enqueue(order)
    const second = await broker.enqueue(order)
    await broker.acknowledge('pump', second, 'DELIVERED')
    await broker.acknowledge('pump', second, 'DELIVERED')
    await broker.acknowledge('pump', second, 'COMPLETED')
    const whom = { deviceId: 'pump', tmpId: 7, producerId: 'app' }
    expect(changes).toEqual([
      { messageId: first, status: 'NOT_DELIVERED', ...whom },
      { messageId: second, status: 'NOT_DELIVERED', ...whom },
      { messageId: first, status: 'CANCELLED', ...whom },
      { messageId: second, status: 'DELIVERED', ...whom },
      { messageId: second, status: 'COMPLETED', ...whom },
    ])
  })
})
