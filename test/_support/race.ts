/** Makes two concurrent calls, in random orders. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'vitest'
import type { MessageExtras } from '../../src/broker/contract/message-log.ts'
import type { Expiry, MaybePromise, MessageStore, Outcome } from '../../src/broker/contract/store.ts'
import type { MessageRecord, NewMessage } from '../../src/broker/vocabulary/message.ts'
import type { AckStatus } from '../../src/broker/vocabulary/status.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { acknowledge, claimMessage, put, RULES } from '../contract/store-under-test.ts'
import { HeldClock } from './clock.ts'
import { message } from './message.ts'
import { seeded } from './random.ts'
import { TemporaryStore } from './store.ts'

export interface Driver {
  readonly clock: HeldClock
  readonly first: MessageStore
  readonly second: MessageStore
  readonly device: string
  record(id: number): MaybePromise<MessageRecord | null>
  extras(id: number): MaybePromise<MessageExtras>
  /**
   * Maximum turns of the event loop between two calls; 0 for a driver that chooses the order of calls itself. In other
   * drivers calls of the same turn take effect in order.
   */
  readonly mostTurns: number
}

/** Returns a factory of worlds with two nodes each. */
export function memoryWorlds(): (seed: number) => World {
  return (seed) => {
    const clock = new HeldClock()
    const random = seeded(seed)
    const first = openMemory({ clock, random })
    const record = (id: number) => first.record(id)
    const extras = (id: number) => first.extras(id)
    const nodes = { first, second: first.second(), device: 'pump', mostTurns: 0 }
    return new World(random, { clock, record, extras, ...nodes })
  }
}

/** Returns a factory of worlds on one store, each with its own device. */
export function sqliteWorlds(): (seed: number) => World {
  const clock = new HeldClock()
  const store = new TemporaryStore({ clock, durationsMs: RULES.durationsMs })
  const record = (id: number) => store.messageLog.get(id)
  const extras = (id: number) => store.messageLog.extras(id)
  const nodes = { first: store.messages, second: store.messages, mostTurns: 8 }
  let count = 0
  return (seed) => new World(seeded(seed), { clock, record, extras, ...nodes, device: `pump-${count++}` })
}

/** Messages for one device. */
export class World {
  readonly random: () => number
  readonly clock: HeldClock
  readonly first: MessageStore
  readonly second: MessageStore
  readonly device: string
  readonly #driver: Driver

  constructor(random: () => number, driver: Driver) {
    this.random = random
    this.#driver = driver
    this.clock = driver.clock
    this.first = driver.first
    this.second = driver.second
    this.device = driver.device
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T
  }

  /** Makes two calls concurrently, or in a random order some turns apart. */
  async race<A, B>(a: () => MaybePromise<A>, b: () => MaybePromise<B>): Promise<[A, B]> {
    const { mostTurns } = this.#driver
    if (mostTurns === 0) return Promise.all([a(), b()])
    const isFirst = this.random() < 0.5
    const turns = Math.floor(this.random() * mostTurns)
    const late = async <T>(call: () => MaybePromise<T>): Promise<T> => {
      for (let turn = 0; turn < turns; turn++) await nextTurn()
      return call()
    }
    if (isFirst) return Promise.all([a(), late(b)])
    const second = b()
    return Promise.all([late(a), second])
  }

  message(parts: Partial<NewMessage> = {}): NewMessage {
    return message({ deviceId: this.device, ...parts })
  }

  put(parts: Partial<NewMessage> = {}): Promise<number> {
    return put(this.first, { deviceId: this.device, ...parts })
  }

  /** Stores a message and dispatches it over a lease. */
  async putDispatched(parts: Partial<NewMessage> = {}): Promise<number> {
    const id = await this.put(parts)
    await claimMessage(await this.attach())
    return id
  }

  attach() {
    return this.first.attach(this.device, 'MQTT')
  }

  head() {
    return this.first.head(this.device)
  }

  park(id: number) {
    return this.first.park(this.device, { messageId: id, number: 1 })
  }

  acknowledge(id: number, status: AckStatus): Promise<Outcome | null> {
    return acknowledge(this.second, id, status, this.device)
  }

  /** Processes the deadlines, and returns the changes of this world. */
  async expire(): Promise<Expiry> {
    const { settled, nextInMs } = await this.first.expire(1_000)
    return { settled: settled.filter(({ deviceId }) => deviceId === this.device), nextInMs }
  }

  async extras(id: number): Promise<MessageExtras> {
    return this.#driver.extras(id)
  }

  async state(id: number) {
    const { status, cause } = (await this.#driver.record(id)) ?? {}
    const { changes, report, attempts } = await this.extras(id)
    return {
      status,
      cause,
      causes: changes.map((each) => each.cause),
      lateStatus: report?.lateStatus ?? undefined,
      attempts,
    }
  }

  /** Expects that an acknowledgement counted, and that its message left the queue. */
  async expectCounted(id: number, outcome: Outcome | null, status: AckStatus): Promise<void> {
    expect(outcome).toMatchObject({ status, transition: { status, cause: 'ACKNOWLEDGED' } })
    expect(await this.state(id)).toMatchObject({ status, cause: null })
    expect(await this.head()).toBeNull()
  }
}
