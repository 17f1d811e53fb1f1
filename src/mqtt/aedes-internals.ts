/** Holds all uses of what the library has and its types leave out. The version of the library is pinned for it. */
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

/** A PUBLISH with the library's own mark: it neither acknowledges nor passes on such a packet. */
export type SuppressedPublish = PublishPacket & { _notAuthorized?: boolean; messageId?: number }

/** Returns the subscriptions of a client, by filter. */
export function subscriptionsOf(peer: Peer): Inside['subscriptions'] {
  return inside(peer).subscriptions
}

/** Takes a packet identifier for a PUBLISH past the library, from the library's own sequence. */
export function nextPacketId(peer: Peer): number {
  const { _nextId: id } = inside(peer)
  inside(peer)._nextId = id >= 65_535 ? 1 : id + 1
  return id
}

/** Restarts the keep-alive for a packet that came in past the library [MQTT-3.1.2-24]. */
export function resetKeepAlive(peer: Peer): void {
  inside(peer)._keepaliveTimer?.refresh()
}

/** Gives a client's packet to its subscribers. */
export function forward(broker: Aedes, packet: PublishPacket, from: Peer): void {
  const publish = broker.publish as (packet: PublishPacket, from: unknown, done: () => void) => void
  publish.call(broker, packet, from, () => {})
}

function inside(peer: Peer): Inside {
  return peer as unknown as Inside
}
