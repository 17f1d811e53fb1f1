/**
 * Tracks which devices are connected: a connection is a device when it subscribes to that device's topic of commands by
 * name. A filter with wildcards sees the commands, but connects no device; this file knows of such filters too. Knows
 * no packets.
 */
import { type Peer, subscriptionsOf } from './aedes-internals.ts'
import { overlaps, parseTopic } from './topics.ts'

export interface DeviceListener {
  attach(deviceId: string): void
  detach(deviceId: string): unknown
}

const NOBODY: ReadonlySet<Peer> = new Set()

export class DeviceSubscriptions {
  readonly #listener: DeviceListener
  readonly #devices = new Map<Peer, Set<string>>()
  readonly #peers = new Map<string, Set<Peer>>()
  readonly #watching = new Set<Peer>()
  /** A session that outlives its connection watches, as far as is known. */
  #hasObservers = false

  constructor(listener: DeviceListener) {
    this.#listener = listener
  }

  /** Reads anew what a connection subscribes to. Call it when that may have changed. */
  look(peer: Peer): void {
    const filters = peer.closed ? [] : Object.keys(subscriptionsOf(peer))
    this.#watch(peer, filters.some(isWatching))
    const now = new Set(devicesIn(filters))
    const before = this.#devices.get(peer) ?? new Set()
    for (const deviceId of before) if (!now.has(deviceId)) this.#detach(peer, deviceId)
    if (now.size > 0) this.#devices.set(peer, now)
    else this.#devices.delete(peer)
    for (const deviceId of now) if (!before.has(deviceId)) this.#attach(peer, deviceId)
  }

  left(peer: Peer): void {
    this.#watching.delete(peer)
    const devices = this.#devices.get(peer) ?? []
    this.#devices.delete(peer)
    for (const deviceId of devices) this.#detach(peer, deviceId)
  }

  /** Returns the devices that a connection is. */
  devicesOf(peer: Peer): Iterable<string> {
    return this.#devices.get(peer) ?? []
  }

  peersOf(deviceId: string): ReadonlySet<Peer> {
    return this.#peers.get(deviceId) ?? NOBODY
  }

  /** Tells whether a client may subscribe to what others send to the broker, or to commands by a wildcard. */
  get hasObservers(): boolean {
    return this.#hasObservers || this.#watching.size > 0
  }

  #watch(peer: Peer, watches: boolean): void {
    if (!watches) this.#watching.delete(peer)
    else if (peer.clean) this.#watching.add(peer)
    else this.#hasObservers = true
  }

  #attach(peer: Peer, deviceId: string): void {
    const peers = this.#peers.get(deviceId) ?? new Set()
    this.#peers.set(deviceId, peers.add(peer))
    this.#listener.attach(deviceId)
  }

  #detach(peer: Peer, deviceId: string): void {
    const peers = this.#peers.get(deviceId)
    peers?.delete(peer)
    if (peers?.size === 0) this.#peers.delete(deviceId)
    void this.#listener.detach(deviceId)
  }
}

function isWatching(filter: string): boolean {
  const topic = parseTopic(filter)
  if (topic) return topic.name === 'producer/request' || topic.name === 'consumer/response'
  return ['producer/request/+', 'consumer/request/+', 'consumer/response/+'].some((each) =>
    overlaps(filter, each),
  )
}

function* devicesIn(filters: Iterable<string>): Generator<string> {
  for (const filter of filters) {
    const topic = parseTopic(filter)
    if (topic?.name === 'consumer/request') yield topic.id
  }
}
