/**
 * Repeats duties until they succeed. A duty is work that the server owes without a request, such as the read that makes
 * the devices of a gateway present. No client repeats it when the storage fails once. Knows no duty.
 */

/** Pauses after failed attempts, in milliseconds. The last pause applies to all further attempts. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 5_000]

export class Duties {
  /** Duties whose first attempt failed. */
  readonly #repeated = new Set<Promise<void>>()
  readonly #pauses = new Set<() => void>()
  #isClosed = false

  /**
   * Performs a duty, and repeats it after an error until it succeeds. A duty may take effect twice. Never rejects.
   *
   * @param duty does nothing when it is no longer needed
   * @param onFailure called with the error of the first attempt
   * @returns resolves after the first attempt
   */
  async perform(duty: () => Promise<unknown>, onFailure: (error: unknown) => void): Promise<void> {
    try {
      await duty()
    } catch (error) {
      onFailure(error)
      if (this.#isClosed) return
      const repeated: Promise<void> = this.#repeat(duty).finally(() => this.#repeated.delete(repeated))
      this.#repeated.add(repeated)
    }
  }

  /** Gives each unfinished duty one last attempt at once. Resolves when these attempts are over. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const end of this.#pauses) end()
    await Promise.all(this.#repeated)
  }

  async #repeat(duty: () => Promise<unknown>): Promise<void> {
    for (let tries = 0; ; tries++) {
      await this.#pause(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] as number)
      const isLast = this.#isClosed
      try {
        await duty()
        return
      } catch {
        // The first error was reported, and the storage logs its own condition.
        if (isLast) return
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#pauses.delete(end)
        resolve()
      }
      const timer = setTimeout(end, this.#isClosed ? 0 : ms).unref()
      this.#pauses.add(end)
    })
  }
}
