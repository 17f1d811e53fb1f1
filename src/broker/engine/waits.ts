/** Limits the number of waiting requests, polls and requests of producers together. Knows no store and no HTTP. */
import type { Held } from '../../auth/held.ts'

/** Maximum time for which a request waits. Longer waits are cut to this time. */
export const MAX_WAIT_MS = 60_000

export class WaitLimit {
  readonly #limit: number
  readonly #ends = new Set<() => void>()
  #isClosed = false

  /** @param limit maximum simultaneously waiting requests */
  constructor(limit: number) {
    this.#limit = limit
  }

  get count(): number {
    return this.#ends.size
  }

  /**
   * Takes a place for a request.
   *
   * @param _held access that the request holds while it waits. A request without it must not wait
   * @param onEnd called once when the time is over or the server stops, at once after {@link close}; never after the place was released
   * @returns a function that releases the place; null if no place is free
   */
  take(_held: Held, waitMs: number, onEnd: () => void): (() => void) | null {
    if (this.#isClosed) {
      onEnd()
      return () => {}
    }
    if (this.#ends.size >= this.#limit) return null
    const end = (): void => {
      leave()
      onEnd()
    }
    // Node keeps the timers of one duration in one list, so a timer per request costs no search.
    const timer = setTimeout(end, waitMs).unref()
    const leave = (): void => {
      clearTimeout(timer)
      this.#ends.delete(end)
    }
    this.#ends.add(end)
    return leave
  }

  /** Ends all waits, and every later wait at its start. */
  close(): void {
    this.#isClosed = true
    for (const end of this.#ends) end()
  }
}
