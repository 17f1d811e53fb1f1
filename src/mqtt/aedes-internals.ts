/** Wraps all internals of the MQTT library that its types leave out. Its version is pinned, since they may change. */
import type { Aedes, Client, PublishPacket } from 'aedes'

export type Peer = Client

interface Internals {
  clean: boolean
  /** Clean Start of CONNECT. `clean` says whether the session ends with the connection. */
  readonly _cleanStart: boolean
  /** False if the client wants no reason strings. */
  readonly _requestProblemInformation: boolean
  readonly subscriptions: Readonly<Record<string, Subscription | undefined>>
  /** Next packet identifier. */
  _nextId: number
  readonly _keepaliveTimer: NodeJS.Timeout | null
}

interface DelayedWills {
  /** Timers by client id. */
  readonly delayedWills: ReadonlyMap<string, unknown>
  clearDelayedWill(clientId: string): void
  publishWill(client: Peer, will: PublishPacket): void
}

interface Subscription {
  readonly qos: number
  /** Subscription identifier of MQTT 5. */
  readonly si?: number | undefined
  /** Gives a packet to the subscriber. */
  func(packet: PublishPacket, done: () => void): void
}

/** PUBLISH that can be marked with `_notAuthorized`: the library neither acknowledges nor forwards a marked packet. */
export type SuppressedPublish = PublishPacket & { _notAuthorized?: boolean; messageId?: number }

/** Returns the subscriptions of a client, by filter. */
export function subscriptionsOf(peer: Peer): Internals['subscriptions'] {
  return internals(peer).subscriptions
}

/** Takes the next packet identifier from the library's sequence, for a PUBLISH that bypasses the library. */
export function nextPacketId(peer: Peer): number {
  const { _nextId: id } = internals(peer)
  internals(peer)._nextId = id >= 65_535 ? 1 : id + 1
  return id
}

/** Tells whether the client discards its earlier session. */
export function hasCleanStart(peer: Peer): boolean {
  return internals(peer)._cleanStart
}

/** Makes the library deliver what the session holds. The library still ends the session at the end of its connection. */
export function resume(peer: Peer): void {
  internals(peer).clean = false
}

/** Publishes a will whose delay has not passed, in the name of the client that returns. */
export function publishDelayedWill(broker: Aedes, peer: Peer, will: PublishPacket | undefined): void {
  const library = broker as unknown as DelayedWills
  if (!will || !library.delayedWills.has(peer.id)) return
  library.clearDelayedWill(peer.id)
  library.publishWill(peer, will)
}

/** Tells whether the client wants to know why its messages are refused [MQTT-3.1.2-29]. */
export function wantsReasons(peer: Peer): boolean {
  return peer.version >= 5 && internals(peer)._requestProblemInformation
}

/** Restarts the keep-alive for a packet that bypassed the library [MQTT-3.1.2-24]. */
export function resetKeepAlive(peer: Peer): void {
  internals(peer)._keepaliveTimer?.refresh()
}

/** Publishes a client's packet to its subscribers. */
export function forward(broker: Aedes, packet: PublishPacket, from: Peer): void {
  const publish = broker.publish as (packet: PublishPacket, from: unknown, done: () => void) => void
  publish.call(broker, packet, from, () => {})
}

function internals(peer: Peer): Internals {
  return peer as unknown as Internals
}
