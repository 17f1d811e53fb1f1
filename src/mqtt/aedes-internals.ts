/** Wraps all internals of the MQTT library that its types leave out. Its version is pinned, since they may change. */
import type { Aedes, Client, PublishPacket } from 'aedes'

export type Peer = Client

interface Internals {
  readonly subscriptions: Readonly<Record<string, Subscription | undefined>>
  /** Next packet identifier. */
  _nextId: number
  readonly _keepaliveTimer: NodeJS.Timeout | null
}

interface Subscription {
  readonly qos: number
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
