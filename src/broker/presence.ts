/** Keeps which devices are connected, over which transport, and when each was last seen. A restart resets it. */

/** The first connection of a device opened, or its last connection closed. */
export interface PresenceChange {
  readonly deviceId: string
  readonly connected: boolean
  readonly transport: string
  readonly atMs: number
}

/** The presence of one device. */
export interface DevicePresence {
  /**
   * Time of the latest poll, acknowledgement, connect or disconnect; the present time while the device is connected.
   * Milliseconds since 1970; null when there was none since the start.
   */
  readonly atMs: number | null
  /** Transport of the newest connection; null when the device is not connected. A poll is no connection. */
  readonly transport: string | null
}

/** Maximum devices whose time is kept. Beyond it the device with the oldest time is dropped. */
const MAX_SEEN = 100_000

export class Presence {
  readonly #now: () => number
  /** Times by device, the oldest first. */
  readonly #seen = new Map<string, number>()
  /** Transports of the open connections by device, the newest last. */
  readonly #connected = new Map<string, string[]>()
  /** Number of connected devices by the transport of their newest connection. */
  readonly #devices = new Map<string, number>()
  readonly #listeners = new Set<(change: PresenceChange) => void>()

  /** @param now returns milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Records that a device polled or acknowledged. */
  seen(deviceId: string): void {
    this.#seen.delete(deviceId)
    this.#seen.set(deviceId, this.#now())
    if (this.#seen.size <= MAX_SEEN) return
    const [oldest] = this.#seen.keys()
    this.#seen.delete(oldest as string)
  }

  /** Adds a connection of a device. @param transport name of the transport, such as `MQTT` */
  connected(deviceId: string, transport: string): void {
    const open = this.#connected.get(deviceId)
    this.#connected.set(deviceId, [...(open ?? []), transport])
    this.#count(transport, 1)
    if (open) this.#count(open.at(-1) as string, -1)
    this.seen(deviceId)
    if (!open) this.#notify(deviceId, true, transport)
  }

  /** Removes a connection of a device over a transport. */
  disconnected(deviceId: string, transport: string): void {
    const open = [...(this.#connected.get(deviceId) ?? [])]
    const at = open.lastIndexOf(transport)
    if (at < 0) return
    this.#count(open.at(-1) as string, -1)
    open.splice(at, 1)
    if (open.length > 0) this.#count(open.at(-1) as string, 1)
    this.seen(deviceId)
    if (open.length > 0) {
      this.#connected.set(deviceId, open)
      return
    }
    this.#connected.delete(deviceId)
    this.#notify(deviceId, false, transport)
  }

  /** Returns the presence of a device. */
  of(deviceId: string): DevicePresence {
    const transport = this.#connected.get(deviceId)?.at(-1) ?? null
    return { atMs: transport === null ? (this.#seen.get(deviceId) ?? null) : this.#now(), transport }
  }

  /** Returns the number of connected devices, and the number of devices that are connected or were seen since a time. */
  count(sinceMs: number): { online: number; seen: number } {
    const online = this.#connected.size
    let seen = online
    for (const [deviceId, atMs] of this.#seen) if (atMs >= sinceMs && !this.#connected.has(deviceId)) seen++
    return { online, seen }
  }

  /** Returns the number of connected devices by the transport of their newest connection. */
  byTransport(): ReadonlyMap<string, number> {
    return this.#devices
  }

  #count(transport: string, by: 1 | -1): void {
    this.#devices.set(transport, (this.#devices.get(transport) ?? 0) + by)
  }

  /** Calls the listener with each change of a device's presence. Returns a function that ends the subscription. */
  onChange(listener: (change: PresenceChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #notify(deviceId: string, connected: boolean, transport: string): void {
    const change = { deviceId, connected, transport, atMs: this.#now() }
    for (const listener of this.#listeners) listener(change)
  }
}
