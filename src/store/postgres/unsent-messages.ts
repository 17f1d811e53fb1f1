/** Makes messages UNKNOWN whose last attempt ended without an acknowledgement, and NO messages that could not be sent. */
import type { Transitioned } from '../../broker/store.ts'
import { AttemptEnds, type EndedRow } from './attempt-ends.ts'
import type { PostgresParts } from './parts.ts'
import type { MovedRow, StoreEvents } from './store-events.ts'

interface FailureCall {
  readonly device_id: string | null
  readonly id: number
  /** Number of the last attempt; null for a NO message. */
  readonly number: number | null
}

interface FailureResult {
  readonly change: MovedRow | null
  readonly ended: EndedRow | null
}

export class UnsentMessages {
  readonly #events: StoreEvents
  readonly #ends: AttemptEnds
  readonly #makeUnknown: (call: FailureCall) => Promise<FailureResult>

  constructor(parts: PostgresParts) {
    this.#events = parts.events
    this.#ends = new AttemptEnds(parts)
    this.#makeUnknown = parts.verbs.write<FailureCall, FailureResult>({
      name: 'make_unknown',
      keysOf: ({ id }) => ({ alone: [String(id)], shared: [] }),
    })
  }

  park(deviceId: string, messageId: number, number: number): Promise<Transitioned | null> {
    return this.#perform({ device_id: deviceId, id: messageId, number })
  }

  sendFailed(messageId: number): Promise<Transitioned | null> {
    return this.#perform({ device_id: null, id: messageId, number: null })
  }

  async #perform(call: FailureCall): Promise<Transitioned | null> {
    const { change, ended } = await this.#makeUnknown(call)
    this.#ends.ended(ended, 'TIMEOUT')
    return change && (this.#events.moved([change])[0] ?? null)
  }
}
