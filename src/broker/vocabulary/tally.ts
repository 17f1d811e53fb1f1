/** Counts events by name since the start. The names come from the code and never from a request, so there are few. */
export class Tally<Name extends string = string> {
  readonly #counts: Map<Name, number>

  /** @param names that have a count of 0 before their first event, so that a rate includes this event */
  constructor(names: readonly Name[] = []) {
    this.#counts = new Map(names.map((name) => [name, 0]))
  }

  add(name: Name): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  entries(): Iterable<readonly [name: Name, count: number]> {
    return this.#counts
  }
}
