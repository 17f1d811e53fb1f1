/** Bounds the topic filters of each connection. Knows no rights and no devices. */
import type { SubscribePacket, Subscription } from 'aedes'
import { generate } from 'mqtt-packet'
import { type Peer, resetKeepAlive, subscriptionsOf } from './aedes-internals.ts'
import { send } from './connection.ts'

export const SUBSCRIPTION_LIMITS = {
  /** Maximum topic filters of one connection. Further filters are refused. */
  filters: 1_000,
  /** Maximum characters of all filters of one connection. */
  characters: 262_144,
} as const

/** Reason code and return code of a refused filter: quota exceeded (MQTT 5 section 3.9.3), failure [MQTT-3.9.3-2]. */
const QUOTA_EXCEEDED = 0x97
const FAILURE = 0x80

interface Held {
  readonly filters: Set<string>
  characters: number
}

export class SubscriptionQuota {
  readonly #held = new WeakMap<Peer, Held>()
  readonly #refused: (peer: Peer, filter: string) => void

  /** @param refused called with the first refused filter of a SUBSCRIBE */
  constructor(refused: (peer: Peer, filter: string) => void) {
    this.#refused = refused
  }

  /** Counts a filter. Returns false, and does not count it, if the connection has too many. */
  take(peer: Peer, filter: string): boolean {
    const held = this.#heldBy(peer)
    if (held.filters.has(filter)) return true
    if (!fits(held.filters.size, held.characters, filter)) {
      this.#refused(peer, filter)
      return false
    }
    held.filters.add(filter)
    held.characters += filter.length
    return true
  }

  /** Tells whether a filter is counted. */
  has(peer: Peer, filter: string): boolean {
    return this.#heldBy(peer).filters.has(filter)
  }

  /** Counts the filters no more to which the connection is not subscribed. */
  update(peer: Peer, filters: readonly string[]): void {
    const held = this.#heldBy(peer)
    for (const filter of filters) {
      const isSubscribed = subscriptionsOf(peer)[filter] !== undefined
      if (!isSubscribed && held.filters.delete(filter)) held.characters -= filter.length
    }
  }

  /**
   * Handles a SUBSCRIBE with filters that do not fit: the library would answer them with another reason code. The filters that
   * fit are subscribed as usual. Returns false if all filters fit, so that the library handles the packet.
   *
   * @param done called when the packet is answered
   */
  handle(peer: Peer, { messageId, subscriptions, ...packet }: SubscribePacket, done: () => void): boolean {
    const fitting = this.#fitting(peer, subscriptions)
    if (fitting.size === subscriptions.length) return false
    resetKeepAlive(peer)
    const answer = (): void => {
      done()
      if (peer.closed) return
      // The library has replaced the QoS of each subscription by its result.
      const code = peer.version >= 5 ? QUOTA_EXCEEDED : FAILURE
      const granted = subscriptions.map((each) => (fitting.has(each) ? each.qos : code))
      const suback = { cmd: 'suback', messageId: messageId as number, granted } as const
      send(peer, generate(suback, { protocolVersion: peer.version }))
    }
    this.#refused(peer, subscriptions.find((each) => !fitting.has(each))?.topic ?? '')
    if (fitting.size === 0) answer()
    else {
      peer.subscribe({ ...packet, subscriptions: [...fitting] }, (error) => {
        if (error) peer.emit('error', error)
        else queueMicrotask(answer)
      })
    }
    return true
  }

  /** Returns the subscriptions that fit, in their order. */
  #fitting(peer: Peer, subscriptions: readonly Subscription[]): Set<Subscription> {
    const held = this.#heldBy(peer)
    const added = new Set<string>()
    let { characters } = held
    const fitting = new Set<Subscription>()
    for (const each of subscriptions) {
      const { topic } = each
      if (!held.filters.has(topic) && !added.has(topic)) {
        if (!fits(held.filters.size + added.size, characters, topic)) continue
        added.add(topic)
        characters += topic.length
      }
      fitting.add(each)
    }
    return fitting
  }

  #heldBy(peer: Peer): Held {
    const known = this.#held.get(peer)
    if (known) return known
    const created: Held = { filters: new Set(), characters: 0 }
    this.#held.set(peer, created)
    return created
  }
}

function fits(filters: number, characters: number, filter: string): boolean {
  return filters < SUBSCRIPTION_LIMITS.filters && characters + filter.length <= SUBSCRIPTION_LIMITS.characters
}
