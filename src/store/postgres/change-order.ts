/**
 * Tells whether a change is the newest one that this process knows of a message or a device. The result of a call of this
 * node and the journal may report the changes of two nodes in either order.
 */

/** Subjects that are remembered. A change arrives late by the time of a few reads of the journal. */
const MAX_KNOWN = 50_000

export class ChangeOrder<Subject> {
  /** Numbers of the newest known changes, by subject, the earliest report first. */
  readonly #newest = new Map<Subject, number>()

  /** Records a change by its number. Returns false when a newer one of the same subject is known. */
  isNewest(subject: Subject, seq: number): boolean {
    if (seq < (this.#newest.get(subject) ?? 0)) return false
    this.#newest.delete(subject)
    this.#newest.set(subject, seq)
    if (this.#newest.size <= MAX_KNOWN) return true
    const [oldest] = this.#newest.keys()
    this.#newest.delete(oldest as Subject)
    return true
  }
}
