/** Cancels pending messages. */
import type {
  CancelChange,
  CancelFilter,
  CancelledMessages,
  CancelOutcome,
  ManyChanges,
  Transitioned,
} from '../../../broker/contract/store.ts'
import type { StoreCounts } from '../../../broker/contract/store-metrics.ts'
import { encodeText } from '../database/text.ts'
import { ALONE } from '../database/verbs.ts'
import type { PostgresParts } from '../parts.ts'
import type { PostgresAudit } from '../records/audit.ts'
import { type AddedLine, type AuditCall, auditCall } from '../records/audit-lines.ts'
import { STATUS_CODES } from '../schema/codes.ts'
import { countMove } from './move-counts.ts'
import type { MovedRow, StoreEvents } from './store-events.ts'

interface CancelCall {
  readonly id: number
  readonly changed_by: string | null
  readonly force: boolean
  readonly audit: AuditCall | null
}

interface CancelAnswer {
  readonly status: number
  readonly attempts: number
  readonly moved: MovedRow | null
  readonly transport: string | null
  readonly line: AddedLine | null
}

interface CancelAllCall {
  readonly device_id: string
  readonly command: string | null
  readonly by_sender: boolean
  readonly sender_id: string | null
  readonly force: boolean
  readonly changed_by: string | null
  readonly most: number
  readonly audit: AuditCall | null
}

interface CancelAllAnswer {
  readonly moved: readonly MovedRow[] | null
  /** Transports of the open attempts with cancelled messages. */
  readonly withdrawn: readonly string[] | null
  readonly handed_over: readonly number[] | null
  readonly line: AddedLine | null
}

export class CancelVerbs {
  readonly #events: StoreEvents
  readonly #counts: StoreCounts
  readonly #audit: PostgresAudit
  readonly #cancel: (call: CancelCall) => Promise<CancelAnswer | null>
  readonly #cancelAll: (call: CancelAllCall) => Promise<CancelAllAnswer>

  constructor({ verbs, events, counts, audit }: PostgresParts) {
    this.#events = events
    this.#counts = counts
    this.#audit = audit
    this.#cancel = verbs.write<CancelCall, CancelAnswer | null>({
      name: 'cancel_messages',
      keysOf: ({ id }) => ({ alone: [String(id)], shared: [] }),
      onLate: (_, answer) => this.#announce(this.#reportOne(answer)),
    })
    this.#cancelAll = verbs.write<CancelAllCall, CancelAllAnswer>({
      name: 'cancel_all',
      keysOf: () => ALONE,
      onLate: (_, { moved, withdrawn }) => this.#announce(this.#report(moved, withdrawn)),
    })
  }

  async cancel(messageId: number, { by, force, audit = null }: CancelChange): Promise<CancelOutcome | null> {
    const call = { id: messageId, changed_by: encodeText(by), force, audit: auditCall(audit) }
    const answer = await this.#cancel(call)
    if (answer === null) return null
    const [transition = null] = this.#reportOne(answer)
    this.#audit.added(audit, answer.line)
    return { status: STATUS_CODES.name(answer.status), transition, attempts: answer.attempts }
  }

  async cancelAll(
    deviceId: string,
    { senderId, command, force, by }: CancelFilter,
    { limit, audit = null, onStep }: ManyChanges,
  ): Promise<CancelledMessages> {
    const { moved, withdrawn, handed_over, line } = await this.#cancelAll({
      device_id: encodeText(deviceId),
      command: encodeText(command ?? null),
      by_sender: senderId !== undefined,
      sender_id: encodeText(senderId ?? null),
      force,
      changed_by: encodeText(by),
      most: limit,
      audit: auditCall(audit),
    })
    const cancelled = this.#report(moved, withdrawn)
    this.#audit.added(audit, line, { count: cancelled.length })
    onStep?.(cancelled)
    return { cancelled, handedOver: handed_over ?? [] }
  }

  #reportOne(answer: CancelAnswer | null): Transitioned[] {
    if (!answer?.moved) return []
    return this.#report([answer.moved], answer.transport === null ? null : [answer.transport])
  }

  #report(moved: readonly MovedRow[] | null, withdrawn: readonly string[] | null): Transitioned[] {
    const rows = moved ?? []
    for (const row of rows) countMove(this.#counts, row)
    for (const transport of withdrawn ?? []) this.#counts.attemptEnded(transport, 'WITHDRAWN')
    return this.#events.moved(rows)
  }

  /** Reports changes that the caller will not announce, because it got an error. */
  #announce(transitions: readonly Transitioned[]): void {
    for (const transition of transitions) this.#events.emit({ is: 'transitioned', transition })
  }
}
