/** Calls the listeners of a store, each with the events that it names. The drivers share it. */
import type { StoreEvent } from './store.ts'

export type StoreEventName = StoreEvent['is']

/** Functions by the name of the event that calls them. A listener leaves out the events that it does not want. */
export type StoreListener = {
  readonly [Name in StoreEventName]?: (event: Extract<StoreEvent, { is: Name }>) => void
}

type Call = (event: StoreEvent) => void

export class StoreListeners {
  readonly #calls = new Map<StoreEventName, Set<Call>>()

  /** Adds a listener. Returns a function that removes it. */
  add(listener: StoreListener): () => void {
    const calls = Object.entries(listener) as [StoreEventName, Call][]
    const removals = calls.map(([name, call]) => this.#add(name, call))
    return () => {
      for (const remove of removals) remove()
    }
  }

  /** Returns whether a listener wants an event. */
  has(name: StoreEventName): boolean {
    return (this.#calls.get(name)?.size ?? 0) > 0
  }

  report(event: StoreEvent): void {
    const calls = this.#calls.get(event.is)
    if (calls !== undefined) for (const call of calls) call(event)
  }

  clear(): void {
    this.#calls.clear()
  }

  #add(name: StoreEventName, call: Call): () => void {
    const calls = this.#calls.get(name) ?? new Set()
    this.#calls.set(name, calls)
    // An own function, so that one listener that is added twice is called twice.
    const own: Call = (event) => call(event)
    calls.add(own)
    return () => calls.delete(own)
  }
}
