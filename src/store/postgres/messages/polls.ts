/** Finds and takes messages for polls. */
import type {
  AttemptRules,
  Head,
  LineState,
  OpenAttempt,
  Taken,
} from '../../../broker/contract/device-lease.ts'
import { decodeText, encodeText } from '../database/text.ts'
import { SHARED } from '../database/verbs.ts'
import type { PostgresParts } from '../parts.ts'
import { GUARANTEE_CODES } from '../schema/codes.ts'
import { AttemptEnds, type EndedRow } from './attempt-ends.ts'
import { ruleColumns, type StartedRow, toDispatched } from './started-attempts.ts'
import type { UnsentMessages } from './unsent-messages.ts'

const POLLS = 'REST'

interface LookCall {
  readonly kind: 'head' | 'line'
  readonly device_id: string
}

interface HeadRow {
  readonly id: number
  readonly command: string
  readonly guarantee: number
  readonly data: string
  readonly attempt: OpenAttempt | null
}

interface TakeCall extends ReturnType<typeof ruleColumns> {
  readonly device_id: string
  /** Message that the poll saw; null takes the oldest one. */
  readonly id: number | null
  readonly attempt_id: number | null
  readonly attempt_number: number | null
  readonly attempt_at_ms: number | null
}

interface TakeResult {
  readonly taken: { readonly started: StartedRow | null; readonly ended: EndedRow | null }
  /** Texts of a message that the poll did not see. */
  readonly command: string | null
  readonly data: string | null
}

const NO_ATTEMPT = { attempt_id: null, attempt_number: null, attempt_at_ms: null }

export class PollVerbs {
  readonly #ends: AttemptEnds
  readonly #look: (call: LookCall) => Promise<HeadRow | LineState | null>
  readonly #take: (call: TakeCall) => Promise<TakeResult>

  constructor(parts: PostgresParts, unsent: UnsentMessages) {
    this.#ends = new AttemptEnds(parts)
    this.#look = parts.verbs.read<LookCall, HeadRow | LineState | null>({
      name: 'look',
      keysOf: () => SHARED,
    })
    this.#take = parts.verbs.write<TakeCall, TakeResult>({
      name: 'take',
      completedBy: 'with_texts',
      keysOf: ({ device_id }) => ({ alone: [device_id], shared: [] }),
      // The poll got an error, so a NO message that it took was not sent.
      onLate: (_, { taken: { started, ended } }) => {
        this.#ends.ended(ended, 'TIMEOUT')
        if (started) unsent.giveUp(started, POLLS)
      },
    })
  }

  async line(deviceId: string): Promise<LineState> {
    return (await this.#look({ kind: 'line', device_id: encodeText(deviceId) })) as LineState
  }

  async head(deviceId: string): Promise<Head | null> {
    const row = (await this.#look({ kind: 'head', device_id: encodeText(deviceId) })) as HeadRow | null
    if (row === null) return null
    const { id, command, guarantee, data, attempt } = row
    const texts = { command: decodeText(command), data: decodeText(data) }
    return { message: { id, guarantee: GUARANTEE_CODES.name(guarantee), ...texts }, attempt }
  }

  async take(deviceId: string, { message, attempt }: Head, rules: AttemptRules): Promise<Taken | null> {
    const { taken } = await this.#take({
      device_id: encodeText(deviceId),
      id: message.id,
      ...ruleColumns(rules),
      attempt_id: attempt?.messageId ?? null,
      attempt_number: attempt?.number ?? null,
      attempt_at_ms: attempt?.atMs ?? null,
    })
    this.#ends.ended(taken.ended, 'TIMEOUT')
    return this.#taken(taken.started, message)
  }

  async takeFirst(deviceId: string, rules: AttemptRules): Promise<Taken | null> {
    const call = { device_id: encodeText(deviceId), id: null, ...ruleColumns(rules), ...NO_ATTEMPT }
    const { taken, command, data } = await this.#take(call)
    return this.#taken(taken.started, { command: decodeText(command ?? ''), data: decodeText(data ?? '') })
  }

  #taken(
    started: StartedRow | null,
    texts: { readonly command: string; readonly data: string },
  ): Taken | null {
    if (started === null) return null
    const transition = this.#ends.handedOver(started.change, POLLS)
    return { message: toDispatched(started, texts), transition }
  }
}
