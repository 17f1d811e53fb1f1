/** Applies acknowledgements. */
import type { Acknowledgement, Outcome } from '../../broker/store.ts'
import type { PostgresParts } from './parts.ts'

export class Acknowledgements {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  acknowledge(_acknowledgement: Acknowledgement): Promise<Outcome | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
