/** Keeps expensive reads from holding the event loop together: they begin one after the other, each in a turn of its own. */
import { setImmediate as turn } from 'node:timers/promises'

export class Turns {
  #latest: Promise<unknown> = Promise.resolve()

  /** Runs a read after the earlier reads, in a new turn of the event loop. @throws the error of the read */
  run<T>(read: () => Promise<T>): Promise<T> {
    const result = this.#latest.then(() => turn()).then(read)
    this.#latest = result.catch(() => {})
    return result
  }
}
