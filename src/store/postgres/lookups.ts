/** Looks up messages by their ids. */
import type { MessageParties } from '../../broker/message.ts'
import type { Status } from '../../broker/status.ts'
import type { PostgresParts } from './parts.ts'

export class Lookups {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  status(_messageId: number): Promise<Status | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  parties(_messageId: number): Promise<MessageParties | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  pendingDevices(): Promise<Iterable<string>> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  newestMs(): Promise<number | null> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
