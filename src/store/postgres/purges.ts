/** Removes old messages and idempotency keys. */

import type { PostgresParts } from './parts.ts'

export class Purges {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  purge(_changedBeforeMs: number): Promise<number> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  purgeSubmissions(_usedBeforeMs: number): Promise<number> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
