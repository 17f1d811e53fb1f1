/**
 * Implements the storage contract over plain maps that several nodes share, for tests only. It proves that the contract
 * needs neither SQLite nor synchronous answers nor a single process.
 *
 * Each call waits a random number of turns of the event loop, takes effect in one step, and waits again before it
 * returns. A caller may therefore observe another node's change, or the event of its own change, before its own result.
 * The same random numbers give the same order of all steps.
 */

import type { AuditEntry, AuditLine } from '../../audit/audit.ts'
import type {
  AttemptRules,
  Claim,
  DeviceAttempt,
  DeviceLease,
  EndedAttempt,
  Head,
  LineState,
  Taken,
} from '../../broker/contract/device-lease.ts'
import type { DeviceService, ServiceChange, ServiceOutcome } from '../../broker/contract/device-service.ts'
import type { MessageExtras } from '../../broker/contract/message-log.ts'
import type { StatisticsStore } from '../../broker/contract/statistics-store.ts'
import type {
  Acknowledgement,
  CancelChange,
  CancelFilter,
  CancelledMessages,
  CancelOutcome,
  Enqueued,
  Expiry,
  LastAttempt,
  ManyChanges,
  MessageStore,
  Outcome,
  QueueLimits,
  Replay,
  ReplayAllChanges,
  ReplayChange,
  ReplayedMessages,
  ReplayFilter,
  StoreEvent,
  Transitioned,
} from '../../broker/contract/store.ts'
import { type StoreListener, StoreListeners } from '../../broker/contract/store-listeners.ts'
import type { Clock } from '../../broker/vocabulary/clock.ts'
import type { DeviceSettings } from '../../broker/vocabulary/device-settings.ts'
import { BrokerError } from '../../broker/vocabulary/errors.ts'
import type { MessageParties, MessageRecord, NewMessage } from '../../broker/vocabulary/message.ts'
import type { Status } from '../../broker/vocabulary/status.ts'
import { cancel, cancelAll, replay, replayAll } from './memory-cancel-replay.ts'
import { MemoryData } from './memory-data.ts'
import { expire } from './memory-deadlines.ts'
import * as dispatch from './memory-dispatch.ts'
import * as lookups from './memory-lookups.ts'
import { acknowledge } from './memory-reports.ts'
import { memoryStatistics } from './memory-statistics.ts'
import { enqueue } from './memory-submissions.ts'
import { type HeldCall, type Moment, Pauses, type StoreVerb } from './pauses.ts'

export interface MemoryOptions {
  readonly clock: Clock
  /** Returns numbers from 0 to below 1. A seeded source makes a run reproducible. */
  readonly random: () => number
}

/** Faults of the event delivery, common to all nodes. */
export interface EventFaults {
  /** Reports each event twice, which the contract allows. */
  repeat: boolean
  /** Reports no event, which the contract forbids. For control runs only. */
  drop: boolean
}

interface Shared {
  readonly data: MemoryData
  readonly random: () => number
  readonly nodes: Set<MemoryStore>
  readonly eventFaults: EventFaults
}

/** Events that a node reports before the call of its change resolves. */
const OWN_AT_ONCE: readonly StoreEvent['is'][] = ['busy', 'service', 'settings']

export function openMemory({ clock, random }: MemoryOptions): MemoryStore {
  const data = new MemoryData(clock)
  return new MemoryStore({ data, random, nodes: new Set(), eventFaults: { repeat: false, drop: false } })
}

export class MemoryStore implements MessageStore {
  readonly #shared: Shared
  readonly #listeners = new StoreListeners()
  readonly #pauses: Pauses
  /** Resolves after the random delay of the latest enqueue. */
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

  second(): MemoryStore {
    return new MemoryStore(this.#shared)
  }

  /** Makes all later effects of this node fail with `storage-closed`. Its leases stay, as after a crash. */
  close(): void {
    this.#closed = true
    this.#shared.nodes.delete(this)
    this.#listeners.clear()
    for (const node of this.#shared.nodes) node.#report({ is: 'attempts-left' }, false)
  }

  /** Ends the lease of a device, whichever node holds it. */
  lapse(deviceId: string): void {
    this.#shared.data.line(deviceId).endLease()
  }

  /** Holds the next call of a verb on this node before its effect or before its result. */
  hold(verb: StoreVerb, moment: Moment): HeldCall {
    return this.#pauses.hold(verb, moment)
  }

  /** Returns the record of a message synchronously; null for an unknown message. */
  record(messageId: number): MessageRecord | null {
    return lookups.record(this.#shared.data, messageId)
  }

  extras(messageId: number): MessageExtras {
    return lookups.extras(this.#shared.data, messageId)
  }

  /** Returns the lines of the audit trail synchronously, the oldest first. */
  audit(): readonly AuditLine[] {
    return this.#shared.data.audit
  }

  get statistics(): StatisticsStore {
    return memoryStatistics(this.#shared.data)
  }

  /** Stores a message after the earlier enqueues of this node, so that a producer's messages keep their order. */
  enqueue(message: NewMessage, limits: QueueLimits, audit: AuditEntry | null = null): Promise<Enqueued> {
    const ready = this.#waitInOrder(this.#enqueueReady)
    this.#enqueueReady = ready.catch(() => {})
    return this.#perform('enqueue', ready, (data) => enqueue(data, message, limits, audit))
  }

  async attach(deviceId: string, transport: string): Promise<DeviceLease> {
    const { fence, state } = await this.#call('attach', (data) => dispatch.attach(data, deviceId, transport))
    return {
      state,
      claim: (ended, rules) => this.#claim(deviceId, fence, ended, rules),
      release: () => this.#call('release', (data) => dispatch.release(data, deviceId, fence)),
    }
  }

  line(deviceId: string): Promise<LineState> {
    return this.#call('line', (data) => dispatch.lineState(data, deviceId))
  }

  head(deviceId: string): Promise<Head | null> {
    return this.#call('head', (data) => dispatch.head(data, deviceId))
  }

  take(deviceId: string, head: Head, rules: AttemptRules): Promise<Taken | null> {
    return this.#call('take', (data) => dispatch.take(data, deviceId, head, rules))
  }

  endAttempt(deviceId: string, ended: EndedAttempt): Promise<boolean> {
    return this.#call('endAttempt', (data) => dispatch.endOpenAttempt(data, deviceId, ended))
  }

  openAttempts(): Promise<readonly DeviceAttempt[]> {
    return this.#call('openAttempts', dispatch.openAttempts)
  }

  park(deviceId: string, last: LastAttempt): Promise<Transitioned | null> {
    return this.#call('park', (data) => dispatch.park(data, deviceId, last))
  }

  acknowledge(acknowledgement: Acknowledgement): Promise<Outcome | null> {
    return this.#call('acknowledge', (data) => acknowledge(data, acknowledgement))
  }

  cancel(messageId: number, options: CancelChange): Promise<CancelOutcome | null> {
    return this.#call('cancel', (data) => cancel(data, messageId, options))
  }

  async cancelAll(deviceId: string, filter: CancelFilter, options: ManyChanges): Promise<CancelledMessages> {
    const all = await this.#call('cancelAll', (data) => cancelAll(data, deviceId, filter, options))
    options.onStep?.(all.cancelled)
    return all
  }

  replay(messageId: number, options: ReplayChange): Promise<Replay | null> {
    return this.#call('replay', (data) => replay(data, messageId, options))
  }

  async replayAll(filter: ReplayFilter, options: ReplayAllChanges): Promise<ReplayedMessages> {
    const all = await this.#call('replayAll', (data) => replayAll(data, filter, options))
    options.onStep?.(all.replayed)
    return all
  }

  sendFailed(messageId: number): Promise<Transitioned | null> {
    return this.#call('sendFailed', (data) => {
      const message = data.messages.get(messageId)
      return message ? data.apply(message, 'dispatchFailed') : null
    })
  }

  refuseAnswer(deviceId: string, reason: string): Promise<number | null> {
    return this.#call('refuseAnswer', (data) => dispatch.refuseAnswer(data, deviceId, reason))
  }

  setBusy(deviceId: string, forMs: number): Promise<void> {
    return this.#call('setBusy', (data) => dispatch.setBusy(data, deviceId, forMs))
  }

  busyDevices(): Promise<ReadonlyMap<string, number>> {
    return this.#call('busyDevices', dispatch.busyDevices)
  }

  changeService(changes: readonly ServiceChange[]): Promise<readonly ServiceOutcome[]> {
    return this.#call('changeService', (data) => dispatch.changeService(data, changes))
  }

  devicesOutOfService(): Promise<ReadonlyMap<string, DeviceService>> {
    return this.#call('devicesOutOfService', dispatch.devicesOutOfService)
  }

  expire(limit: number): Promise<Expiry> {
    return this.#call('expire', (data) => expire(data, limit))
  }

  status(messageId: number): Promise<Status | null> {
    return this.#call('status', (data) => data.messages.get(messageId)?.status ?? null)
  }

  parties(messageId: number): Promise<MessageParties | null> {
    return this.#call('parties', (data) => lookups.parties(data, messageId))
  }

  purge(changedBeforeMs: number): Promise<number> {
    return this.#call('purge', (data) => lookups.purge(data, changedBeforeMs))
  }

  purgeSubmissions(usedBeforeMs: number): Promise<number> {
    return this.#call('purgeSubmissions', (data) => lookups.purgeSubmissions(data, usedBeforeMs))
  }

  newestMs(): Promise<number | null> {
    return this.#call('newestMs', lookups.newestMs)
  }

  pendingDevices(): Promise<readonly string[]> {
    return this.#call('pendingDevices', lookups.pendingDevices)
  }

  deviceSettings(): Promise<ReadonlyMap<string, DeviceSettings>> {
    return this.#call('deviceSettings', (data) => new Map(data.deviceSettings))
  }

  changeDeviceSettings(
    deviceId: string,
    settings: DeviceSettings,
    audit: AuditEntry | null = null,
  ): Promise<void> {
    return this.#call('changeDeviceSettings', (data) =>
      lookups.changeDeviceSettings(data, deviceId, settings, audit),
    )
  }

  watch(listener: StoreListener): () => void {
    return this.#listeners.add(listener)
  }

  async #claim(
    deviceId: string,
    fence: number,
    ended: EndedAttempt | null,
    rules: AttemptRules,
  ): Promise<Claim> {
    const claim = await this.#call('claim', (data) => dispatch.claim(data, deviceId, fence, ended, rules))
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
        if (node !== this || event.is !== 'transitioned') node.#report(event, node === this)
      }
    }
    return result
  }

  /** @param isOwn true if this node made the change */
  #report(event: StoreEvent, isOwn: boolean): void {
    const { repeat, drop } = this.#shared.eventFaults
    if (drop) return
    if (isOwn && OWN_AT_ONCE.includes(event.is)) this.#deliver(event)
    else void this.#deliverLater(event)
    if (repeat) void this.#deliverLater(event)
  }

  async #deliverLater(event: StoreEvent): Promise<void> {
    await this.#pauses.turns()
    this.#deliver(event)
  }

  #deliver(event: StoreEvent): void {
    this.#listeners.report(this.#shared.data.current(event))
  }

  async #waitInOrder(earlier: Promise<void>): Promise<void> {
    await this.#pauses.of('enqueue', 'effect')
    await earlier
  }
}
