import type { Acknowledgement, Outcome, Transitioned } from '../../../broker/contract/store.ts'
import { ACK_TRANSITIONS } from '../../../broker/vocabulary/status.ts'
import { encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { STATUS_CODES } from '../schema/codes.ts'
import { type ReportCall, reportCall } from '../schema/report.ts'
import { countMove } from './move-counts.ts'
import type { MovedRow } from './store-events.ts'

interface Call {
  readonly device_id: string
  readonly id: number
  readonly status: number
  readonly name: string
  readonly changed_by: string | null
  readonly report: ReportCall | null
}

interface Result {
  readonly moved: MovedRow | null
  /** Status of an unchanged message. */
  readonly status: number | null
  /** Transport of the attempt that the change ended. */
  readonly transport: string | null
}

export class AcknowledgementVerbs {
  readonly #parts: PostgresParts
  readonly #acknowledge: (call: Call) => Promise<Result | null>

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#acknowledge = parts.verbs.write<Call, Result | null>({
      name: 'acknowledge',
      keysOf: ({ id }) => ({ alone: [String(id)], shared: [] }),
      onLate: (_call, result) => this.#reportLate(result),
    })
  }

  async acknowledge({ deviceId, messageId, status, by, report }: Acknowledgement): Promise<Outcome | null> {
    const result = await this.#acknowledge({
      device_id: encodeText(deviceId),
      id: messageId,
      status: STATUS_CODES.of(status),
      name: ACK_TRANSITIONS[status],
      changed_by: encodeText(by),
      report: report && reportCall(report),
    })
    const transition = this.#report(result)
    if (transition) return { status: transition.status, transition }
    return result?.status == null ? null : { status: STATUS_CODES.name(result.status), transition: null }
  }

  /** Reports a change whose caller got an error, so that it is announced like a change by another node. */
  #reportLate(result: Result | null): void {
    const transition = this.#report(result)
    if (transition) this.#parts.events.emit({ is: 'transitioned', transition })
  }

  /** Reports and counts the change of a call. Returns null without a change. */
  #report(result: Result | null): Transitioned | null {
    if (!result?.moved) return null
    const { events, counts } = this.#parts
    countMove(counts, result.moved)
    if (result.transport !== null) counts.attemptEnded(result.transport, 'ACKNOWLEDGED')
    return events.moved([result.moved])[0] ?? null
  }
}
