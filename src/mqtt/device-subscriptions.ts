/**
 * Tracks the devices that are connected: a connection belongs to a device when it subscribes to the command topic of that
 * device without wildcards. A wildcard filter receives the commands too, but connects no device: it is an observer. Knows
 * no packets.
 */
import { type Peer, subscriptionsOf } from './aedes-internals.ts'
import { outlivesConnection } from './session-begin.ts'
import { overlaps, parseTopic } from './topics.ts'

export interface DeviceListener {
  attach(deviceId: string): void
  detach(deviceId: string): unknown
}

const NO_PEERS: ReadonlySet<Peer> = new Set()

export class DeviceSubscriptions {
  readonly #listener: DeviceListener
  readonly #devices = new Map<Peer, Set<string>>()
  readonly #peers = new Map<string, Set<Peer>>()
  readonly #observers = new Set<Peer>()
  /** True once a session that outlives its connection was an observer. Its end is not tracked. */
  #hasLastingObserver = false

  constructor(listener: DeviceListener) {
    this.#listener = listener
  }

  /** Updates the devices of a connection. Call it whenever its subscriptions may have changed. */
  update(peer: Peer): void {
    const filters = peer.closed ? [] : Object.keys(subscriptionsOf(peer))
    this.#setObserver(peer, filters.some(isObserverFilter))
    const now = new Set(devicesIn(filters))
    const before = this.#devices.get(peer) ?? new Set()
    for (const deviceId of before) if (!now.has(deviceId)) this.#detach(peer, deviceId)
    if (now.size > 0) this.#devices.set(peer, now)
    else this.#devices.delete(peer)
    for (const deviceId of now) if (!before.has(deviceId)) this.#attach(peer, deviceId)
  }

  /** Forgets a connection that has closed. */
  remove(peer: Peer): void {
    this.#observers.delete(peer)
    const devices = this.#devices.get(peer) ?? []
    this.#devices.delete(peer)
    for (const deviceId of devices) this.#detach(peer, deviceId)
  }

  /** Returns the devices that a connection belongs to. */
  devicesOf(peer: Peer): Iterable<string> {
    return this.#devices.get(peer) ?? []
  }

  /** Returns the connections of a device. */
  peersOf(deviceId: string): ReadonlySet<Peer> {
    return this.#peers.get(deviceId) ?? NO_PEERS
  }

  /** Tells whether a client may be subscribed to the messages of other clients to the broker, or to commands by a wildcard. */
  get hasObservers(): boolean {
    return this.#hasLastingObserver || this.#observers.size > 0
  }

  #setObserver(peer: Peer, isObserver: boolean): void {
    if (!isObserver) this.#observers.delete(peer)
    else if (!outlivesConnection(peer)) this.#observers.add(peer)
    else this.#hasLastingObserver = true
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

function isObserverFilter(filter: string): boolean {
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
