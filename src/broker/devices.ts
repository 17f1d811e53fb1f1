/** The devices an admin can see: those that are clients, and those that have messages. Knows no SQL. */
import type { Page } from './archive.ts'
import type { Presence } from './presence.ts'

/** A device as the storage knows it. */
export interface DeviceRecord {
  readonly deviceId: string
  /** Null: it is no client. */
  readonly clientId: number | null
  /** Messages that wait for it. */
  readonly waiting: number
  /** When the oldest of them was stored, in milliseconds since 1970. */
  readonly oldestAtMs: number | null
}

export interface Device extends DeviceRecord {
  /** When it was last seen since the start of the server; now, while it is connected. */
  readonly seenAtMs: number | null
  /** What it is connected by; null: it is not. */
  readonly transport: string | null
}

/** The storage contract. */
export interface DeviceStore {
  /**
   * In the order of the ids as bytes of UTF-8.
   *
   * @param after begins behind this id, which need not be there
   */
  list(after: string, limit: number): Promise<readonly DeviceRecord[]>
}

export class Devices {
  readonly #store: DeviceStore
  readonly #presence: Pick<Presence, 'of'>

  constructor(store: DeviceStore, presence: Pick<Presence, 'of'>) {
    this.#store = store
    this.#presence = presence
  }

  /** @param after begins behind this id; empty: at the first */
  async list(after: string, limit: number): Promise<Page<Device, string>> {
    const records = await this.#store.list(after, limit + 1)
    const items = records.slice(0, limit).map((record) => {
      const { atMs, transport } = this.#presence.of(record.deviceId)
      return { ...record, seenAtMs: atMs, transport }
    })
    return { items, next: records.length > limit ? (items.at(-1)?.deviceId ?? null) : null }
  }
}
