/**
 * Implements the storage contract over plain maps that several nodes share. Only tests use this driver. It proves that
 * the contract needs neither SQLite nor synchronous answers nor one process.
 *
 * Each call waits a random number of turns of the event loop, takes effect in one step, and waits again before it
 * returns. So a caller may observe another node's change, or the event of its own change, before its own result. The
 * same random numbers give the same order of all steps.
 */

import type { Clock } from '../../broker/clock.ts'
import type { DeviceSettings } from '../../broker/device-settings.ts'
import { BrokerError } from '../../broker/errors.ts'
import type { MessageParties, NewMessage, PendingMessage } from '../../broker/message.ts'
import type { Status } from '../../broker/status.ts'
import type {
  Acknowledgement,
  Claim,
  DeviceLease,
  EndedAttempt,
  Enqueued,
  MessageStore,
  Outcome,
  StoreEvent,
  StoreOptions,
  Taken,
  Transitioned,
} from '../../broker/store.ts'
import { MemoryData } from './memory-data.ts'
import type { MemoryAttempt } from './memory-line.ts'
import { type HeldCall, type Moment, Pauses, type StoreVerb } from './pauses.ts'

export interface MemoryOptions extends StoreOptions {
  readonly clock: Clock
  /** Returns numbers from 0 to below 1. A seeded source makes a run repeatable. */
  readonly random: () => number
}

/** Faults of the event delivery, common to all nodes. */
export interface EventFaults {
  /** Reports each event twice. The contract allows it. */
  repeat: boolean
  /** Reports no event. The contract forbids it, so only control runs use it. */
  drop: boolean
}

interface Shared {
  readonly data: MemoryData
  readonly random: () => number
  readonly nodes: Set<MemoryStore>
  readonly eventFaults: EventFaults
}

/** Opens the first node on empty maps. */
export function openMemory({ clock, random, ...options }: MemoryOptions): MemoryStore {
  const data = new MemoryData(clock, options)
  return new MemoryStore({ data, random, nodes: new Set(), eventFaults: { repeat: false, drop: false } })
}

/** One node of the memory driver. */
export class MemoryStore implements MessageStore {
  readonly #shared: Shared
  readonly #listeners = new Set<(event: StoreEvent) => void>()
  readonly #pauses: Pauses
  /** Resolves when the latest enqueue has waited its turns. */
  #enqueueReady: Promise<void> = Promise.resolve()
  #closed = false

  constructor(shared: Shared) {
    this.#shared = shared
    this.#pauses = new Pauses(shared.random)
    shared.nodes.add(this)
  }

  get eventFaults(): EventFaults {
    return this.#shared.eventFaults
  }

  /** Opens another node on the same maps. */
  second(): MemoryStore {
    return new MemoryStore(this.#shared)
  }

  /** Makes all later effects of this node fail with `storage-closed`. Its leases stay, as after a crash. */
  close(): void {
    this.#closed = true
    this.#shared.nodes.delete(this)
    this.#listeners.clear()
  }

  /** Ends the lease of a device. Any node may hold it. */
  lapse(deviceId: string): void {
    this.#shared.data.lapse(deviceId)
  }

  /** Holds the next call of a verb on this node before its effect or before its result. */
  hold(verb: StoreVerb, moment: Moment): HeldCall {
    return this.#pauses.hold(verb, moment)
  }

  /** Returns the attempts of a message, the first one first. */
  attempts(messageId: number): readonly MemoryAttempt[] {
    return this.#shared.data.attempts(messageId)
  }

  /** Stores a message after the earlier enqueues of this node, so that a producer's messages keep their order. */
  enqueue(message: NewMessage, limit: number): Promise<Enqueued> {
    const ready = this.#waitInOrder(this.#enqueueReady)
    this.#enqueueReady = ready.catch(() => {})
    return this.#perform('enqueue', ready, (data) => data.enqueue(message, limit))
  }

  async attach(deviceId: string, transport: string): Promise<DeviceLease> {
    const { fence, state } = await this.#call('attach', (data) => data.attach(deviceId, transport))
    return {
      state,
      claim: (ended, paced) => this.#claim(deviceId, fence, ended, paced),
      release: () => this.#call('release', (data) => data.release(deviceId, fence)),
    }
  }

  head(deviceId: string): Promise<PendingMessage | null> {
    return this.#call('head', (data) => data.head(deviceId))
  }

  take(deviceId: string, { id }: PendingMessage): Promise<Taken | null> {
    return this.#call('take', (data) => data.take(deviceId, id))
  }

  acknowledge(acknowledgement: Acknowledgement): Promise<Outcome | null> {
    return this.#call('acknowledge', (data) => data.acknowledge(acknowledgement))
  }

  cancel(messageId: number): Promise<Outcome | null> {
    return this.#call('cancel', (data) => data.cancel(messageId))
  }

  sendFailed(messageId: number): Promise<Transitioned | null> {
    return this.#call('sendFailed', (data) => data.sendFailed(messageId))
  }

  status(messageId: number): Promise<Status | null> {
    return this.#call('status', (data) => data.status(messageId))
  }

  parties(messageId: number): Promise<MessageParties | null> {
    return this.#call('parties', (data) => data.parties(messageId))
  }

  purge(changedBeforeMs: number): Promise<number> {
    return this.#call('purge', (data) => data.purge(changedBeforeMs))
  }

  newestMs(): Promise<number | null> {
    return this.#call('newestMs', (data) => data.newestMs())
  }

  deviceSettings(): Promise<ReadonlyMap<string, DeviceSettings>> {
    return this.#call('deviceSettings', (data) => data.deviceSettings())
  }

  changeDeviceSettings(deviceId: string, settings: DeviceSettings): Promise<void> {
    return this.#call('changeDeviceSettings', (data) => data.changeDeviceSettings(deviceId, settings))
  }

  watch(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #claim(deviceId: string, fence: number, ended: EndedAttempt | null, paced: boolean): Promise<Claim> {
    const claim = await this.#call('claim', (data) => data.claim(deviceId, fence, ended, paced))
    if (claim.is !== 'message' || this.#shared.random() < 0.5) return claim
    return { ...claim, recorded: this.#pauses.turns() }
  }

  #call<T>(verb: StoreVerb, effect: (data: MemoryData) => T): Promise<T> {
    return this.#perform(verb, this.#pauses.of(verb, 'effect'), effect)
  }

  async #perform<T>(verb: StoreVerb, ready: Promise<void>, effect: (data: MemoryData) => T): Promise<T> {
    await ready
    try {
      return this.#commit(effect)
    } finally {
      await this.#pauses.of(verb, 'result')
    }
  }

  #commit<T>(effect: (data: MemoryData) => T): T {
    if (this.#closed) throw new BrokerError('storage-closed', 'The server is shutting down.')
    const { data, nodes } = this.#shared
    const result = effect(data)
    for (const event of data.takeEvents()) {
      for (const node of nodes) {
        if (node !== this || event.is !== 'transitioned') node.#report(event)
      }
    }
    return result
  }

  #report(event: StoreEvent): void {
    const { repeat, drop } = this.#shared.eventFaults
    if (!drop) void this.#deliver(event)
    if (!drop && repeat) void this.#deliver(event)
  }

  async #deliver(event: StoreEvent): Promise<void> {
    await this.#pauses.turns()
    for (const listener of this.#listeners) listener(this.#shared.data.current(event))
  }

  async #waitInOrder(earlier: Promise<void>): Promise<void> {
    await this.#pauses.of('enqueue', 'effect')
    await earlier
  }
}
