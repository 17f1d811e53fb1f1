/** Tracks the topic filters of this node's sessions, so that other nodes forward matching messages. Knows no node. */
import { type Peer, subscriptionsOf } from './aedes-internals.ts'
import { outlivesConnection } from './session-begin.ts'
import { SUBSCRIPTION_LIMITS } from './subscription-quota.ts'
import { isForClients } from './topics.ts'

interface Entry {
  /** The connection; null if it has ended and its session outlives it. */
  peer: Peer | null
  readonly filters: Set<string>
  /** True if the session ended before its connection. */
  isOver: boolean
}

export class Interest {
  readonly #changed: () => void
  readonly #sessions = new Map<string, Entry>()
  readonly #counts = new Map<string, number>()
  #characters = 0

  /** @param changed called when {@link filters} may have changed */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  /**
   * Returns the filters of all sessions, each once. Beyond a maximum number, a single filter for all topics replaces
   * them.
   */
  filters(): ReadonlySet<string> {
    const { filters, characters } = SUBSCRIPTION_LIMITS
    const isTooMuch = this.#counts.size > filters || this.#characters > characters
    return isTooMuch ? new Set(['#']) : new Set(this.#counts.keys())
  }

  /** Adds a connection. Its session may bring subscriptions, or may have had some. */
  open(peer: Peer): void {
    const before = this.#sessions.get(peer.id)?.filters ?? []
    this.update(peer, [...Object.keys(subscriptionsOf(peer)), ...before])
  }

  /** Records that a connection subscribed to filters, or unsubscribed. */
  update(peer: Peer, changed: readonly string[]): void {
    const subscriptions = subscriptionsOf(peer)
    const filters = this.#sessions.get(peer.id)?.filters ?? new Set()
    for (const filter of changed.filter(isForClients)) {
      const isWanted = subscriptions[filter] !== undefined
      if (isWanted === filters.has(filter)) continue
      if (isWanted) filters.add(filter)
      else filters.delete(filter)
      this.#count(filter, isWanted ? 1 : -1)
    }
    if (filters.size > 0) this.#sessions.set(peer.id, { peer, filters, isOver: false })
    else this.#sessions.delete(peer.id)
  }

  leave(peer: Peer): void {
    const entry = this.#sessions.get(peer.id)
    if (entry?.peer !== peer) return
    entry.peer = null
    if (entry.isOver || !outlivesConnection(peer)) this.#delete(peer.id, entry)
  }

  cleaned(sessionId: string): void {
    const entry = this.#sessions.get(sessionId)
    if (entry?.peer) entry.isOver = true
    else if (entry) this.#delete(sessionId, entry)
  }

  #delete(sessionId: string, { filters }: Entry): void {
    this.#sessions.delete(sessionId)
    for (const filter of filters) this.#count(filter, -1)
  }

  #count(filter: string, by: 1 | -1): void {
    const before = this.#counts.get(filter) ?? 0
    if (before + by > 0) this.#counts.set(filter, before + by)
    else this.#counts.delete(filter)
    if (before > 0 && before + by > 0) return
    this.#characters += by * filter.length
    this.#changed()
  }
}
