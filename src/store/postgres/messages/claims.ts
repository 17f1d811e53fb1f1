/** Claims messages over leases. */
import type { AttemptRules, Claim, EndedAttempt, OpenAttempt } from '../../../broker/contract/device-lease.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { OUTCOME_CODES } from '../schema/codes.ts'
import { AttemptEnds, type EndedRow } from './attempt-ends.ts'
import { ruleColumns, type StartedRow, toDispatched } from './started-attempts.ts'
import type { UnsentMessages } from './unsent-messages.ts'

/** Key of a device's lease, as stored in its row. */
export interface LeaseKey {
  readonly deviceId: string
  readonly transport: string
  readonly fence: number
}

interface ClaimCall extends ReturnType<typeof ruleColumns> {
  readonly device_id: string
  readonly transport: string
  readonly fence: number
  readonly ended_id: number | null
  readonly ended_number: number | null
  readonly ended_at_ms: number | null
  readonly ended_outcome: number | null
}

interface ClaimResult {
  readonly taken: {
    readonly is: Claim['is']
    readonly attempt: OpenAttempt | null
    readonly dueInMs: number | null
    readonly started: StartedRow | null
    readonly ended: EndedRow | null
  }
  readonly command: string | null
  readonly data: string | null
}

const LOST: Claim = { is: 'lost' }

export class ClaimVerbs {
  readonly #parts: PostgresParts
  readonly #ends: AttemptEnds
  readonly #unsent: UnsentMessages
  readonly #claim: (call: ClaimCall) => Promise<ClaimResult>

  constructor(parts: PostgresParts, unsent: UnsentMessages) {
    this.#parts = parts
    this.#ends = new AttemptEnds(parts)
    this.#unsent = unsent
    this.#claim = parts.verbs.write<ClaimCall, ClaimResult>({
      name: 'claim',
      completedBy: 'with_texts',
      keysOf: ({ device_id }) => ({ alone: [device_id], shared: [] }),
      // The dispatcher of the device waits for the result: only the result tells whether a message was taken.
      patienceMs: null,
      onLate: (call, result) => this.#drop(call, result),
    })
  }

  async claim(lease: LeaseKey, ended: EndedAttempt | null, rules: AttemptRules): Promise<Claim> {
    const { deviceId, transport, fence } = lease
    const call = {
      device_id: encodeText(deviceId),
      transport,
      fence,
      ...ruleColumns(rules),
      ended_id: ended?.messageId ?? null,
      ended_number: ended?.number ?? null,
      ended_at_ms: ended?.atMs ?? null,
      ended_outcome: ended && OUTCOME_CODES.of(ended.outcome),
    }
    const result = await this.#claim(call)
    this.#ends.ended(result.taken.ended, ended?.outcome ?? 'TIMEOUT')
    if (!this.#parts.node.isLive()) {
      this.#drop(call, result)
      return LOST
    }
    return this.#toClaim(result, transport)
  }

  #toClaim({ taken, command, data }: ClaimResult, transport: string): Claim {
    const { is, attempt, dueInMs, started } = taken
    if (is === 'message' && started) {
      const texts = { command: decodeText(command ?? ''), data: decodeText(data ?? '') }
      const transition = this.#ends.handedOver(started.change, transport)
      return { is, message: toDispatched(started, texts), recorded: null, transition }
    }
    if (is === 'inFlight' && attempt) return { is, attempt }
    return is === 'empty' ? { is, dueInMs } : LOST
  }

  /** Gives up a claimed message that no caller will send. */
  #drop({ transport }: ClaimCall, { taken }: ClaimResult): void {
    if (taken.started) this.#unsent.giveUp(taken.started, transport)
  }
}
