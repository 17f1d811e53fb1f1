/**
 * Tracks the connected devices. A connection belongs to a device if it subscribes to the command topic of that device
 * by name, or if it is a gateway for the device. Any other wildcard filter receives the commands too, but connects no
 * device: its connection is an observer. Knows no packets.
 */
import { type Peer, subscriptionsOf } from './aedes-internals.ts'
import {
  coversDevice,
  GATEWAY_FILTER,
  type GatewayDevices,
  Gateways,
  type GatewaysOptions,
} from './gateways.ts'
import { outlivesConnection } from './session-begin.ts'
import { covers, formatTopic, overlaps, parseTopic } from './topics.ts'

export interface DeviceSubscriptionsOptions extends Pick<GatewaysOptions, 'pending' | 'duties' | 'log'> {
  attach(deviceId: string): void
  detach(deviceId: string): unknown
  /** Returns whether a connection may have a subscription now. Its rights may have changed since SUBSCRIBE. */
  mayReceive(peer: Peer, filter: string): boolean
  /** Returns the devices for which a connection may be a gateway; null if it may not be a gateway. */
  gatewayDevices(peer: Peer): GatewayDevices | null
}

export interface ConnectedDevice {
  /** Topic of its commands. Cached, because a map compares a newly built string character by character. */
  readonly topic: string
  readonly peers: ReadonlySet<Peer>
}

/** Bits for the reasons why a connection belongs to a device. */
const NAMED = 1
const GATEWAY = 2

export class DeviceSubscriptions {
  readonly #options: DeviceSubscriptionsOptions
  readonly #gateways: Gateways
  /** Devices of each connection, with the reason bits. */
  readonly #devices = new Map<Peer, Map<string, number>>()
  readonly #connected = new Map<string, { readonly topic: string; readonly peers: Set<Peer> }>()
  /** Filters that make a connection an observer. */
  readonly #observers = new Map<Peer, Set<string>>()
  /** True once a session that outlives its connection was an observer. The end of such a session is not tracked. */
  #hasLastingObserver = false

  constructor(options: DeviceSubscriptionsOptions) {
    this.#options = options
    const { pending, duties, log } = options
    const serve = (peer: Peer, deviceId: string, isPresent: boolean): void =>
      this.#setDevice(peer, deviceId, GATEWAY, isPresent)
    this.#gateways = new Gateways({ pending, serve, duties, log })
  }

  /**
   * Updates the devices of a connection. Examines only the given filters, so that the cost of a SUBSCRIBE is
   * independent of the connection's other filters.
   *
   * @param filters filters whose subscription or permission may have changed; all filters of the connection by default
   */
  update(peer: Peer, filters: Iterable<string> = Object.keys(subscriptionsOf(peer))): void {
    const subscriptions = subscriptionsOf(peer)
    for (const filter of filters) {
      const isSubscribed = !peer.closed && subscriptions[filter] !== undefined
      const deviceId = deviceIn(filter)
      if (deviceId !== null) {
        this.#setDevice(peer, deviceId, NAMED, isSubscribed && this.#options.mayReceive(peer, filter))
      } else if (filter === GATEWAY_FILTER) this.#setGateway(peer, isSubscribed)
      else if (isObserverFilter(filter)) this.#setObserver(peer, filter, isSubscribed)
    }
  }

  remove(peer: Peer): void {
    this.#observers.delete(peer)
    this.#gateways.end(peer)
    const devices = this.#devices.get(peer)
    this.#devices.delete(peer)
    for (const deviceId of devices?.keys() ?? []) this.#detach(peer, deviceId)
  }

  /** Ends the presence of a device through gateways. Returns the device's own connections. */
  release(deviceId: string): readonly Peer[] {
    this.#gateways.release(deviceId)
    return [...(this.connected(deviceId)?.peers ?? [])]
  }

  close(): void {
    this.#gateways.close()
  }

  devicesOf(peer: Peer): Iterable<string> {
    return this.#devices.get(peer)?.keys() ?? []
  }

  /** Returns a device with its connections; undefined without any. */
  connected(deviceId: string): ConnectedDevice | undefined {
    return this.#connected.get(deviceId)
  }

  /**
   * Returns whether a client may be subscribed to messages that other clients send to the broker, or to commands by a
   * wildcard.
   */
  get hasObservers(): boolean {
    return this.#hasLastingObserver || this.#observers.size > 0
  }

  /**
   * Returns whether a connection receives a topic. The filter of a gateway also matches commands of foreign devices.
   */
  accepts(peer: Peer, topic: string): boolean {
    const covered = this.#gateways.coveredBy(peer)
    const deviceId = covered && deviceIn(topic)
    if (deviceId === null || coversDevice(covered as GatewayDevices, deviceId)) return true
    return Object.keys(subscriptionsOf(peer)).some(
      (filter) => filter !== GATEWAY_FILTER && covers(filter, topic),
    )
  }

  #setGateway(peer: Peer, isSubscribed: boolean): void {
    const devices = isSubscribed ? this.#options.gatewayDevices(peer) : null
    if (devices === null) this.#gateways.end(peer)
    else this.#gateways.open(peer, devices)
    const isObserver = isSubscribed && devices === null && this.#options.mayReceive(peer, GATEWAY_FILTER)
    this.#setObserver(peer, GATEWAY_FILTER, isObserver)
  }

  #setObserver(peer: Peer, filter: string, isSubscribed: boolean): void {
    const filters = this.#observers.get(peer) ?? new Set()
    if (!isSubscribed) filters.delete(filter)
    else if (!outlivesConnection(peer)) filters.add(filter)
    else this.#hasLastingObserver = true
    if (filters.size > 0) this.#observers.set(peer, filters)
    else this.#observers.delete(peer)
  }

  #setDevice(peer: Peer, deviceId: string, reason: number, holds: boolean): void {
    const devices = this.#devices.get(peer) ?? new Map<string, number>()
    const before = devices.get(deviceId) ?? 0
    const reasons = holds ? before | reason : before & ~reason
    if (reasons === before) return
    if (reasons !== 0) {
      this.#devices.set(peer, devices.set(deviceId, reasons))
      if (before === 0) this.#attach(peer, deviceId)
    } else {
      devices.delete(deviceId)
      if (devices.size === 0) this.#devices.delete(peer)
      this.#detach(peer, deviceId)
    }
  }

  #attach(peer: Peer, deviceId: string): void {
    const device = this.#connected.get(deviceId)
    if (device) device.peers.add(peer)
    else {
      // A connection belongs only to devices whose id is valid as a topic level.
      const topic = formatTopic('consumer/request', deviceId) as string
      this.#connected.set(deviceId, { topic, peers: new Set([peer]) })
    }
    this.#options.attach(deviceId)
  }

  #detach(peer: Peer, deviceId: string): void {
    const peers = this.#connected.get(deviceId)?.peers
    peers?.delete(peer)
    if (peers?.size === 0) this.#connected.delete(deviceId)
    void this.#options.detach(deviceId)
  }
}

function isObserverFilter(filter: string): boolean {
  const topic = parseTopic(filter)
  if (topic) return OBSERVED.includes(topic.name)
  return OBSERVED_FILTERS.some((each) => overlaps(filter, each))
}

const OBSERVED: readonly string[] = ['producer/request', 'producer/cancel', 'consumer/response']
const OBSERVED_FILTERS: readonly string[] = [GATEWAY_FILTER, ...OBSERVED.map((name) => `${name}/+`)]

/** Returns the device whose commands a filter receives; null for a filter with wildcards, and for any other topic. */
function deviceIn(filter: string): string | null {
  const topic = parseTopic(filter)
  return topic?.name === 'consumer/request' ? topic.id : null
}
