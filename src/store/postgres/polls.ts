/** Takes messages for polls, and parks them. */
import type { AttemptRules, Head, Taken } from '../../broker/device-lease.ts'
import type { Transitioned } from '../../broker/store.ts'
import type { PostgresParts } from './parts.ts'

export class Polls {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  head(_deviceId: string): Promise<Head | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  take(_deviceId: string, _head: Head, _rules: AttemptRules): Promise<Taken | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  park(_deviceId: string, _messageId: number, _number: number): Promise<Transitioned | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
