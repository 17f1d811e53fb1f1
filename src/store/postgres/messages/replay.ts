/** Returns UNKNOWN messages to their queues. */
import type {
  QueueLimits,
  Replay,
  ReplayAllChanges,
  ReplayChange,
  ReplayedMessages,
  ReplayFilter,
  Transitioned,
} from '../../../broker/contract/store.ts'
import { queueFull } from '../../../broker/vocabulary/queue-full.ts'
import { decodeText, encodeText } from '../database/text.ts'
import { ALONE } from '../database/verbs.ts'
import type { PostgresParts } from '../parts.ts'
import { type AddedLine, type AuditCall, auditCall } from '../records/audit-lines.ts'
import { CAUSE_CODES, GUARANTEE_CODES, STATUS_CODES } from '../schema/codes.ts'
import { messagesOf, newestRare } from '../schema/rare-messages.ts'
import { chooseReplays, type ParkedMessage, type QueueSize } from './replay-choice.ts'
import type { MovedRow } from './store-events.ts'

interface Item {
  readonly id: number
  readonly max_messages: number
  readonly max_bytes: number
}

interface Call {
  readonly changed_by: string | null
  readonly is_many: boolean
  /** The oldest message first. */
  readonly items: readonly Item[]
  readonly audit: AuditCall | null
}

interface Answer {
  /** Null for each replayed message. */
  readonly answers: readonly (Refused | null)[]
  readonly moved: readonly MovedRow[] | null
  readonly line: AddedLine | null
}

type Refused =
  | { readonly error: 'unknown-message' | 'expired' }
  | { readonly error: 'not-unknown'; readonly status: number; readonly guarantee: number }
  | {
      readonly error: 'queue-full'
      readonly device_id: string
      readonly waiting: number
      readonly bytes: number
      readonly message_bytes: number
    }

const PARKED = `SELECT m.id, m.device_id AS "deviceId", unescaped_bytes(m.command) + unescaped_bytes(m.data) AS bytes,
    m.expires_at_ms <= now_ms() IS TRUE AS "isExpired"
  FROM ${messagesOf(newestRare(['UNKNOWN'], {}), 'm.device_id, m.command, m.data, m.expires_at_ms, m.created_at_ms, m.cause')} m
  WHERE m.cause = ${CAUSE_CODES.of('NOT_ACKNOWLEDGED')}
    AND ($1::text IS NULL OR m.device_id = $1) AND ($2::text IS NULL OR m.command = $2)
    AND ($3::bigint IS NULL OR m.created_at_ms >= $3) AND ($4::bigint IS NULL OR m.created_at_ms < $4)
  ORDER BY m.id`

const QUEUES = `SELECT q.device_id, count(*)::int AS messages, sum(q.bytes) AS bytes
  FROM pending q WHERE q.device_id = ANY($1) GROUP BY q.device_id`

export class ReplayVerbs {
  readonly #parts: PostgresParts
  readonly #replay: (call: Call) => Promise<Answer>

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#replay = parts.verbs.write<Call, Answer>({
      name: 'replay_messages',
      keysOf: () => ALONE,
      onLate: (_, { moved }) => {
        for (const transition of this.#report(moved)) parts.events.emit({ is: 'transitioned', transition })
      },
    })
  }

  /** @throws {BrokerError} queue-full */
  async replay(messageId: number, { by, limits, audit = null }: ReplayChange): Promise<Replay | null> {
    const items = [toItem(messageId, limits)]
    const call = { changed_by: encodeText(by), is_many: false, items, audit: auditCall(audit) }
    const { answers, moved, line } = await this.#replay(call)
    const [transition] = this.#report(moved)
    this.#parts.audit.added(audit, line)
    if (transition) return { is: 'replayed', transition }
    return toReplay(answers[0] as Refused, limits)
  }

  async replayAll(
    filter: ReplayFilter,
    { by, limitsOf, limit, audit = null, onStep }: ReplayAllChanges,
  ): Promise<ReplayedMessages> {
    const parked = await this.#parked(filter)
    const queues = await this.#queues(parked)
    const { chosen, left, skipped } = chooseReplays(parked, queues, limitsOf, limit)
    const items = chosen.map(({ id, deviceId }) => toItem(id, limitsOf(deviceId)))
    const call = { changed_by: encodeText(by), is_many: true, items, audit: auditCall(audit) }
    const { answers, moved, line } = await this.#replay(call)
    const replayed = this.#report(moved)
    this.#parts.audit.added(audit, line, { count: replayed.length })
    onStep?.(replayed)
    // The queue of a chosen message may have become full meanwhile, and its validity may have ended.
    const late = answers.filter((each) => each?.error === 'queue-full' || each?.error === 'expired')
    return { replayed, left, skipped: skipped + late.length }
  }

  async #parked({ deviceId, command, fromMs, toMs }: ReplayFilter): Promise<ParkedMessage[]> {
    const values = [encodeText(deviceId ?? null), encodeText(command ?? null), fromMs ?? null, toMs ?? null]
    const rows = await this.#parts.reads.run<ParkedMessage>(PARKED, values)
    return rows.map((row) => ({ ...row, deviceId: decodeText(row.deviceId) }))
  }

  async #queues(parked: readonly ParkedMessage[]): Promise<Map<string, QueueSize>> {
    const devices = [...new Set(parked.map(({ deviceId }) => encodeText(deviceId)))]
    const rows = await this.#parts.reads.run<QueueSize & { device_id: string }>(QUEUES, [devices])
    return new Map(rows.map(({ device_id, messages, bytes }) => [decodeText(device_id), { messages, bytes }]))
  }

  #report(moved: readonly MovedRow[] | null): Transitioned[] {
    return this.#parts.events.moved(moved ?? [])
  }
}

function toItem(id: number, limits: QueueLimits): Item {
  return { id, max_messages: limits.messages, max_bytes: limits.bytes }
}

/** @throws {BrokerError} queue-full */
function toReplay(answer: Refused, limits: QueueLimits): Replay | null {
  switch (answer.error) {
    case 'unknown-message':
      return null
    case 'expired':
      return { is: 'expired' }
    case 'not-unknown':
      return {
        is: 'not-unknown',
        status: STATUS_CODES.name(answer.status),
        guarantee: GUARANTEE_CODES.name(answer.guarantee),
      }
    case 'queue-full': {
      const queue = { waiting: answer.waiting, limit: limits.messages, bytes: answer.bytes }
      const state = { ...queue, limitBytes: limits.bytes }
      throw queueFull(decodeText(answer.device_id), state, answer.message_bytes)
    }
  }
}
