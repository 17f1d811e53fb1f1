/**
 * Two brokers with a dispatcher each over one store in memory, under random schedules and with a clock that the test
 * moves. A device moves between the nodes, and producers and acknowledgements use either node.
 */
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { Broker } from '../../src/broker/engine/broker.ts'
import { Dispatcher } from '../../src/broker/engine/dispatcher.ts'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import type { DispatchedMessage } from '../../src/broker/vocabulary/message.ts'
import type { Guarantee, Status } from '../../src/broker/vocabulary/status.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { whenDone } from '../_support/cleanup.ts'
import { eventually } from '../_support/eventually.ts'
import { message } from '../_support/message.ts'
import { seeded } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'
import { STATUS_STEPS } from '../_support/status-steps.ts'
import { WatchedStore } from '../_support/watched-store.ts'

const INTERVAL_MS = 2_000
const ATTEMPT_MS = 30_000
/** Duration of the fifth and each further attempt. */
const LONGEST_ATTEMPT_MS = 5 * ATTEMPT_MS
const LOG = { debug() {}, info() {}, error() {} }

type Step =
  | { readonly do: 'send'; readonly node: number; readonly guarantee: Guarantee }
  | { readonly do: 'connect'; readonly node: number }
  | { readonly do: 'acknowledge'; readonly node: number }
  | { readonly do: 'pace'; readonly node: number; readonly periodMs: number | null }
  | { readonly do: 'leave' }
  | { readonly do: 'wait' }
  | { readonly do: 'miss' }

/** The device: the messages it received, and the rules at each of them. */
class Device {
  /** The node of its present connection. A node may still keep an earlier one. */
  at: number | null = null
  intervalMs = INTERVAL_MS
  readonly received: { readonly id: number; readonly guarantee: Guarantee; readonly atMs: number }[] = []
  /** Messages that the device acknowledged, and those that ONLY_LAST superseded. */
  readonly settled = new Set<number>()
  /** Number of ONLY_LAST messages that are being sent. Each may supersede the message in flight at any moment. */
  superseding = 0

  receive({ id, guarantee }: DispatchedMessage): void {
    const last = this.received.at(-1)
    if (last) {
      expect(Date.now() - last.atMs, 'the interval').toBeGreaterThanOrEqual(this.intervalMs)
      expect(id, 'the order').toBeGreaterThanOrEqual(last.id)
      const isSuperseded = last.guarantee === 'ONLY_LAST' && this.superseding > 0
      const isOver = last.guarantee === 'NO' || this.settled.has(last.id) || isSuperseded
      const inFlight = last.id !== id && !isOver
      expect(inFlight, 'another message is in flight').toBe(false)
    }
    const before = this.received.filter((each) => each.id === id)
    if (guarantee === 'NO') expect(before, 'a NO message twice').toEqual([])
    this.received.push({ id, guarantee, atMs: Date.now() })
  }
}

/** A node: a broker, its dispatcher, and the connections that it believes in. */
class Node {
  readonly broker: Broker
  readonly dispatcher: Dispatcher
  connections = 0
  /** The latest status of each message that this node announced. */
  readonly announced = new Map<number, Set<Status>>()

  constructor(store: MemoryStore, watched: WatchedStore, reaches: (message: DispatchedMessage) => void) {
    const messages = watched.over(store)
    this.broker = new Broker({ messages, queueLimit: 1_000, log: LOG })
    this.broker.onChange(({ messageId, status }) => {
      const statuses = this.announced.get(messageId) ?? new Set()
      const isOvertaken = [...statuses].some((earlier) => STATUS_STEPS[earlier] >= STATUS_STEPS[status])
      expect(isOvertaken, `${status} of ${messageId} after ${[...statuses]}`).toBe(false)
      this.announced.set(messageId, statuses.add(status))
    })
    this.dispatcher = new Dispatcher({
      ...{ broker: this.broker, messages, intervalMs: INTERVAL_MS, attemptMs: ATTEMPT_MS },
      ...{ maxAttempts: 0, log: LOG },
      connections: {
        dispatch: (_deviceId, each) => {
          if (this.connections > 0) reaches(each)
          return this.connections > 0
        },
        disconnect: () => this.leave(),
      },
    })
  }

  connect(): void {
    this.connections++
    this.dispatcher.attach('pump', 'MQTT')
  }

  leave(): void {
    for (; this.connections > 0; this.connections--) void this.dispatcher.detach('pump', 'MQTT')
  }
}

class World {
  readonly #watched = new WatchedStore()
  readonly #device = new Device()
  readonly #nodes: readonly Node[]
  /** Guarantees of the messages by id. */
  readonly #sent = new Map<number, Guarantee>()

  constructor(seed: number, repeat: boolean) {
    const random = seeded(seed)
    const first = openMemory({ clock: systemClock, random })
    first.eventFaults.repeat = repeat
    this.#nodes = [first, first.second()].map((store, n) => {
      return new Node(store, this.#watched, (each) => {
        if (this.#device.at === n) this.#device.receive(each)
      })
    })
  }

  async play(steps: readonly (readonly Step[])[]): Promise<void> {
    for (const round of steps) {
      await Promise.all(round.map((step) => this.#perform(step)))
      await this.#watched.rest()
    }
    await this.#drain()
    await this.#compare()
    for (const { dispatcher } of this.#nodes) await dispatcher.close()
  }

  async #perform(step: Step): Promise<void> {
    if (step.do === 'wait') vi.advanceTimersByTime(INTERVAL_MS)
    else if (step.do === 'miss') vi.advanceTimersByTime(ATTEMPT_MS)
    else if (step.do === 'leave') this.#leave()
    else if (step.do === 'pace') await this.#pace(this.#node(step.node), step.periodMs)
    else if (step.do === 'send') await this.#send(this.#node(step.node), step.guarantee)
    else if (step.do === 'acknowledge') await this.#acknowledge(this.#node(step.node))
    else this.#connect(step.node)
  }

  #node(n: number): Node {
    return this.#nodes[n] as Node
  }

  async #send({ broker }: Node, guarantee: Guarantee): Promise<void> {
    const command = guarantee === 'ONLY_LAST' ? 'set' : 'start'
    const { received, settled } = this.#device
    if (guarantee === 'ONLY_LAST') this.#device.superseding++
    const { id } = await broker.enqueue(message({ guarantee, command }))
    this.#sent.set(id, guarantee)
    if (guarantee !== 'ONLY_LAST') return
    this.#device.superseding--
    // The device may have a message whose sender does not know its id yet.
    const others = [...this.#sent].map(([each, its]) => ({ id: each, guarantee: its })).concat(received)
    const superseded = others.filter((each) => each.guarantee === 'ONLY_LAST' && each.id < id)
    for (const each of superseded) settled.add(each.id)
  }

  /** Changes the interval of the device. Both nodes know it before the next round begins. */
  async #pace({ broker }: Node, sendMessagePeriodMs: number | null): Promise<void> {
    // A node may dispatch under the earlier interval until it knows.
    this.#device.intervalMs = Math.min(this.#device.intervalMs, sendMessagePeriodMs ?? INTERVAL_MS)
    await broker.deviceSettings.change('pump', { ...GENERAL_SETTINGS, sendMessagePeriodMs })
    await this.#watched.rest()
    this.#device.intervalMs = sendMessagePeriodMs ?? INTERVAL_MS
  }

  /** Connects the device to a node. Its earlier connection stays half open. */
  #connect(node: number): void {
    this.#device.at = node
    this.#node(node).connect()
  }

  #leave(): void {
    if (this.#device.at !== null) this.#node(this.#device.at).leave()
    this.#device.at = null
  }

  async #acknowledge({ broker }: Node): Promise<void> {
    const last = this.#device.received.at(-1)
    if (!last || last.guarantee === 'NO' || this.#device.settled.has(last.id)) return
    this.#device.settled.add(last.id)
    await broker.acknowledge('pump', last.id, 'COMPLETED').catch(() => {})
  }

  async #drain(): Promise<void> {
    await this.#pace(this.#node(0), null)
    this.#connect(0)
    for (let n = 0; n < 3 * this.#sent.size + 3; n++) {
      await this.#watched.rest()
      await this.#acknowledge(this.#node(n % 2))
      await this.#watched.rest()
      vi.advanceTimersByTime(n % 5 === 4 ? LONGEST_ATTEMPT_MS : INTERVAL_MS)
    }
    await this.#watched.rest()
  }

  /** Expects every message to be settled, and both nodes to have announced its status. */
  async #compare(): Promise<void> {
    for (const [id, guarantee] of this.#sent) {
      const status = await this.#node(1).broker.status(id)
      const expected = {
        NO: ['DELIVERED', 'UNKNOWN'],
        RECEIPT_CONFIRMATION: ['COMPLETED'],
        ONLY_LAST: ['COMPLETED', 'CANCELLED'],
      }
      expect(expected[guarantee], `message ${id}`).toContain(status)
      for (const { announced } of this.#nodes) expect(announced.get(id), `message ${id}`).toContain(status)
    }
  }
}

const node = fc.nat({ max: 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      node,
      guarantee: fc.constantFrom<Guarantee>(
        'RECEIPT_CONFIRMATION',
        'RECEIPT_CONFIRMATION',
        'NO',
        'ONLY_LAST',
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('connect' as const), node }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('acknowledge' as const), node }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pace' as const),
      node,
      periodMs: fc.constantFrom(null, 500, 5_000),
    }),
  },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ do: 'wait' }, { do: 'leave' }, { do: 'miss' }) },
)
/** Steps of one round run at the same time. Time passes and the interval changes only between rounds. */
const alone = (each: Step): boolean => ['wait', 'miss', 'pace'].includes(each.do)
const round = fc
  .array(step, { minLength: 1, maxLength: 3 })
  .map((steps) => (steps.some(alone) ? steps.filter(alone).slice(0, 1) : steps))

test('two brokers: random schedules over one store → order and interval hold, all settled and announced', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_800_000_000_000 })
  whenDone(() => vi.useRealTimers())
  const schedules = fc.array(round, { maxLength: 40, size: 'max' })
  await fc.assert(
    fc.asyncProperty(schedules, fc.nat(), fc.boolean(), (steps, seed, repeat) =>
      new World(seed, repeat).play(steps),
    ),
    { numRuns: runs(60) },
  )
})

test('notices: the result of a change arrives after a later change of another node → the later one alone', async () => {
  const store = openMemory({ clock: systemClock, random: seeded(1) })
  const [here, there] = [store, store.second()].map(
    (messages) => new Broker({ messages, queueLimit: 10, log: LOG }),
  ) as [Broker, Broker]
  const notices: Status[] = []
  here.onChange(({ status }) => notices.push(status))
  const { id } = await there.enqueue(message())
  await eventually(() => expect(notices).toEqual(['NOT_DELIVERED']))
  const held = store.hold('acknowledge', 'result')
  const delivered = here.acknowledge('pump', id, 'DELIVERED')
  await held.reached
  await there.acknowledge('pump', id, 'COMPLETED')
  await eventually(() => expect(notices).toEqual(['NOT_DELIVERED', 'COMPLETED']))
  held.letGo()
  await delivered
  expect(notices).toEqual(['NOT_DELIVERED', 'COMPLETED'])
})
