/** Keeps entries by the times at which they end, the earliest first: a binary heap. Reads no clock. */

export interface Timed {
  readonly untilMs: number
}

export class TimeQueue<Entry extends Timed> {
  #entries: Entry[] = []

  get size(): number {
    return this.#entries.length
  }

  first(): Entry | undefined {
    return this.#entries[0]
  }

  add(entry: Entry): void {
    const entries = this.#entries
    let at = entries.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if ((entries[parent] as Entry).untilMs <= entry.untilMs) break
      entries[at] = entries[parent] as Entry
      at = parent
    }
    entries[at] = entry
  }

  takeFirst(): Entry | undefined {
    const first = this.#entries[0]
    const last = this.#entries.pop()
    if (last !== undefined && this.#entries.length > 0) this.#sink(last)
    return first
  }

  replace(entries: Iterable<Entry>): void {
    // A sorted array is a heap.
    this.#entries = [...entries].sort((a, b) => a.untilMs - b.untilMs)
  }

  #sink(entry: Entry): void {
    const entries = this.#entries
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= entries.length) break
      const right = entries[child + 1]
      if (right !== undefined && right.untilMs < (entries[child] as Entry).untilMs) child++
      if ((entries[child] as Entry).untilMs >= entry.untilMs) break
      entries[at] = entries[child] as Entry
      at = child
    }
    entries[at] = entry
  }
}
