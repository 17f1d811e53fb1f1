/**
 * Maintains the list of devices: ids with a login of a device, with messages, or with a connection that receives their
 * commands. A person with only a login or a connection is no device. Reads the storage at the first use, then follows
 * the events. Knows no SQL.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { DeviceStore } from '../contract/device-store.ts'
import type { MessageStore } from '../contract/store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { compareIds, positionOf } from '../vocabulary/id-order.ts'
import type { Presence } from './presence.ts'

/** Logins, as far as they concern devices. */
export interface DeviceLogins {
  /** Returns the kind of an id's login; null without one. */
  kindOf(deviceId: string): 'device' | 'person' | null
  /** Returns the ids with a login of a device. */
  devices(): Iterable<string>
  /** Returns the description of a login; empty without one. */
  descriptionOf(deviceId: string): string
  /**
   * Calls the listener with each id whose login was created, changed or removed. Returns a function that unsubscribes.
   */
  onEveryChange(listener: (deviceId: string) => void): () => void
}

export interface DirectoryOptions {
  readonly store: Pick<DeviceStore, 'owners'>
  readonly messages: Pick<MessageStore, 'watch'>
  readonly logins: DeviceLogins
  readonly presence: Pick<Presence, 'of' | 'onChange' | 'connectedDevices'>
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/** Ids per read, so that a large installation blocks the event loop for only a few milliseconds. */
const PAGE = 1_000
/**
 * Age of the last read at which the next use reads again, because of messages that were removed or stored by other
 * nodes.
 */
const READ_AGAIN_MS = 60_000

/** Number of changes from which the list is rebuilt instead of updated one by one. */
const MANY_CHANGES = 100

export class DeviceDirectory {
  readonly #options: DirectoryOptions
  #owners = new Set<string>()
  /** Ids that got their first known message since a read began; null without a read. */
  #stored: Set<string> | null = null
  /** All devices, sorted. A change replaces the list. */
  #ids: readonly string[] = []
  /** Ids that may have become devices, or ceased to be devices, since the list was built. */
  #changed = new Set<string>()
  #readAtMs: number | null = null
  #reading: Promise<void> | null = null
  #isFollowing = false

  constructor(options: DirectoryOptions) {
    this.#options = options
  }

  /** Returns all devices in the order of their ids. The list never changes. */
  async ids(): Promise<readonly string[]> {
    if (this.#readAtMs === null) await this.#read()
    else if (this.#options.clock.monotonicMs() - this.#readAtMs > READ_AGAIN_MS) {
      // The next use tries again if the storage refuses this read.
      this.#read().catch(() => {})
    }
    this.#applyChanges()
    return this.#ids
  }

  /** Reads the ids with messages. Concurrent calls share one read. */
  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null
      this.#stored = null
    })
    return this.#reading
  }

  async #readAll(): Promise<void> {
    const { store, clock } = this.#options
    this.#follow()
    const stored = new Set<string>()
    this.#stored = stored
    const found = new Set<string>()
    for (let after: string | null = ''; after !== null; await turn()) {
      const { items, next }: Awaited<ReturnType<DeviceStore['owners']>> = await store.owners(after, PAGE)
      for (const deviceId of items) found.add(deviceId)
      after = next
    }
    for (const deviceId of stored) found.add(deviceId)
    const before = this.#owners
    this.#owners = found
    if (this.#readAtMs === null) this.#collect()
    else this.#compare(before, found)
    this.#readAtMs = clock.monotonicMs()
  }

  #compare(before: ReadonlySet<string>, after: ReadonlySet<string>): void {
    for (const deviceId of before) if (!after.has(deviceId)) this.#changed.add(deviceId)
    for (const deviceId of after) if (!before.has(deviceId)) this.#changed.add(deviceId)
  }

  #follow(): void {
    if (this.#isFollowing) return
    this.#isFollowing = true
    const { messages, logins, presence } = this.#options
    const added = (deviceId: string): void => {
      if (this.#owners.has(deviceId)) return
      this.#owners.add(deviceId)
      this.#stored?.add(deviceId)
      this.#changed.add(deviceId)
    }
    messages.watch({ added: ({ deviceId }) => added(deviceId) })
    const changed = (deviceId: string): void => {
      if (!this.#owners.has(deviceId)) this.#changed.add(deviceId)
    }
    logins.onEveryChange(changed)
    presence.onChange(({ deviceId }) => changed(deviceId))
  }

  #applyChanges(): void {
    const changed = this.#changed
    if (changed.size === 0) return
    this.#changed = new Set()
    if (changed.size > MANY_CHANGES) this.#collect()
    else for (const deviceId of changed) this.#update(deviceId)
  }

  #collect(): void {
    const { logins, presence } = this.#options
    const connected = [...presence.connectedDevices()].filter((deviceId) => this.#isDevice(deviceId))
    this.#ids = [...new Set([...this.#owners, ...logins.devices(), ...connected])].sort(compareIds)
  }

  /** Adds or removes one id according to the current facts. */
  #update(deviceId: string): void {
    const at = positionOf(deviceId, this.#ids)
    const isListed = this.#ids[at] === deviceId
    if (this.#isDevice(deviceId) === isListed) return
    this.#ids = isListed ? this.#ids.toSpliced(at, 1) : this.#ids.toSpliced(at, 0, deviceId)
  }

  #isDevice(deviceId: string): boolean {
    if (this.#owners.has(deviceId)) return true
    const { logins, presence } = this.#options
    const login = logins.kindOf(deviceId)
    return login === 'device' || (login === null && presence.of(deviceId).transport !== null)
  }
}
