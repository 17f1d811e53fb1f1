/** Keeps the delayed messages of one queue, by the time at which each is due. Knows no clock. */

export interface DelayedEntry {
  readonly id: number
  readonly command: string
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly dueAtMs: number
}

/** Holds the entries of one queue. Only messages that are due cost a look. */
export class DelayedEntries {
  /** Entries by id, in ascending order. */
  #entries = new Map<number, DelayedEntry>()
  #newestId = 0
  /** The entry that is due first is the last one. May contain removed entries. */
  readonly #byTime: DelayedEntry[] = []

  get size(): number {
    return this.#entries.size
  }

  add(entry: DelayedEntry): void {
    this.#entries.set(entry.id, entry)
    if (entry.id > this.#newestId) this.#newestId = entry.id
    // A message that a client replayed.
    else this.#entries = new Map([...this.#entries].sort(([a], [b]) => a - b))
    let low = 0
    let high = this.#byTime.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#byTime[middle] as DelayedEntry).dueAtMs > entry.dueAtMs) low = middle + 1
      else high = middle
    }
    this.#byTime.splice(low, 0, entry)
  }

  get(id: number): DelayedEntry | undefined {
    return this.#entries.get(id)
  }

  delete(id: number): void {
    this.#entries.delete(id)
  }

  /** Returns the entries in the order of their ids. */
  values(): Iterable<DelayedEntry> {
    return this.#entries.values()
  }

  /** Returns the time at which the next entry is due; null when there is none. */
  nextDueAtMs(): number | null {
    for (let last = this.#byTime.at(-1); last; last = this.#byTime.at(-1)) {
      if (this.#entries.get(last.id) === last) return last.dueAtMs
      this.#byTime.pop()
    }
    return null
  }

  /** Removes the entries that are due, and returns them in the order of their ids. */
  takeDue(nowMs: number): DelayedEntry[] {
    const due: DelayedEntry[] = []
    for (let atMs = this.nextDueAtMs(); atMs !== null && atMs <= nowMs; atMs = this.nextDueAtMs()) {
      const entry = this.#byTime.pop() as DelayedEntry
      this.#entries.delete(entry.id)
      due.push(entry)
    }
    return due.sort((a, b) => a.id - b.id)
  }
}
