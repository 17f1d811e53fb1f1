/** Counts the connections of one device by transport. The only transport that it knows is `REST`, for waiting polls. */

const POLL = 'REST'

/** Returns whether a connection is a waiting poll. */
export function isWaitingPoll(transport: string): boolean {
  return transport === POLL
}

export class LineConnections {
  /** Transport name of the newest connection. A waiting poll counts only without other connections. */
  newest = ''
  readonly #counts = new Map<string, number>()

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  get areOnlyPolls(): boolean {
    return this.#counts.size === 1 && this.#counts.has(POLL)
  }

  add(transport: string): void {
    this.#counts.set(transport, (this.#counts.get(transport) ?? 0) + 1)
    if (transport !== POLL || this.areOnlyPolls) this.newest = transport
  }

  remove(transport: string): void {
    const count = this.#counts.get(transport) ?? 0
    if (count > 1) this.#counts.set(transport, count - 1)
    else this.#counts.delete(transport)
    if (this.areOnlyPolls) this.newest = POLL
  }

  clear(): void {
    this.#counts.clear()
  }
}
