/** Completes the subscription identifiers of a message (MQTT 5 section 3.3.2.3.8). Knows no connection. */
import type { AedesPublishPacket } from 'aedes'
import { type Peer, subscriptionsOf } from './aedes-internals.ts'
import { covers } from './topics.ts'

/**
 * Adds the identifiers of all subscriptions that match a message [MQTT-3.3.4-4]. The library sends one copy, with the
 * identifier of one subscription.
 */
export function withAllIdentifiers(peer: Peer, packet: AedesPublishPacket): AedesPublishPacket {
  if (packet.properties?.subscriptionIdentifier === undefined) return packet
  const identifiers: number[] = []
  for (const [filter, subscription] of Object.entries(subscriptionsOf(peer))) {
    if (subscription?.si !== undefined && covers(filter, packet.topic)) identifiers.push(subscription.si)
  }
  if (identifiers.length > 1) {
    packet.properties = { ...packet.properties, subscriptionIdentifier: identifiers as unknown as number }
  }
  return packet
}
