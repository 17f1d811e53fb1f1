/** Carries out the deadlines that are due. */
import type { Expiry } from '../../broker/store.ts'
import type { PostgresParts } from './parts.ts'

export class Deadlines {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  expire(): Promise<Expiry> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
