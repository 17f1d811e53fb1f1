/** What the broker itself publishes: commands for devices, and what clients are told. Knows no rights and no queue. */
import type { Aedes } from 'aedes'
import { type Peer, subscriptionsOf } from './aedes-internals.ts'
import { type Connection, send } from './connection.ts'
import type { Presence } from './presence.ts'
import { formatTopic } from './topics.ts'

export interface OutgoingOptions {
  readonly aedes: Pick<Aedes, 'publish'>
  readonly presence: Pick<Presence, 'peersOf' | 'isWatched'>
  readonly qos: 0 | 1 | 2
  /** Whether a connection's client was neither changed nor deleted since it logged in. */
  readonly isKnown: (peer: Peer) => boolean
}

export class Outgoing {
  readonly #options: OutgoingOptions

  constructor(options: OutgoingOptions) {
    this.#options = options
  }

  /** To whoever subscribes to it. @returns when the library has given it to them; never rejects */
  publish(topic: string, payload: string): Promise<void> {
    return new Promise((resolve) =>
      this.#options.aedes.publish(this.#packet(topic, payload), () => resolve()),
    )
  }

  /** Publishes what became of a message to its producer; does nothing when its id cannot be a topic's level. */
  tell(producerId: string, payload: string): void {
    const topic = formatTopic('producer/response', producerId)
    if (topic) void this.publish(topic, payload)
  }

  /**
   * Gives a command to the connections of a device.
   *
   * @param follow whether it matters what becomes of it; else it leaves together with what else goes to them
   * @returns whether it left for one of them whole, as far as that is followed; never rejects
   */
  deliver(deviceId: string, payload: string, follow: boolean): boolean | Promise<boolean> {
    const { presence } = this.#options
    const topic = formatTopic('consumer/request', deviceId)
    const peers = presence.peersOf(deviceId)
    if (topic === null || peers.size === 0) return false
    const given: Promise<void>[] = []
    if (presence.isWatched) given.push(this.publish(topic, payload))
    // It is known who subscribes to it: nobody has to be looked for.
    else for (const peer of peers) this.#give(peer, topic, payload, given)
    if (!follow && given.length === 0) return true
    return reached([...peers], given, follow)
  }

  /** @param given gets what is to be waited for */
  #give(peer: Peer, topic: string, payload: string, given: Promise<void>[]): void {
    const { qos, isKnown } = this.#options
    const subscription = subscriptionsOf(peer)[topic]
    // Whoever is still known was allowed to subscribe to it.
    if (!subscription || !isKnown(peer)) return
    const { fastPath } = peer.conn as Connection
    const command = fastPath?.command(topic, payload, Math.min(qos, subscription.qos))
    if (command) send(peer, command)
    else given.push(new Promise((done) => subscription.func(this.#packet(topic, payload), done)))
  }

  #packet(topic: string, payload: string) {
    const { qos } = this.#options
    return { cmd: 'publish', topic, payload: Buffer.from(payload), qos, retain: false, dup: false } as const
  }
}

async function reached(
  peers: readonly Peer[],
  given: readonly Promise<void>[],
  follow: boolean,
): Promise<boolean> {
  await Promise.all(given)
  let sent = !follow
  if (follow) for (const { conn } of peers) sent = (await (conn as Connection).sent()) || sent
  return sent
}
