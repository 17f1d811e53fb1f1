/** Limits the requests that wait, polls of devices and requests of producers together. Knows no store and no HTTP. */
import type { Held } from '../../auth/held.ts'

/** Maximum time for which a request waits. A request for more waits this long. */
export const MAX_WAIT_MS = 60_000

export class WaitLimit {
  readonly #limit: number
  /** Ends of the requests that wait. */
  readonly #ends = new Set<() => void>()
  #isClosed = false

  /** @param limit maximum requests that wait at a time */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Number of requests that wait. */
  get count(): number {
    return this.#ends.size
  }

  /**
   * Takes a place for a request.
   *
   * @param _held access that the request holds while it waits. A request without it must not wait
   * @param onEnd called once when the time is over or the server stops, at once after {@link close}; never after the place
   * was left
   * @returns a function that leaves the place; null when no place is free
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
    // Node keeps the timers of one duration in one list, so a timer for each request costs no search.
    const timer = setTimeout(end, waitMs).unref()
    const leave = (): void => {
      clearTimeout(timer)
      this.#ends.delete(end)
    }
    this.#ends.add(end)
    return leave
  }

  /** Ends all waits, and every later one as soon as it begins. */
  close(): void {
    this.#isClosed = true
    for (const end of this.#ends) end()
  }
}
