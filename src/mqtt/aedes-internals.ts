/** What the library has and its types leave out; all that is used of that is here. Its version is pinned for it. */
import type { Aedes, Client, PublishPacket } from 'aedes'

export type Peer = Client

interface Inside {
  readonly subscriptions: Readonly<Record<string, Subscription | undefined>>
  /** The next packet identifier. */
  _nextId: number
  readonly _keepaliveTimer: NodeJS.Timeout | null
}

interface Subscription {
  readonly qos: number
  /** Gives a packet to the subscriber. */
  func(packet: PublishPacket, done: () => void): void
}

/** The library's own mark for a PUBLISH that it neither acknowledges nor passes on. */
export type SuppressedPublish = PublishPacket & { _notAuthorized?: boolean; messageId?: number }

/** By filter. */
export function subscriptionsOf(peer: Peer): Inside['subscriptions'] {
  return inside(peer).subscriptions
}

/** A packet identifier for a PUBLISH past the library, of the row that it gives its own from. */
export function nextPacketId(peer: Peer): number {
  const { _nextId: id } = inside(peer)
  inside(peer)._nextId = id >= 65_535 ? 1 : id + 1
  return id
}

/** A packet came in past the library: the keep-alive begins anew [MQTT-3.1.2-24]. */
export function resetKeepAlive(peer: Peer): void {
  inside(peer)._keepaliveTimer?.refresh()
}

/** Gives a packet that a client sent to those who subscribe to it. */
export function forward(broker: Aedes, packet: PublishPacket, from: Peer): void {
  const publish = broker.publish as (packet: PublishPacket, from: unknown, done: () => void) => void
  publish.call(broker, packet, from, () => {})
}

function inside(peer: Peer): Inside {
  return peer as unknown as Inside
}
