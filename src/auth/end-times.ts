/** Keeps entries in the order of their ends: a binary heap with removal of any entry. Knows no clock. */

export interface TimedEntry {
  /** Milliseconds since 1970. */
  readonly endsAtMs: number
  /** Index in the heap, set only by the heap. */
  heapIndex: number
}

export class EndTimes<Entry extends TimedEntry> {
  readonly #heap: Entry[] = []

  /** Returns the entry that ends first; undefined for an empty heap. */
  get first(): Entry | undefined {
    return this.#heap[0]
  }

  add(entry: Entry): void {
    this.#heap.push(entry)
    this.#rise(entry, this.#heap.length - 1)
  }

  remove(entry: Entry): void {
    const last = this.#heap.pop() as Entry
    if (last === entry) return
    this.#sink(last, entry.heapIndex)
    this.#rise(last, last.heapIndex)
  }

  #rise(entry: Entry, from: number): void {
    let index = from
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = this.#heap[above] as Entry
      if (parent.endsAtMs <= entry.endsAtMs) break
      this.#place(parent, index)
      index = above
    }
    this.#place(entry, index)
  }

  #sink(entry: Entry, from: number): void {
    let index = from
    for (;;) {
      const left = this.#heap[2 * index + 1]
      const right = this.#heap[2 * index + 2]
      const child = right && left && right.endsAtMs < left.endsAtMs ? right : left
      if (!child || child.endsAtMs >= entry.endsAtMs) break
      const below = child.heapIndex
      this.#place(child, index)
      index = below
    }
    this.#place(entry, index)
  }

  #place(entry: Entry, index: number): void {
    this.#heap[index] = entry
    entry.heapIndex = index
  }
}
