/**
 * Keeps the messages of a connection in order while some of its retained messages are being stored. Knows no topics.
 */
import type { Peer } from './aedes-internals.ts'

export class RetainOrder {
  /** Promise of the last message of each connection that has a retained message being stored. */
  readonly #last = new WeakMap<Peer, Promise<void>>()

  /**
   * Calls `pass` when the message is stored and all earlier messages of the connection have passed [MQTT-4.6.0-5].
   * Returns a promise that resolves after that call, or null if `pass` was called at once.
   *
   * @param stored resolves to false if the storage failed; null for a message that is not retained
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
