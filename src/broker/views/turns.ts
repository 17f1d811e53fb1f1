/** Keeps expensive reads from holding the event loop together: they begin one after the other, each in a turn of its own. */
import { setImmediate as turn } from 'node:timers/promises'

export class Turns {
  #latest: Promise<unknown> = Promise.resolve()

  /** Runs a read when the earlier ones have ended and the event loop has turned. Has the result or the error of the read. */
  run<T>(read: () => Promise<T>): Promise<T> {
    const result = this.#latest.then(() => turn()).then(read)
    this.#latest = result.catch(() => {})
    return result
  }
}
