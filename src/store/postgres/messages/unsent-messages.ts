/**
 * Ends attempts without an acknowledgement, parks messages after the last attempt, and makes unsendable NO messages
 * UNKNOWN.
 */
import type { EndedAttempt } from '../../../broker/contract/device-lease.ts'
import type { LastAttempt, Transitioned } from '../../../broker/contract/store.ts'
import type { StoreCounts } from '../../../broker/contract/store-metrics.ts'
import { encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { OUTCOME_CODES } from '../schema/codes.ts'
import { AttemptEnds, type EndedRow } from './attempt-ends.ts'
import { countMove } from './move-counts.ts'
import type { StartedRow } from './started-attempts.ts'
import type { MovedRow, StoreEvents } from './store-events.ts'

interface FailureCall {
  readonly device_id: string | null
  readonly id: number
  /** Number of the ended attempt; null for a NO message that could not be sent. */
  readonly number: number | null
  /** Start of that attempt; null for any attempt. */
  readonly at_ms: number | null
  readonly outcome: number | null
  /** True if the attempt was the last one, so that the message is parked. */
  readonly parks: boolean
}

const NO_ATTEMPT = { at_ms: null, outcome: null, parks: false }

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
      onLate: (call, result) => this.#ends.announce(this.#report(result, call.outcome)),
    })
  }

  park(
    deviceId: string,
    { messageId, number, outcome = 'TIMEOUT' }: LastAttempt,
  ): Promise<Transitioned | null> {
    const attempt = { number, at_ms: null, outcome: OUTCOME_CODES.of(outcome), parks: true }
    const call = { device_id: encodeText(deviceId), id: messageId, ...attempt }
    return this.#perform(call)
  }

  async endAttempt(
    deviceId: string,
    { messageId: id, number, atMs, outcome }: EndedAttempt,
  ): Promise<boolean> {
    const attempt = { number, at_ms: atMs, outcome: OUTCOME_CODES.of(outcome), parks: false }
    const { ended } = await this.#makeUnknown({ device_id: encodeText(deviceId), id, ...attempt })
    this.#ends.ended(ended, outcome)
    return ended !== null
  }

  sendFailed(messageId: number): Promise<Transitioned | null> {
    return this.#perform({ device_id: null, id: messageId, number: null, ...NO_ATTEMPT })
  }

  /**
   * Gives up a message that was taken for a caller that is gone. A NO message becomes UNKNOWN. Any other message has an
   * open attempt.
   */
  giveUp({ id, change }: StartedRow, transport: string): void {
    if (change === null) {
      this.#events.emit({ is: 'attempts-left' })
      return
    }
    this.#ends.announce(this.#ends.handedOver(change, transport))
    // Without this the message would stay DELIVERED. The lane reports each failed call.
    void this.#duties.perform(
      async () => this.#ends.announce(await this.sendFailed(id)),
      () => {},
    )
  }

  async #perform(call: FailureCall): Promise<Transitioned | null> {
    return this.#report(await this.#makeUnknown(call), call.outcome)
  }

  #report({ change, ended }: FailureResult, outcome: number | null): Transitioned | null {
    if (outcome !== null) this.#ends.ended(ended, OUTCOME_CODES.name(outcome))
    if (change === null) return null
    countMove(this.#counts, change)
    return this.#events.moved([change])[0] ?? null
  }
}
