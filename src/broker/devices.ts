/** Lists the devices for admins: all clients, and all other devices with messages. Knows no SQL. */

import { changedFields, entryOf } from '../audit/actor.ts'
import type { Actor } from '../audit/audit.ts'
import type { BusyDevices } from './busy-devices.ts'
import { type Clock, systemClock } from './clock.ts'
import type { DeviceSettings } from './device-settings.ts'
import type { DeviceSettingsCache } from './device-settings-cache.ts'
import type { Page } from './message-log.ts'
import type { Presence } from './presence.ts'
import type { Status } from './status.ts'

/** The stored facts about a device. */
export interface DeviceRecord {
  readonly deviceId: string
  /** Id of the client with the name of the device; null when there is no such client. */
  readonly clientId: number | null
  /** Number of pending messages. */
  readonly waiting: number
  /** Time at which the oldest pending message was stored, in milliseconds since 1970. */
  readonly oldestAtMs: number | null
  /** The newest message of the device; null when it has none. */
  readonly last: LastMessage | null
}

export interface LastMessage {
  readonly id: number
  readonly command: string
  readonly status: Status
  /** Time at which the message was stored, in milliseconds since 1970. */
  readonly atMs: number
}

export interface Device extends DeviceRecord {
  /** Time of the latest sign of life since the start of the server; the present time while the device is connected. */
  readonly seenAtMs: number | null
  /** Transport of the newest connection; null when the device is not connected. */
  readonly transport: string | null
  readonly settings: DeviceSettings
  /** End of the pause that the device asked for, in milliseconds since 1970; null when it is not busy. */
  readonly busyUntilMs: number | null
}

export interface DevicesOptions {
  readonly store: DeviceStore
  readonly presence: Pick<Presence, 'of'>
  readonly settings: Pick<DeviceSettingsCache, 'of' | 'change'>
  readonly busy: Pick<BusyDevices, 'forMs'>
  readonly clock?: Clock
}

/** The storage contract. */
export interface DeviceStore {
  /**
   * Lists devices in the order of their ids, compared as bytes of UTF-8. A call reads a bounded number of devices, so
   * with `search` a page may have fewer than `limit` items, or none, although a next page exists.
   *
   * @param after the page begins behind this id, which need not belong to a device
   * @param search a part of the ids, ASCII letters in any case; the empty text accepts every id
   */
  list(after: string, limit: number, search: string): Promise<Page<DeviceRecord, string>>

  /** Returns the facts about any id. An unknown id has no client and no messages. */
  get(deviceId: string): Promise<DeviceRecord>
}

/** Adds presence and settings to the stored facts. */
export class Devices {
  readonly #store: DeviceStore
  readonly #presence: Pick<Presence, 'of'>
  readonly #settings: Pick<DeviceSettingsCache, 'of' | 'change'>
  readonly #busy: Pick<BusyDevices, 'forMs'>
  readonly #clock: Clock

  constructor({ store, presence, settings, busy, clock = systemClock }: DevicesOptions) {
    this.#store = store
    this.#presence = presence
    this.#settings = settings
    this.#busy = busy
    this.#clock = clock
  }

  /** Lists devices; see {@link DeviceStore.list}. @param after an empty text begins with the first device */
  async list(after: string, limit: number, search = ''): Promise<Page<Device, string>> {
    const { items, next } = await this.#store.list(after, limit, search)
    return { items: items.map((record) => this.#withPresence(record)), next }
  }

  /** Returns the device with any id. An unknown id has an empty queue. */
  async get(deviceId: string): Promise<Device> {
    return this.#withPresence(await this.#store.get(deviceId))
  }

  /** Replaces all settings of the device with any id. Resolves when the change is durable. */
  changeSettings(deviceId: string, settings: DeviceSettings, by: Actor): Promise<void> {
    const detail = changedFields(this.#settings.of(deviceId), settings)
    return this.#settings.change(deviceId, settings, entryOf(by, 'device.settings', deviceId, detail))
  }

  #withPresence(record: DeviceRecord): Device {
    const { deviceId } = record
    const { atMs, transport } = this.#presence.of(deviceId)
    const settings = this.#settings.of(deviceId)
    return { ...record, seenAtMs: atMs, transport, settings, busyUntilMs: this.#busyUntil(deviceId) }
  }

  #busyUntil(deviceId: string): number | null {
    const forMs = this.#busy.forMs(deviceId)
    return forMs === 0 ? null : this.#clock.wallMs() + Math.ceil(forMs)
  }
}
