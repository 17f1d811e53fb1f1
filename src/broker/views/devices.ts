/** Shows devices to admins: lists, counts and single devices, with presence, settings and problems. Knows no SQL. */

import { changedFields, entryOf } from '../../audit/actor.ts'
import type { Actor } from '../../audit/audit.ts'
import type { DeviceService } from '../contract/device-service.ts'
import type {
  DeviceDetailRecord,
  DeviceQueues,
  DeviceRecord,
  DeviceStore,
  QueueContent,
} from '../contract/device-store.ts'
import type { MessageLog, Page } from '../contract/message-log.ts'
import type { PresenceStore, Sighting } from '../contract/presence-store.ts'
import type { MessageStore } from '../contract/store.ts'
import type { DeviceSettingsCache } from '../engine/device-settings-cache.ts'
import type { Hold } from '../engine/dispatch-holds.ts'
import type { DispatchPauses } from '../engine/dispatch-pauses.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'
import type { DeviceSettings } from '../vocabulary/device-settings.ts'
import type { DeviceDirectory, DeviceLogins } from './device-directory.ts'
import type { DeviceProblems, ProblemCounts } from './device-problems.ts'
import { type DeviceCounts, DeviceSearch, type DeviceSelection } from './device-search.ts'
import {
  DEVICE_CONDITIONS,
  type DeviceCondition,
  DeviceSnapshot,
  type DeviceState,
  stateOf,
} from './device-snapshot.ts'
import type { ListedMessage } from './messages.ts'
import type { DetailedPresence, Presence } from './presence.ts'
import type { SilentDevices } from './silent-devices.ts'
import { Turns } from './turns.ts'
import type { UsualAbsences } from './usual-absence.ts'
import { ownHold } from './wait-reasons.ts'

export interface Device extends DeviceRecord {
  /** Time of the latest sighting; the current time while the device is connected; null if it was never seen. */
  readonly seenAtMs: number | null
  /** Transport of the newest connection; null if the device is not connected. */
  readonly transport: string | null
  readonly settings: DeviceSettings
  /** End of the pause that the device asked for, in milliseconds since 1970; null if it is not busy. */
  readonly busyUntilMs: number | null
  /** Null if the device is in service. */
  readonly service: DeviceService | null
}

/** Message in flight, for operators. Times are milliseconds since 1970. */
export interface DetailedFlight {
  readonly messageId: number
  readonly command: string
  /** Number of the attempt since the message was stored or replayed. */
  readonly attempt: number
  /** Attempts after which the message is parked; null means no limit. */
  readonly maxAttempts: number | null
  /** Start of the attempt. */
  readonly sinceMs: number
  /** End of the attempt; null if its time is over, so that a connection or a poll begins the next attempt. */
  readonly untilMs: number | null
}

export interface DetailedDevice extends Device, ProblemCounts {
  /** Description of the login; empty without one. */
  readonly description: string
  readonly state: DeviceState
  readonly inFlight: DetailedFlight | null
  /** Start of the first attempt with the message in flight, from the second attempt on. */
  readonly blockedSinceMs: number | null
  readonly deliveryMs: number | null
  readonly presence: DetailedPresence
  /** Longest absence of the last 30 days that ended by itself, in milliseconds; null without one. */
  readonly usualAbsenceMs: number | null
  /** Gateway of a device without a connection of its own; null without one. */
  readonly via: string | null
}

/** One device, with details from its device line. */
export interface OneDevice extends DetailedDevice {
  /** End of the pacing interval that holds the queue; null without one. */
  readonly pacedUntilMs: number | null
}

export interface DeviceQueue extends Omit<QueueContent, 'ids'> {
  readonly messages: readonly ListedMessage[]
}

export interface DevicesOptions {
  readonly store: DeviceStore
  readonly messageLog: Pick<MessageLog, 'getAll' | 'attemptCounts'>
  readonly messages: Pick<MessageStore, 'line'>
  readonly directory: DeviceDirectory
  readonly problems: Pick<DeviceProblems, 'read'>
  readonly logins: DeviceLogins
  readonly presence: Pick<Presence, 'of' | 'detailOf' | 'sightings'>
  readonly sightings: Pick<PresenceStore, 'sightings'>
  /** Returns the number of this node; null for a storage with one node. */
  readonly nodeId: () => number | null
  /** Returns the gateway of a device; null without one. */
  readonly gatewayOf: (deviceId: string) => string | null
  readonly settings: Pick<DeviceSettingsCache, 'of' | 'all' | 'change'>
  readonly pauses: Pick<DispatchPauses, 'busyForMs' | 'busyDevices' | 'serviceOf' | 'devicesOutOfService'>
  /** Returns the hold on the dispatch to a device; null if the device is not connected. */
  readonly hold: (deviceId: string) => Hold | null
  /** General limit of attempts; 0 for none. */
  readonly maxAttempts: number
  readonly silent: Pick<SilentDevices, 'at'>
  readonly absences: Pick<UsualAbsences, 'of'>
  readonly clock?: Clock
}

type Sightings = ReadonlyMap<string, Sighting>
const NO_SIGHTINGS: Sightings = new Map()

const NO_QUEUES: DeviceQueues = { count: 0, devices: () => [], sizeOf: () => 0, oldestOf: () => null }

/** Duration of a count up to which each call counts anew, in milliseconds. */
const QUICK_COUNT_MS = 20
/** Maximum share of time spent on slower counts. */
const COUNT_SHARE = 0.1

export class Devices {
  readonly #options: DevicesOptions & { readonly clock: Clock }
  readonly #list: DeviceSearch
  readonly #turns = new Turns()
  #counted: { readonly counts: Promise<DeviceCounts>; readonly untilMs: () => number } | null = null

  constructor(options: DevicesOptions) {
    this.#options = { clock: systemClock, ...options }
    this.#list = new DeviceSearch(options)
  }

  /** Lists devices; see {@link DeviceStore.list}. @param after an empty text begins with the first device */
  list(after: string, limit: number, search = ''): Promise<Page<Device, string>> {
    return this.#turns.run(async () => {
      const { items, next } = await this.#options.store.list(after, limit, search)
      const stored = await this.#forgotten(items)
      return { items: items.map((record) => this.#withPresence(record, stored)), next }
    })
  }

  /** Returns the device with any id. An unknown id has an empty queue. */
  async get(deviceId: string): Promise<Device> {
    const record = await this.#options.store.get(deviceId)
    return this.#withPresence(record, await this.#forgotten([record]))
  }

  /** Lists the matching devices of the directory. */
  search(query: DeviceSelection): Promise<Page<DetailedDevice, string>> {
    return this.#turns.run(async () => {
      const facts = await this.#facts(query)
      const { items, next } = await this.#list.list(query, facts)
      const stored = await this.#stored(items)
      return { items: await this.#withDetails(items, facts, stored), next }
    })
  }

  /** Returns the device with any id, with details. */
  async detail(deviceId: string): Promise<OneDevice> {
    const { store, hold, clock } = this.#options
    const facts = await this.#facts({ with: [], sort: 'id' })
    const [record] = await store.details([deviceId])
    const stored = await this.#stored([{ deviceId }])
    const held = hold(deviceId)
    const own = held?.is === 'PACING' ? held : await ownHold(deviceId, this.#waitOptions)
    const isPaced = own !== null && ('is' in own || own.reason === 'GAP')
    const pacedUntilMs = isPaced ? clock.wallMs() + Math.ceil(own.forMs) : null
    const [detailed] = await this.#withDetails([record as DeviceDetailRecord], facts, stored)
    return { ...(detailed as DetailedDevice), pacedUntilMs }
  }

  /** Returns the beginning of a device's queue, the oldest message first. @param limit maximum messages */
  async queue(deviceId: string, limit: number): Promise<DeviceQueue> {
    const { ids, ...content } = await this.#options.store.queue(deviceId, limit)
    // A message may leave the queue between the two reads.
    const found = await this.#options.messageLog.getAll(ids)
    const attempts = await this.#options.messageLog.attemptCounts(ids)
    const messages = found
      .filter(({ status }) => status === 'NOT_DELIVERED')
      .map(({ extras, ...record }) => ({ record, attempts: attempts.get(record.id) ?? 0, resentAs: null }))
    return { ...content, messages }
  }

  /** Counts the devices of the directory by state and condition. Concurrent calls share one snapshot. */
  counts(): Promise<DeviceCounts> {
    const { clock } = this.#options
    if (this.#counted !== null && clock.monotonicMs() < this.#counted.untilMs()) return this.#counted.counts
    const beganMs = clock.monotonicMs()
    let untilMs = Number.POSITIVE_INFINITY
    const counts = this.#count().finally(() => {
      const endedMs = clock.monotonicMs()
      const tookMs = endedMs - beganMs
      untilMs = tookMs < QUICK_COUNT_MS ? 0 : endedMs + tookMs / COUNT_SHARE
    })
    this.#counted = { counts, untilMs: () => untilMs }
    return counts
  }

  /** Replaces all settings of the device with any id. Resolves when the change is durable. */
  changeSettings(deviceId: string, settings: DeviceSettings, by: Actor): Promise<void> {
    const cache = this.#options.settings
    const detail = changedFields(cache.of(deviceId), settings)
    return cache.change(deviceId, settings, entryOf(by, 'device.settings', deviceId, detail))
  }

  async #count(): Promise<DeviceCounts> {
    const facts = await this.#facts({ with: DEVICE_CONDITIONS, sort: 'id' })
    return this.#list.count(facts)
  }

  /** Takes a snapshot of the sources that a query needs. */
  async #facts(query: Pick<DeviceSelection, 'with' | 'sort'>): Promise<DeviceSnapshot> {
    const { store, presence, problems, pauses, clock } = this.#options
    const wants = (condition: DeviceCondition) => query.with.includes(condition) || query.sort === 'problem'
    const wantsQueues = wants('PENDING') || query.sort === 'waiting' || query.sort === 'oldest'
    const nowMs = clock.wallMs()
    const silent = wants('SILENT') ? await this.#options.silent.at(nowMs) : []
    return new DeviceSnapshot({
      presence,
      nowMs,
      queues: wantsQueues ? await store.queues() : NO_QUEUES,
      blocked: new Set(wants('BLOCKED') ? await store.blocked() : []),
      problems: await problems.read(),
      busy: new Set(wants('BUSY') ? pauses.busyDevices() : []),
      outOfService: new Set(wants('SERVICE') ? pauses.devicesOutOfService() : []),
      silent: new Set(silent.map(({ deviceId }) => deviceId)),
    })
  }

  /** Reads the stored sightings of devices. */
  async #stored(records: readonly Pick<DeviceRecord, 'deviceId'>[]): Promise<Sightings> {
    const found = await this.#options.sightings.sightings(records.map(({ deviceId }) => deviceId))
    return new Map(found.map((sighting) => [sighting.deviceId, sighting]))
  }

  /** Reads the stored sightings of devices that are not in memory, because too many devices are. */
  async #forgotten(records: readonly DeviceRecord[]): Promise<Sightings> {
    const { presence } = this.#options
    if (!presence.sightings.isFull) return NO_SIGHTINGS
    return this.#stored(records.filter(({ deviceId }) => presence.of(deviceId).atMs === null))
  }

  #withPresence(record: DeviceRecord, stored: Sightings): Device {
    const { deviceId } = record
    const { atMs, transport } = this.#options.presence.of(deviceId)
    const settings = this.#options.settings.of(deviceId)
    const seenAtMs = atMs ?? stored.get(deviceId)?.lastMs ?? null
    const busyUntilMs = this.#busyUntil(deviceId)
    const service = this.#options.pauses.serviceOf(deviceId)
    return { ...record, seenAtMs, transport, settings, busyUntilMs, service }
  }

  async #withDetails(
    records: readonly DeviceDetailRecord[],
    facts: DeviceSnapshot,
    stored: Sightings,
  ): Promise<DetailedDevice[]> {
    const ids = records.map(({ deviceId }) => deviceId)
    const absences = await this.#options.absences.of(ids, stored)
    return records.map((record) =>
      this.#detailed(record, facts, stored, absences.get(record.deviceId) ?? null),
    )
  }

  #detailed(
    { flight, ...record }: DeviceDetailRecord,
    facts: DeviceSnapshot,
    stored: Sightings,
    usualAbsenceMs: number | null,
  ): DetailedDevice {
    const device = this.#withPresence(record, stored)
    const { nodeId, gatewayOf } = this.#options
    const { deviceId, settings } = device
    const { presence, problems, nowMs } = facts.sources
    const known = this.#options.presence.detailOf(deviceId, stored.get(deviceId), nodeId())
    const limit = flight?.maxAttempts ?? settings.maxAttempts ?? this.#options.maxAttempts
    return {
      ...device,
      deliveryMs: record.deliveryMs,
      description: this.#options.logins.descriptionOf(deviceId),
      state: stateOf(presence.of(deviceId), nowMs),
      inFlight: flight && {
        messageId: flight.messageId,
        command: flight.command,
        attempt: flight.counted,
        maxAttempts: limit === 0 ? null : limit,
        sinceMs: flight.atMs,
        untilMs: flight.runningMs > 0 ? nowMs + Math.ceil(flight.runningMs) : null,
      },
      blockedSinceMs: flight !== null && flight.counted > 1 ? flight.firstAtMs : null,
      parked: problems.get(deviceId)?.parked ?? 0,
      failed: problems.get(deviceId)?.failed ?? 0,
      presence: known,
      // A period of its own has a begin.
      via: known.state !== 'AWAY' && known.sinceMs !== null ? null : gatewayOf(deviceId),
      usualAbsenceMs,
    }
  }

  get #waitOptions() {
    const { messages, settings } = this.#options
    return { messages, deviceSettings: settings }
  }

  #busyUntil(deviceId: string): number | null {
    const forMs = this.#options.pauses.busyForMs(deviceId)
    return forMs === 0 ? null : this.#options.clock.wallMs() + Math.ceil(forMs)
  }
}
