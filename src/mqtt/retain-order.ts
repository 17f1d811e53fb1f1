/** Keeps the messages of a connection in order while retained ones of it are being stored. Knows no topics. */
import type { Peer } from './aedes-internals.ts'

export class RetainOrder {
  /** Resolves when the last message of a connection has passed, if a retained message before it was not stored. */
  readonly #last = new WeakMap<Peer, Promise<void>>()

  /**
   * Calls `pass` when the message is stored, and all earlier messages of the connection have passed [MQTT-4.6.0-5]. Returns a
   * promise that resolves after that call, or null if `pass` was called at once.
   *
   * @param stored resolves to false if the storage failed; null: the message is not retained
   */
  pass(peer: Peer, stored: Promise<boolean> | null, pass: (isStored: boolean) => void): Promise<void> | null {
    const before = this.#last.get(peer)
    if (!before && !stored) {
      pass(true)
      return null
    }
    const passed = Promise.all([stored, before]).then(([isStored]) => {
      if (this.#last.get(peer) === passed) this.#last.delete(peer)
      pass(isStored !== false)
    })
    this.#last.set(peer, passed)
    return passed
  }
}
