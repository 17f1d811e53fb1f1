/** The devices an admin can see: those that are clients, and those that have messages. Knows no SQL. */

import type { DeviceSettings } from './device-settings.ts'
import type { DeviceSettingsCache } from './device-settings-cache.ts'
import type { Page } from './message-log.ts'
import type { Presence } from './presence.ts'
import type { Status } from './status.ts'

/** A device as the storage knows it. */
export interface DeviceRecord {
  readonly deviceId: string
  /** Null: it is no client. */
  readonly clientId: number | null
  /** Messages that wait for it. */
  readonly waiting: number
  /** When the oldest of them was stored, in milliseconds since 1970. */
  readonly oldestAtMs: number | null
  /** The newest of its messages. */
  readonly last: LastMessage | null
}

export interface LastMessage {
  readonly id: number
  readonly command: string
  readonly status: Status
  /** When it was stored, in milliseconds since 1970. */
  readonly atMs: number
}

export interface Device extends DeviceRecord {
  /** When it was last seen since the start of the server; now, while it is connected. */
  readonly seenAtMs: number | null
  /** What it is connected by; null: it is not. */
  readonly transport: string | null
  readonly settings: DeviceSettings
}

/** The storage contract. */
export interface DeviceStore {
  /**
   * In the order of the ids as bytes of UTF-8. A request looks at a bounded number of devices: with `search` a page
   * may have fewer than `limit`, even none, and still a next one.
   *
   * @param after begins behind this id, which need not be there
   * @param search a part of the ids, letters of ASCII in any case; empty: all of them
   */
  list(after: string, limit: number, search: string): Promise<Page<DeviceRecord, string>>

  /** Of an id that nobody knows too. */
  get(deviceId: string): Promise<DeviceRecord>
}

export class Devices {
  readonly #store: DeviceStore
  readonly #presence: Pick<Presence, 'of'>
  readonly #settings: Pick<DeviceSettingsCache, 'of' | 'change'>

  constructor(
    store: DeviceStore,
    presence: Pick<Presence, 'of'>,
    settings: Pick<DeviceSettingsCache, 'of' | 'change'>,
  ) {
    this.#store = store
    this.#presence = presence
    this.#settings = settings
  }

  /** @param after begins behind this id; empty: at the first. See {@link DeviceStore.list} */
  async list(after: string, limit: number, search = ''): Promise<Page<Device, string>> {
    const { items, next } = await this.#store.list(after, limit, search)
    return { items: items.map((record) => this.#seen(record)), next }
  }

  /** Any id has a queue: one that nobody knows has nothing in it. */
  async get(deviceId: string): Promise<Device> {
    return this.#seen(await this.#store.get(deviceId))
  }

  /** Replaces all settings of a device, of any id. Resolves when the change is durable. */
  changeSettings(deviceId: string, settings: DeviceSettings): Promise<void> {
    return this.#settings.change(deviceId, settings)
  }

  #seen(record: DeviceRecord): Device {
    const { atMs, transport } = this.#presence.of(record.deviceId)
    return { ...record, seenAtMs: atMs, transport, settings: this.#settings.of(record.deviceId) }
  }
}
