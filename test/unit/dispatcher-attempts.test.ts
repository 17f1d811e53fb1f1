/** Dispatch to devices that crash, do not answer, pause or wait, over the store in memory and with a clock that the test moves. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Broker } from '../../src/broker/broker.ts'
import { systemClock } from '../../src/broker/clock.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../../src/broker/device-settings.ts'
import { Dispatcher } from '../../src/broker/dispatcher.ts'
import type { NewMessage } from '../../src/broker/message.ts'
import { NO_TERMS } from '../../src/broker/message.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { whenDone } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { seeded } from '../_support/random.ts'
import { WatchedStore } from '../_support/watched-store.ts'

const ATTEMPT_MS = 30_000
const INTERVAL_MS = 2_000
const START_MS = 1_800_000_000_000
const LOG = { debug() {}, info() {}, error() {} }

let store: MemoryStore
let watched: WatchedStore
let broker: Broker
let dispatcher: Dispatcher
/** Counted events. */
let counted: string[]
/** Each dispatch: the message and the seconds since the start. */
let sent: [id: number, seconds: number][]
let onDispatch: () => void

function open({ maxAttempts = 10, intervalMs = INTERVAL_MS } = {}): void {
  const messages = watched.over(store)
  const counters = { count: (event: string) => void counted.push(event) }
  broker = new Broker({ messages, queueLimit: 100, log: LOG, maxAttempts, attemptMs: ATTEMPT_MS, counters })
  dispatcher = new Dispatcher({
    ...{ broker, messages, counters, intervalMs, attemptMs: ATTEMPT_MS, maxAttempts, log: LOG },
    connections: {
      dispatch(_deviceId, { id }) {
        sent.push([id, (Date.now() - START_MS) / 1_000])
        onDispatch()
        return true
      },
      disconnect() {},
    },
  })
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: START_MS })
  whenDone(() => vi.useRealTimers())
  store = openMemory({ clock: systemClock, random: seeded(1) })
  watched = new WatchedStore()
  sent = []
  counted = []
  onDispatch = () => {}
  open()
  whenDone(() => dispatcher.close())
})

const settle = (): Promise<void> => watched.rest()

/** Lets seconds pass, one after the other. */
async function pass(seconds: number): Promise<void> {
  for (let n = 0; n < seconds; n++) {
    vi.advanceTimersByTime(1_000)
    await settle()
  }
}

async function send(parts: Partial<NewMessage> = {}): Promise<number> {
  const { id } = await broker.enqueue(message(parts))
  await settle()
  return id
}

const times = (): number[] => sent.map(([, seconds]) => seconds)
const ids = (): number[] => sent.map(([id]) => id)
const change = (settings: Partial<DeviceSettings>): Promise<void> =>
  broker.deviceSettings.change('pump', { ...GENERAL_SETTINGS, ...settings })

async function connect(transport = 'MQTT'): Promise<void> {
  dispatcher.attach('pump', transport)
  await settle()
}

describe('a device that does not answer', () => {
  test('ten attempts, each longer, then parked and the next message dispatched', async () => {
    const [first, second] = [await send(), await send()]
    await connect()
    await pass(1_200)
    expect(times()).toEqual([0, 30, 90, 180, 300, 450, 600, 750, 900, 1_050, 1_200])
    expect(ids()).toEqual([...Array(10).fill(first), second])
    expect([await broker.status(first), await broker.status(second)]).toEqual(['UNKNOWN', 'NOT_DELIVERED'])
    expect(counted.filter((event) => event === 'NOT_ACKNOWLEDGED')).toHaveLength(10)
    expect(counted.filter((event) => event === 'UNKNOWN')).toHaveLength(1)
    expect(dispatcher.unanswered(1)).toEqual([])
  })

  test('a limit of its own, and one of the device → parked after as many attempts', async () => {
    await change({ maxAttempts: 1 })
    const first = await send({ terms: { ...NO_TERMS, maxAttempts: 2 } })
    const second = await send()
    await connect()
    await pass(120)
    expect(sent).toEqual([
      [first, 0],
      [first, 30],
      [second, 90],
    ])
    expect([await broker.status(first), await broker.status(second)]).toEqual(['UNKNOWN', 'UNKNOWN'])
  })

  test('fifty messages → three are parked, 47 stay pending; one acknowledgement → all are dispatched', async () => {
    open({ maxAttempts: 1 })
    const all: number[] = []
    for (let n = 0; n < 50; n++) all.push(await send())
    await connect()
    await pass(90)
    expect(broker.deaf.isDeaf('pump')).toBe(true)
    expect(ids()).toEqual(all.slice(0, 4))
    await pass(600)
    // The oldest pending message is dispatched every 150 seconds, as one attempt.
    expect(sent.slice(3)).toEqual([90, 240, 390, 540, 690].map((seconds) => [all[3], seconds]))
    expect(store.extras(all[3] as number).attempts).toHaveLength(1)
    expect(dispatcher.hold('pump')).toMatchObject({ is: 'ACKNOWLEDGEMENT', forMs: 150_000 })

    for (const id of all.slice(3)) {
      await broker.acknowledge('pump', id, 'COMPLETED')
      await settle()
      await pass(2)
    }
    expect(ids().slice(7)).toEqual(all.slice(3))
    const statuses = await Promise.all(all.map((id) => broker.status(id)))
    expect(statuses).toEqual([...Array(3).fill('UNKNOWN'), ...Array(47).fill('COMPLETED')])
  })
})

describe('a device that crashes at each dispatch and reconnects at once', () => {
  test('attempts 1 to 3 follow at the interval, later ones at their ends; then parked', async () => {
    open({ maxAttempts: 6 })
    onDispatch = () => {
      setTimeout(() => {
        void dispatcher.detach('pump', 'MQTT')
        dispatcher.attach('pump', 'MQTT')
      }, 500)
    }
    const [first, second] = [await send(), await send()]
    await connect()
    await pass(426)
    expect(sent).toEqual([
      ...[0, 2, 4, 6, 126, 276].map((seconds) => [first, seconds]),
      ...[426].map((seconds) => [second, seconds]),
    ])
    expect(await broker.status(first)).toBe('UNKNOWN')
    const { attempts } = store.extras(first)
    expect(attempts.map(({ outcome }) => outcome)).toEqual([
      ...Array(3).fill('CONNECTION'),
      ...Array(3).fill('TIMEOUT'),
    ])
  })

  test('from the fourth attempt on → the hold says when the next one starts', async () => {
    const id = await send()
    await connect()
    for (let n = 0; n < 4; n++) {
      await pass(3)
      await dispatcher.detach('pump', 'MQTT')
      await connect()
    }
    expect(ids()).toEqual([id, id, id, id])
    expect(dispatcher.hold('pump')).toEqual({ is: 'BACK_OFF', messageId: id, forMs: 117_000 })
  })
})

describe('a device that asks for a pause', () => {
  test('during an attempt → the message first afterwards, and the attempt does not count', async () => {
    const [first, second] = [await send(), await send()]
    await connect()
    await pass(5)
    await broker.setBusy('pump', 60)
    await settle()
    expect(dispatcher.hold('pump')).toMatchObject({ is: 'BUSY', forMs: 60_000 })
    await pass(60)
    expect(sent).toEqual([
      [first, 0],
      [first, 65],
    ])
    expect(store.extras(first).attempts.map(({ outcome }) => outcome)).toEqual(['BUSY', null])
    await broker.acknowledge('pump', first, 'COMPLETED')
    await pass(2)
    expect(ids()).toEqual([first, first, second])
  })

  test('before it connects → the pause holds; polls get nothing', async () => {
    const id = await send()
    await broker.setBusy('pump', 60)
    await connect()
    expect(await broker.poll('pump')).toBeNull()
    await pass(59)
    expect(ids()).toEqual([])
    await pass(1)
    expect(ids()).toEqual([id])
  })

  test('the pause is ended → dispatched at once', async () => {
    const id = await send()
    await broker.setBusy('pump', 60)
    await connect()
    await broker.setBusy('pump', 0)
    await settle()
    expect(ids()).toEqual([id])
  })
})

describe('a device that polls beside its connection', () => {
  test('a poll began an attempt → nothing is dispatched until its end', async () => {
    const id = await send()
    expect(await broker.poll('pump')).toMatchObject({ id, number: 1 })
    dispatcher.attach('pump', 'REST')
    await settle()
    expect(dispatcher.hold('pump')).toEqual({ is: 'ACKNOWLEDGEMENT', messageId: id, forMs: ATTEMPT_MS })
    await pass(30)
    expect(sent).toEqual([[id, 30]])
  })

  test('a poll while a message is in flight → joins the attempt', async () => {
    const id = await send()
    await connect()
    expect(await broker.poll('pump')).toMatchObject({ id, number: 1 })
    await pass(30)
    expect(sent).toEqual([
      [id, 0],
      [id, 30],
    ])
  })

  test('a poll begins an attempt while the interval holds the next dispatch → it runs to its end', async () => {
    open({ intervalMs: 50_000 })
    const id = await send()
    await connect()
    await pass(40)
    expect(await broker.poll('pump')).toMatchObject({ id, number: 2 })
    await pass(60)
    expect(sent).toEqual([
      [id, 0],
      [id, 100],
    ])
    expect(store.extras(id).attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'TIMEOUT'],
      [2, 'TIMEOUT'],
      [3, null],
    ])
  })

  test('an interval of its own → polls and dispatches keep it together', async () => {
    await change({ sendMessagePeriodMs: 10_000 })
    const guarantee = 'NO'
    const all = [await send({ guarantee }), await send({ guarantee }), await send({ guarantee })]
    expect(await broker.poll('pump')).toMatchObject({ id: all[0] })
    expect(await broker.poll('pump')).toBeNull()
    await pass(4)
    await connect()
    await pass(5)
    expect(ids()).toEqual([])
    await pass(1)
    expect(sent).toEqual([[all[1], 10]])
    await pass(9)
    expect(await broker.poll('pump')).toBeNull()
    await dispatcher.detach('pump', 'MQTT')
    await pass(1)
    expect(await broker.poll('pump')).toMatchObject({ id: all[2] })
  })
})

describe('a waiting poll', () => {
  test('no interval of its own → the general interval does not apply', async () => {
    await send({ guarantee: 'NO' })
    await send({ guarantee: 'NO' })
    await connect('REST')
    expect(times()).toEqual([0, 0])
  })

  test('beside an MQTT connection → the general interval applies; after its end no longer', async () => {
    await connect('REST')
    await connect('MQTT')
    for (let n = 0; n < 3; n++) await send({ guarantee: 'NO' })
    expect(times()).toEqual([0])
    await pass(2)
    expect(times()).toEqual([0, 2])
    expect(await dispatcher.detach('pump', 'MQTT')).toBeUndefined()
    await settle()
    expect(times()).toEqual([0, 2, 2])
  })

  test('decided: a message is pending → resolves after its dispatch; none → resolves', async () => {
    await broker.enqueue(message())
    dispatcher.attach('pump', 'REST')
    await dispatcher.decided('pump')
    expect(times()).toEqual([0])
    dispatcher.attach('valve', 'REST')
    await dispatcher.decided('valve')
    await dispatcher.decided('unknown')
    expect(times()).toEqual([0])
  })
})

describe('a device whose next command follows the end of the one before', () => {
  const terms = { ...NO_TERMS, finishSeconds: 600 }

  test.each(['MQTT', 'REST'])(
    'DELIVERED over %s → the next one after the final status',
    async (transport) => {
      await change({ nextAfter: 'COMPLETED', finishSeconds: 600 })
      const [first, second] = [await send({ terms }), await send({ terms })]
      await connect(transport)
      await broker.acknowledge('pump', first, 'DELIVERED')
      await pass(10)
      expect(ids()).toEqual([first])
      expect(await broker.poll('pump')).toBeNull()
      expect(dispatcher.hold('pump')).toMatchObject({ is: 'UNFINISHED' })
      await broker.acknowledge('pump', first, 'COMPLETED')
      await settle()
      expect(ids()).toEqual([first, second])
    },
  )

  test('it never finishes → the next one when the finish time is over', async () => {
    await change({ nextAfter: 'COMPLETED', finishSeconds: 600 })
    const [first, second] = [await send({ terms }), await send({ terms })]
    await connect()
    await broker.acknowledge('pump', first, 'DELIVERED')
    await pass(599)
    expect(ids()).toEqual([first])
    await pass(1)
    expect(ids()).toEqual([first, second])
  })

  test('the setting comes while a message is unfinished → applies to that message', async () => {
    const [first, second] = [await send({ terms }), await send({ terms })]
    await connect()
    await change({ nextAfter: 'COMPLETED', finishSeconds: 600 })
    await broker.acknowledge('pump', first, 'DELIVERED')
    await pass(10)
    expect(ids()).toEqual([first])
    await change({})
    await settle()
    expect(ids()).toEqual([first, second])
  })
})

describe('a delayed message', () => {
  test('is due → dispatched; younger ones before it do not change that', async () => {
    const delayed = await send({ terms: { ...NO_TERMS, delaySeconds: 60 } })
    const other = await send({ guarantee: 'NO' })
    await connect()
    await pass(59)
    expect(ids()).toEqual([other])
    expect(dispatcher.hold('pump')).toMatchObject({ is: 'LATER', forMs: 1_000 })
    await pass(1)
    expect(ids()).toEqual([other, delayed])
  })
})
