/**
 * Tracks which devices are connected, over which transport, and when each was last seen. A restart resets this. With
 * several nodes it also tracks the devices connected to other nodes; see shared-presence.ts.
 */
import type { RemoteDevice } from '../contract/presence-directory.ts'

/** The first connection of a device opened, or its last connection closed. */
export interface PresenceChange {
  readonly deviceId: string
  readonly connected: boolean
  readonly transport: string
  readonly atMs: number
}

export interface DevicePresence {
  /**
   * Time of the latest poll, acknowledgement, connect or disconnect; the current time while the device is connected.
   * Milliseconds since 1970; null if there was none since the start.
   */
  readonly atMs: number | null
  /** Transport of the newest connection; null if the device is not connected. A poll is no connection. */
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
  /** Transports of devices that are connected to other nodes, by device and node. Empty with a single node. */
  readonly #remote = new Map<string, Map<number, string>>()
  readonly #seenElsewhere = new Map<string, number>()
  readonly #listeners = new Set<(change: PresenceChange) => void>()
  readonly #ownListeners = new Set<(change: PresenceChange) => void>()

  /** @param now returns milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

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
    if (!open) this.#changed(deviceId, true, transport)
  }

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
    this.#changed(deviceId, false, transport)
  }

  of(deviceId: string): DevicePresence {
    const transport = this.#connected.get(deviceId)?.at(-1) ?? this.#remoteTransport(deviceId)
    return { atMs: transport === null ? this.#lastSeenMs(deviceId) : this.#now(), transport }
  }

  /** Returns the number of connected devices, and the number of devices connected or seen since a time. */
  count(sinceMs: number): { online: number; seen: number } {
    let online = this.#connected.size
    for (const deviceId of this.#remote.keys()) if (!this.#connected.has(deviceId)) online++
    let seen = online
    for (const [deviceId, atMs] of this.#seen) if (atMs >= sinceMs && !this.#isConnected(deviceId)) seen++
    for (const [deviceId, atMs] of this.#seenElsewhere) {
      if (atMs < sinceMs || this.#isConnected(deviceId) || (this.#seen.get(deviceId) ?? 0) >= sinceMs)
        continue
      seen++
    }
    return { online, seen }
  }

  /** Yields the connected devices. A device that is connected to several nodes may occur twice. */
  *connectedDevices(): Generator<string> {
    yield* this.#connected.keys()
    yield* this.#remote.keys()
  }

  /** Returns the times at which this node saw devices, the oldest first. */
  seenTimes(): Iterable<readonly [deviceId: string, atMs: number]> {
    return this.#seen
  }

  seenElsewhere(deviceId: string, atMs: number): void {
    if ((this.#seenElsewhere.get(deviceId) ?? 0) >= atMs) return
    this.#seenElsewhere.delete(deviceId)
    this.#seenElsewhere.set(deviceId, atMs)
    if (this.#seenElsewhere.size <= MAX_SEEN) return
    const [oldest] = this.#seenElsewhere.keys()
    this.#seenElsewhere.delete(oldest as string)
  }

  /** Replaces the known devices of the other nodes. */
  setRemote(devices: readonly RemoteDevice[]): void {
    const known = new Set(devices.map(({ nodeId, deviceId }) => `${nodeId} ${deviceId}`))
    for (const [deviceId, nodes] of [...this.#remote]) {
      for (const nodeId of [...nodes.keys()]) {
        if (!known.has(`${nodeId} ${deviceId}`)) this.#removeRemote(nodeId, deviceId)
      }
    }
    for (const { nodeId, deviceId, transport } of devices) this.#addRemote(nodeId, deviceId, transport)
  }

  remoteChanged(nodeId: number, { deviceId, connected, transport, atMs }: PresenceChange): void {
    this.seenElsewhere(deviceId, atMs)
    if (connected) this.#addRemote(nodeId, deviceId, transport)
    else this.#removeRemote(nodeId, deviceId)
  }

  /** Drops the connections of all other nodes except the given live nodes. */
  keepNodes(living: ReadonlySet<number>): void {
    for (const [deviceId, nodes] of [...this.#remote]) {
      for (const nodeId of [...nodes.keys()]) if (!living.has(nodeId)) this.#removeRemote(nodeId, deviceId)
    }
  }

  #addRemote(nodeId: number, deviceId: string, transport: string): void {
    const wasConnected = this.#isConnected(deviceId)
    const nodes = this.#remote.get(deviceId) ?? new Map<number, string>()
    this.#remote.set(deviceId, nodes.set(nodeId, transport))
    if (!wasConnected) this.#notify(deviceId, true, transport)
  }

  #removeRemote(nodeId: number, deviceId: string): void {
    const nodes = this.#remote.get(deviceId)
    const transport = nodes?.get(nodeId)
    if (nodes === undefined || transport === undefined) return
    nodes.delete(nodeId)
    if (nodes.size === 0) this.#remote.delete(deviceId)
    this.seenElsewhere(deviceId, this.#now())
    if (!this.#isConnected(deviceId)) this.#notify(deviceId, false, transport)
  }

  #remoteTransport(deviceId: string): string | null {
    const nodes = this.#remote.get(deviceId)
    return nodes === undefined ? null : ([...nodes.values()].at(-1) ?? null)
  }

  #lastSeenMs(deviceId: string): number | null {
    const ms = Math.max(this.#seen.get(deviceId) ?? 0, this.#seenElsewhere.get(deviceId) ?? 0)
    return ms === 0 ? null : ms
  }

  #isConnected(deviceId: string): boolean {
    return this.#connected.has(deviceId) || this.#remote.has(deviceId)
  }

  /** Returns the number of devices connected to this node, by the transport of their newest connection. */
  byTransport(): ReadonlyMap<string, number> {
    return this.#devices
  }

  #count(transport: string, by: 1 | -1): void {
    this.#devices.set(transport, (this.#devices.get(transport) ?? 0) + by)
  }

  /** Calls the listener with each change of a device's presence. Returns a function that unsubscribes. */
  onChange(listener: (change: PresenceChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls the listener with each change on this node. Returns a function that unsubscribes. */
  onOwnChange(listener: (change: PresenceChange) => void): () => void {
    this.#ownListeners.add(listener)
    return () => this.#ownListeners.delete(listener)
  }

  /**
   * Reports a change on this node. If another node has a connection of the device, only own-change listeners are
   * notified.
   */
  #changed(deviceId: string, connected: boolean, transport: string): void {
    const change = { deviceId, connected, transport, atMs: this.#now() }
    for (const listener of this.#ownListeners) listener(change)
    if (!this.#remote.has(deviceId)) this.#notify(deviceId, connected, transport)
  }

  #notify(deviceId: string, connected: boolean, transport: string): void {
    const change = { deviceId, connected, transport, atMs: this.#now() }
    for (const listener of this.#listeners) listener(change)
  }
}
