/** Publishes the broker's own messages: commands, results and errors. Knows no access control and no queue. */
import type { Aedes } from 'aedes'
import type { MaybePromise } from '../broker/contract/store.ts'
import type { DispatchResult } from '../broker/vocabulary/message.ts'
import { type Peer, subscriptionsOf } from './aedes-internals.ts'
import { type MqttConnection, send } from './connection.ts'
import type { DeviceSubscriptions } from './device-subscriptions.ts'
import { GATEWAY_FILTER } from './gateways.ts'
import { covers, formatTopic } from './topics.ts'

export interface BrokerPublisherOptions {
  readonly aedes: Pick<Aedes, 'publish'>
  readonly devices: Pick<DeviceSubscriptions, 'connected' | 'hasObservers'>
  readonly qos: 0 | 1 | 2
  /** Returns whether the client of a connection still has access. */
  readonly hasAccess: (peer: Peer) => boolean
}

export class BrokerPublisher {
  readonly #options: BrokerPublisherOptions

  constructor(options: BrokerPublisherOptions) {
    this.#options = options
  }

  /** Publishes to all subscribers. Resolves when the library has delivered the packet to them; never rejects. */
  publish(topic: string, payload: string): Promise<void> {
    return new Promise((resolve) =>
      this.#options.aedes.publish(this.#packet(topic, payload), () => resolve()),
    )
  }

  /**
   * Publishes the status of a message to its producer. Does nothing if the producer id is not valid as a topic level.
   */
  notify(producerId: string, payload: string): void {
    const topic = formatTopic('producer/response', producerId)
    if (topic) void this.publish(topic, payload)
  }

  /**
   * Dispatches a command to the connections of a device.
   *
   * @param follow true waits until the command has left this process; false: the command leaves with the next write, and the result only says whether there is a connection
   * @returns true if at least one connection took the whole command, TOO_LARGE if none accepts its size; never rejects
   */
  dispatch(deviceId: string, payload: string, follow: boolean): MaybePromise<DispatchResult> {
    const { devices } = this.#options
    const device = devices.connected(deviceId)
    if (!device) return false
    const { topic, peers } = device
    if (this.#isTooLarge(peers, topic, payload)) return 'TOO_LARGE'
    const given: Promise<void>[] = []
    if (devices.hasObservers) given.push(this.publish(topic, payload))
    // The subscribers are known, so the library need not search for them.
    else for (const peer of peers) this.#give(peer, topic, payload, given)
    if (!follow && given.length === 0) return true
    return reached([...peers], given, follow)
  }

  /** Returns whether a command is too large for every connection of its device. Most connections accept every size. */
  #isTooLarge(peers: ReadonlySet<Peer>, topic: string, payload: string): boolean {
    for (const peer of peers) {
      const { outgoingLimits } = peer.conn as MqttConnection
      if (outgoingLimits === null || outgoingLimits.accepts(this.#packetBytes(peer, topic, payload)))
        return false
    }
    return peers.size > 0
  }

  /** Returns the size of a command in MQTT 5. Its only properties are subscription identifiers. */
  #packetBytes(peer: Peer, topic: string, payload: string): number {
    const subscriptions = subscriptionsOf(peer)
    const qos = Math.min(this.#options.qos, (subscriptions[topic] ?? subscriptions[GATEWAY_FILTER])?.qos ?? 0)
    let properties = 0
    for (const [filter, subscription] of Object.entries(subscriptions)) {
      if (subscription?.si !== undefined && covers(filter, topic))
        properties += 1 + lengthBytes(subscription.si)
    }
    const head = 2 + Buffer.byteLength(topic) + (qos > 0 ? 2 : 0) + lengthBytes(properties) + properties
    const remaining = head + Buffer.byteLength(payload)
    return 1 + lengthBytes(remaining) + remaining
  }

  /** Sends a command to one connection. @param given collects the promises to await */
  #give(peer: Peer, topic: string, payload: string, given: Promise<void>[]): void {
    const { qos, hasAccess } = this.#options
    const subscriptions = subscriptionsOf(peer)
    const subscription = subscriptions[topic] ?? subscriptions[GATEWAY_FILTER]
    // A client without access receives nothing. Any other client may have the commands of its devices.
    if (!subscription || !hasAccess(peer)) return
    const { fastPath } = peer.conn as MqttConnection
    const command = fastPath?.command(topic, payload, Math.min(qos, subscription.qos))
    if (command) send(peer, command)
    else given.push(new Promise((done) => subscription.func(this.#packet(topic, payload), done)))
  }

  #packet(topic: string, payload: string) {
    const { qos } = this.#options
    return { cmd: 'publish', topic, payload: Buffer.from(payload), qos, retain: false, dup: false } as const
  }
}

/** Returns the size of a variable byte integer in bytes (MQTT 5 section 1.5.5). */
function lengthBytes(value: number): number {
  return value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4
}

async function reached(
  peers: readonly Peer[],
  given: readonly Promise<void>[],
  follow: boolean,
): Promise<boolean> {
  await Promise.all(given)
  let sent = !follow
  if (follow) for (const { conn } of peers) sent = (await (conn as MqttConnection).sent()) || sent
  return sent
}
