/** Limits the topic filters of each connection. Knows no access control and no devices. */
import { type Peer, subscriptionsOf } from './aedes-internals.ts'

export const SUBSCRIPTION_LIMITS = {
  /** Maximum topic filters of one connection. Further filters are refused. */
  filters: 1_000,
  /** Maximum characters of all filters of one connection. */
  characters: 262_144,
  /** Maximum levels of one filter, equal to the limit of the library. */
  levels: 100,
} as const

interface Held {
  readonly filters: Set<string>
  characters: number
}

export class SubscriptionQuota {
  readonly #held = new WeakMap<Peer, Held>()

  /** Counts a filter. Returns false without counting if the connection has too many. */
  take(peer: Peer, filter: string): boolean {
    const held = this.#heldBy(peer)
    if (held.filters.has(filter)) return true
    const { filters, characters } = SUBSCRIPTION_LIMITS
    if (held.filters.size >= filters || held.characters + filter.length > characters) return false
    if (filter.split('/').length > SUBSCRIPTION_LIMITS.levels) return false
    held.filters.add(filter)
    held.characters += filter.length
    return true
  }

  /** Stops counting the filters that the connection has unsubscribed. */
  update(peer: Peer, filters: readonly string[]): void {
    const held = this.#heldBy(peer)
    for (const filter of filters) {
      const isSubscribed = subscriptionsOf(peer)[filter] !== undefined
      if (!isSubscribed && held.filters.delete(filter)) held.characters -= filter.length
    }
  }

  #heldBy(peer: Peer): Held {
    const known = this.#held.get(peer)
    if (known) return known
    const created: Held = { filters: new Set(), characters: 0 }
    this.#held.set(peer, created)
    return created
  }
}
