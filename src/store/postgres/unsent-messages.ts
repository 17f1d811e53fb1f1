/** Makes messages UNKNOWN whose last attempt ended without an acknowledgement, and NO messages that could not be sent. */
import type { Transitioned } from '../../broker/store.ts'
import type { StoreCounts } from '../../broker/store-metrics.ts'
import { AttemptEnds, type EndedRow } from './attempt-ends.ts'
import { countMove } from './move-counts.ts'
import type { PostgresParts } from './parts.ts'
import type { MovedRow, StoreEvents } from './store-events.ts'
import { encodeText } from './text.ts'

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
  readonly #counts: StoreCounts
  readonly #ends: AttemptEnds
  readonly #duties: PostgresParts['duties']
  readonly #makeUnknown: (call: FailureCall) => Promise<FailureResult>

  constructor(parts: PostgresParts) {
    this.#events = parts.events
    this.#counts = parts.counts
    this.#ends = new AttemptEnds(parts)
    this.#duties = parts.duties
    this.#makeUnknown = parts.verbs.write<FailureCall, FailureResult>({
      name: 'make_unknown',
      keysOf: ({ id }) => ({ alone: [String(id)], shared: [] }),
      onLate: (_, result) => this.#ends.announce(this.#report(result)),
    })
  }

  park(deviceId: string, messageId: number, number: number): Promise<Transitioned | null> {
    return this.#perform({ device_id: encodeText(deviceId), id: messageId, number })
  }

  sendFailed(messageId: number): Promise<Transitioned | null> {
    return this.#perform({ device_id: null, id: messageId, number: null })
  }

  /** Marks a NO message as UNKNOWN that was taken for a caller who is gone. */
  giveUp(messageId: number): void {
    // Without this the message would stay DELIVERED. Each failed call is reported by its lane.
    void this.#duties.perform(
      async () => this.#ends.announce(await this.sendFailed(messageId)),
      () => {},
    )
  }

  async #perform(call: FailureCall): Promise<Transitioned | null> {
    return this.#report(await this.#makeUnknown(call))
  }

  #report({ change, ended }: FailureResult): Transitioned | null {
    this.#ends.ended(ended, 'TIMEOUT')
    if (change === null) return null
    countMove(this.#counts, change)
    return this.#events.moved([change])[0] ?? null
  }
}
