/** Keeps the delayed messages of one queue, by due time. */
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import { TimeQueue } from '../../../broker/vocabulary/time-queue.ts'
import type { End } from '../../end.ts'

export interface DelayedEntry {
  readonly id: number
  readonly command: string
  readonly bytes: number
  readonly due: End
}

interface Due {
  readonly untilMs: number
  readonly entry: DelayedEntry
}

/** Holds the entries of one queue. Only due messages cost a look-up. */
export class DelayedEntries {
  /** Entries by id, in ascending order. */
  #entries = new Map<number, DelayedEntry>()
  #newestId = 0
  /** Entries by either clock. May contain removed entries. */
  readonly #byWall = new TimeQueue<Due>()
  readonly #byMonotonic = new TimeQueue<Due>()

  get size(): number {
    return this.#entries.size
  }

  add(entry: DelayedEntry): void {
    this.#entries.set(entry.id, entry)
    if (entry.id > this.#newestId) this.#newestId = entry.id
    // A message that a client replayed.
    else this.#entries = new Map([...this.#entries].sort(([a], [b]) => a - b))
    this.#byWall.add({ untilMs: entry.due.wallMs, entry })
    this.#byMonotonic.add({ untilMs: entry.due.monotonicMs, entry })
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

  /** Returns the time until the next entry is due; null without one. */
  nextDueInMs(clock: Clock): number | null {
    const wall = this.#first(this.#byWall)
    const monotonic = this.#first(this.#byMonotonic)
    if (!wall || !monotonic) return null
    return Math.max(0, Math.min(wall.untilMs - clock.wallMs(), monotonic.untilMs - clock.monotonicMs()))
  }

  /** Removes the due entries, and returns them in the order of their ids. */
  takeDue(clock: Clock): DelayedEntry[] {
    const due = [
      ...this.#takeUntil(this.#byWall, clock.wallMs()),
      ...this.#takeUntil(this.#byMonotonic, clock.monotonicMs()),
    ]
    return due.sort((a, b) => a.id - b.id)
  }

  #takeUntil(queue: TimeQueue<Due>, nowMs: number): DelayedEntry[] {
    const due: DelayedEntry[] = []
    for (let first = this.#first(queue); first && first.untilMs <= nowMs; first = this.#first(queue)) {
      this.#entries.delete(first.entry.id)
      due.push(first.entry)
    }
    return due
  }

  /** Returns the first entry of a queue, skipping removed entries. */
  #first(queue: TimeQueue<Due>): Due | undefined {
    let first = queue.first()
    while (first && this.#entries.get(first.entry.id) !== first.entry) {
      queue.takeFirst()
      first = queue.first()
    }
    return first
  }
}
