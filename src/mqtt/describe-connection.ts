/** Describes an MQTT connection to operators. Knows no access control. */
import { type ConnectionDescription, MAX_DEVICES } from '../transport/connections.ts'
import { type Peer, subscriptionsOf } from './aedes-internals.ts'
import type { MqttConnection } from './connection.ts'
import { givenId } from './session-id.ts'

/** Names of the MQTT versions for operators, indexed by protocol level - 3. */
export const VERSIONS = ['3.1', '3.1.1', '5'] as const

/** @param devices all devices whose commands the connection receives */
export function describeConnection(
  peer: Peer,
  { remote, sinceMs, heardMs }: MqttConnection,
  devices: readonly string[],
): Omit<ConnectionDescription, 'transport' | 'protocol'> {
  return {
    clientId: givenId(peer.id),
    devices: devices.slice(0, MAX_DEVICES),
    deviceCount: devices.length,
    address: remote,
    version: VERSIONS[peer.version - 3] ?? '5',
    sinceMs,
    lastPacketAtMs: heardMs,
    subscriptions: Object.keys(subscriptionsOf(peer)).length,
  }
}
