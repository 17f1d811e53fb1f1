/**
 * Tracks which devices are connected, over which transport, and when each was last seen. With several nodes it also tracks
 * the devices connected to other nodes; see shared-presence.ts.
 */
import type { RemoteDevice } from '../contract/presence-directory.ts'
import type { Sighting } from '../contract/presence-store.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'
import { type PresenceState, REST } from '../vocabulary/presence.ts'
import { MAX_SEEN, Sightings } from './sightings.ts'

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
   * Milliseconds since 1970; null if there was none, or if it is not in memory.
   */
  readonly atMs: number | null
  /** Transport of the newest connection; null if the device is not connected. A poll is no connection. */
  readonly transport: string | null
}

/** Presence of a device, as this node and the storage know it. Times are milliseconds since 1970. */
export interface DetailedPresence {
  readonly state: PresenceState
  /** Begin of the state; null if this node does not know it. */
  readonly sinceMs: number | null
  readonly firstMs: number | null
  readonly seenMs: number | null
  /** False if the device was present when its server was lost, and was not seen since. */
  readonly isExact: boolean
  /** Address of the connection to this node; null without one. */
  readonly address: string | null
  /** Node to which the device is connected; null without a connection, and for a storage with one node. */
  readonly nodeId: number | null
  readonly pollSeconds: number | null
}

export class Presence {
  readonly #clock: Clock
  /** Sightings by this node. */
  readonly sightings: Sightings
  /** Transports of the open connections by device, the newest last. */
  readonly #connected = new Map<string, string[]>()
  /** Number of connected devices by the transport of their newest connection. */
  readonly #devices = new Map<string, number>()
  /** Transports of devices that are connected to other nodes, by device and node. Empty with a single node. */
  readonly #remote = new Map<string, Map<number, string>>()
  readonly #seenElsewhere = new Map<string, number>()
  readonly #listeners = new Set<(change: PresenceChange) => void>()
  readonly #ownListeners = new Set<(change: PresenceChange) => void>()

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
    this.sightings = new Sightings(clock)
  }

  seen(deviceId: string): void {
    this.sightings.seen(deviceId)
  }

  polled(deviceId: string): void {
    this.sightings.polled(deviceId)
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
    return { atMs: transport === null ? this.#lastSeenMs(deviceId) : this.#nowMs(), transport }
  }

  /** Returns the number of connected devices, and the number of devices connected or seen since a time. */
  count(sinceMs: number): { online: number; seen: number } {
    let online = this.#connected.size
    for (const deviceId of this.#remote.keys()) if (!this.#connected.has(deviceId)) online++
    let seen = online
    for (const [deviceId, atMs] of this.sightings.times())
      if (atMs >= sinceMs && !this.#isConnected(deviceId)) seen++
    for (const [deviceId, atMs] of this.#seenElsewhere) {
      if (atMs < sinceMs || this.#isConnected(deviceId)) continue
      if ((this.sightings.lastMs(deviceId) ?? 0) < sinceMs) seen++
    }
    return { online, seen }
  }

  /** Yields the connected devices. A device that is connected to several nodes may occur twice. */
  *connectedDevices(): Generator<string> {
    yield* this.#connected.keys()
    yield* this.#remote.keys()
  }

  /**
   * Returns the presence of a device in detail.
   *
   * @param stored what the storage knows of the device
   * @param nodeId number of this node; null for a storage with one node
   */
  detailOf(deviceId: string, stored: Sighting | undefined, nodeId: number | null): DetailedPresence {
    const { atMs, transport } = this.of(deviceId)
    const own = this.sightings.of(deviceId)
    const pollSeconds = own.pollSeconds ?? stored?.pollSeconds ?? null
    const seenMs = atMs ?? stored?.lastMs ?? null
    const known = {
      firstMs: stored?.firstMs ?? own.firstMs ?? seenMs,
      seenMs,
      pollSeconds,
      address: own.address,
      nodeId: this.#nodeOf(deviceId, nodeId),
    }
    if (isPresent(own.state)) return { ...known, state: own.state, sinceMs: own.sinceMs, isExact: true }
    const elsewhere = { ...known, sinceMs: null, isExact: true }
    if (transport !== null) return { ...elsewhere, state: 'RECEIVING' }
    if (nodeId !== null && stored?.isExact && stored.transport !== null)
      return { ...elsewhere, state: stored.transport === REST ? 'POLLING' : 'CONNECTED' }
    if (seenMs === null) return { ...elsewhere, state: 'UNSEEN' }
    const isExact = this.sightings.isExact(deviceId)
    return { ...known, state: own.state === 'UNKNOWN' ? 'UNKNOWN' : 'AWAY', sinceMs: seenMs, isExact }
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
    this.seenElsewhere(deviceId, this.#nowMs())
    if (!this.#isConnected(deviceId)) this.#notify(deviceId, false, transport)
  }

  /** Returns the node to which a device is connected; null without a connection. @param own number of this node */
  #nodeOf(deviceId: string, own: number | null): number | null {
    const isHere = this.#connected.has(deviceId) || isPresent(this.sightings.of(deviceId).state)
    return isHere ? own : ([...(this.#remote.get(deviceId)?.keys() ?? [])].at(-1) ?? null)
  }

  #remoteTransport(deviceId: string): string | null {
    const nodes = this.#remote.get(deviceId)
    return nodes === undefined ? null : ([...nodes.values()].at(-1) ?? null)
  }

  #lastSeenMs(deviceId: string): number | null {
    const ms = Math.max(this.sightings.lastMs(deviceId) ?? 0, this.#seenElsewhere.get(deviceId) ?? 0)
    return ms === 0 ? null : ms
  }

  #nowMs(): number {
    return this.#clock.wallMs()
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
    const change = { deviceId, connected, transport, atMs: this.#nowMs() }
    for (const listener of this.#ownListeners) listener(change)
    if (!this.#remote.has(deviceId)) this.#notify(deviceId, connected, transport)
  }

  #notify(deviceId: string, connected: boolean, transport: string): void {
    const change = { deviceId, connected, transport, atMs: this.#nowMs() }
    for (const listener of this.#listeners) listener(change)
  }
}

function isPresent(state: PresenceState): boolean {
  return state === 'RECEIVING' || state === 'POLLING' || state === 'CONNECTED'
}
