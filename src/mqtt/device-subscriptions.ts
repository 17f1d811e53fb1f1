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
  /** Filters that make a connection an observer. */
  readonly #observers = new Map<Peer, Set<string>>()
  /** True once a session that outlives its connection was an observer. Its end is not tracked. */
  #hasLastingObserver = false

  constructor(listener: DeviceListener) {
    this.#listener = listener
  }

  /**
   * Updates the devices of a connection. It looks at the given filters only, so that a SUBSCRIBE costs the same however many
   * filters the connection has.
   *
   * @param filters filters whose subscription may have begun or ended; all of the connection by default
   */
  update(peer: Peer, filters: Iterable<string> = Object.keys(subscriptionsOf(peer))): void {
    const subscriptions = subscriptionsOf(peer)
    for (const filter of filters) {
      const isSubscribed = !peer.closed && subscriptions[filter] !== undefined
      const deviceId = deviceIn(filter)
      if (deviceId !== null) this.#setDevice(peer, deviceId, isSubscribed)
      else if (isObserverFilter(filter)) this.#setObserver(peer, filter, isSubscribed)
    }
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

  #setObserver(peer: Peer, filter: string, isSubscribed: boolean): void {
    const filters = this.#observers.get(peer) ?? new Set()
    if (!isSubscribed) filters.delete(filter)
    else if (!outlivesConnection(peer)) filters.add(filter)
    else this.#hasLastingObserver = true
    if (filters.size > 0) this.#observers.set(peer, filters)
    else this.#observers.delete(peer)
  }

  #setDevice(peer: Peer, deviceId: string, isSubscribed: boolean): void {
    const devices = this.#devices.get(peer) ?? new Set()
    if (isSubscribed === devices.has(deviceId)) return
    if (isSubscribed) {
      this.#devices.set(peer, devices.add(deviceId))
      this.#attach(peer, deviceId)
    } else {
      devices.delete(deviceId)
      if (devices.size === 0) this.#devices.delete(peer)
      this.#detach(peer, deviceId)
    }
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

/** Returns the device whose commands a filter receives; null for a filter with wildcards, and for any other topic. */
function deviceIn(filter: string): string | null {
  const topic = parseTopic(filter)
  return topic?.name === 'consumer/request' ? topic.id : null
}
