/**
 * Describes a message once: its fields with their types, columns, schemas and names in the answers for admins. The
 * storage, the wire and the API description derive from this table. docs: CONTRIBUTING.md, "Adding a field to a
 * message".
 */
import { Choice, RawJsonObject, Text, type TSchema, Type } from '../../web/schema.ts'
import type { NewLinks } from './link-table.ts'
import type { ReportTexts } from './report-table.ts'
import { type Cause, GUARANTEES, type Guarantee, STATUSES, type Status } from './status.ts'
import type { Terms } from './term-table.ts'

/** Stored fields of a message. Times are milliseconds since 1970. */
export interface MessageRecord {
  readonly id: number
  readonly deviceId: string
  readonly command: string
  readonly status: Status
  readonly guarantee: Guarantee
  readonly createdAtMs: number
  /** Time of the first change from NOT_DELIVERED to DELIVERED or a later status. */
  readonly deliveredAtMs: number | null
  readonly correlationId: number | null
  /** Client to notify; null if the producer asked for no notifications. */
  readonly producerId: string | null
  /** True if an acknowledgement did not come in time. */
  readonly deliveredError: boolean
  /** Client that submitted the message; null when access checks were off. */
  readonly senderId: string | null
  /** Time of the latest change of the status. */
  readonly changedAtMs: number
  /** Time at which the connection broke while the message was sent. */
  readonly brokenAtMs: number | null
  /** Client whose acknowledgement set the first DELIVERED; null for the device itself, or the broker. */
  readonly deliveredBy: string | null
  /** Client that caused the latest change; null for the device itself, or the broker. */
  readonly changedBy: string | null
  readonly supersededBy: number | null
  /** Cause of a replayed, CANCELLED or UNKNOWN message; null if the status implies it, see {@link causeOf}. */
  readonly cause: Cause | null
  /** JSON object as the producer wrote it. */
  readonly data: string
}

/** Producer to notify about a message, and its correlation id. */
export type ReplyTo = Pick<MessageRecord, 'producerId' | 'correlationId'>

/** Clients concerned by a message: its recipient, its sender, and the producer of its birth certificate. */
export type MessageParties = Pick<MessageRecord, 'deviceId' | 'senderId' | 'producerId'>

/** Idempotency key of a submit, with a fingerprint of its content. */
export interface SubmitKey {
  readonly key: string
  /** SHA-256 of the content as sent, in hexadecimal. The same key with another fingerprint is refused. */
  readonly fingerprint: string
}

/** Identifies a repeated submit. */
export interface Idempotency extends SubmitKey {
  /** Sender, whose keys are separate. Empty when access checks are off, because all clients then share their keys. */
  readonly scope: string
}

/** Message in the form that a storage receives. */
export interface NewMessage
  extends Pick<MessageRecord, 'deviceId' | 'command' | 'guarantee' | 'data' | 'senderId'> {
  /** Null if the producer gave neither part. */
  readonly replyTo: ReplyTo | null
  /** True if the producer wants the details of each result. */
  readonly details: boolean
  /** Terms with all defaults applied; null if nothing limits the message. */
  readonly terms: Terms | null
  /** Id of a message of the same device that this message cancels in the same transaction. */
  readonly replaces: number | null
  readonly idempotency: Idempotency | null
  /** Earlier messages that this message names; null or undefined without any. */
  readonly links?: NewLinks | null
}

/** Message as a client submits it. Without `data` the device receives `{}`. Its terms are without defaults. */
export type Submission = Pick<NewMessage, 'deviceId' | 'command' | 'guarantee' | 'senderId'> &
  Partial<Omit<NewMessage, 'deviceId' | 'command' | 'guarantee' | 'senderId' | 'idempotency'>> & {
    readonly idempotency?: SubmitKey | null
  }

/** Texts and result that a device reports with an acknowledgement. */
export interface Report extends ReportTexts {
  /** JSON as the device wrote it. */
  readonly result: string | null
  /** True if the device sent a result that is too large. */
  readonly resultDropped: boolean
}

/** Part of a pending message that its device receives. */
export type PendingMessage = Pick<MessageRecord, 'id' | 'command' | 'guarantee' | 'data'>

// The hot path builds messages with these functions. In a CPU profile of MQTT deliveries a copy with `...` took 2 us,
// while a literal with every member did not show.

export function toPendingMessage(id: number, message: Omit<PendingMessage, 'id'>): PendingMessage {
  const { command, guarantee, data } = message
  return { id, command, guarantee, data }
}

export function toDispatchedMessage(
  message: PendingMessage,
  attempt: AttemptState,
  atMs: number,
): DispatchedMessage {
  const { id, command, guarantee, data } = message
  const { number, counted, maxAttempts, remainingMs, finishSeconds } = attempt
  return { id, command, guarantee, data, atMs, number, counted, maxAttempts, remainingMs, finishSeconds }
}

/** Attempt with a message, as the domain and the device see it. */
export interface AttemptState {
  /**
   * Number of the attempt, from 1. The numbering continues after a replay. A repeated attempt with a deaf device keeps
   * its number.
   */
  readonly number: number
  /**
   * Attempts since the message was stored or replayed, including this attempt, excluding attempts that ended as BUSY.
   */
  readonly counted: number
  readonly maxAttempts: number | null
  /** Remaining validity, in milliseconds; null without an end. */
  readonly remainingMs: number | null
  readonly finishSeconds: number | null
}

export interface DispatchedMessage extends PendingMessage, AttemptState {
  readonly atMs: number
}

/**
 * Result of a dispatch. True: at least one connection took the message completely. False: none did. TOO_LARGE: every
 * connection limits the size of its messages, and none accepts this message.
 */
export type DispatchResult = boolean | 'TOO_LARGE'

/** Value in the form that a storage driver keeps. */
export type StoredValue = string | number | null

interface Field {
  readonly column: string
  /** Schema of a non-null value. */
  readonly schema: TSchema
  readonly nullable?: true
  /** Name in the lists of messages for admins. Their members have the order of the table; `data` comes last. */
  readonly listed?: string
  /** Name in the answer about one message, in addition to the listed members. */
  readonly detailed?: string
  /** Returns the value that an enqueue stores. Without it, the column has its default until a later change. */
  readonly submitted?: (message: NewMessage) => StoredValue
}

/** Integer that every JSON parser reads without loss. */
const SafeInteger = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  examples: [42],
})
const MessageId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const ClientId = Text({ maxLength: 255, examples: ['shop'] })
const Time = Type.Integer({ description: 'milliseconds since 1970', examples: [1_767_225_600_000] })

export const MESSAGE_FIELDS = {
  id: { column: 'id', schema: MessageId, listed: 'id' },
  deviceId: {
    column: 'device_id',
    schema: Text({ minLength: 1, maxLength: 255, noControls: true, examples: ['pump-1'] }),
    listed: 'deviseId',
    submitted: (message) => message.deviceId,
  },
  command: {
    column: 'command',
    schema: Text({ minLength: 1, maxLength: 255, examples: ['start'] }),
    listed: 'command',
    submitted: (message) => message.command,
  },
  status: {
    column: 'status',
    schema: Choice(STATUSES, { title: 'DeliveryStatus' }),
    listed: 'deliveryStatus',
  },
  guarantee: {
    column: 'guarantee',
    schema: Choice(GUARANTEES, { title: 'DeliveryGuarantee' }),
    listed: 'deliveryGuarantee',
    submitted: (message) => message.guarantee,
  },
  createdAtMs: { column: 'created_at_ms', schema: Time, listed: 'createdDate' },
  deliveredAtMs: { column: 'delivered_at_ms', schema: Time, nullable: true, listed: 'deliveredDate' },
  correlationId: {
    column: 'tmp_id',
    schema: SafeInteger,
    nullable: true,
    listed: 'tmpId',
    submitted: ({ replyTo }) => replyTo?.correlationId ?? null,
  },
  producerId: {
    column: 'producer_id',
    schema: ClientId,
    nullable: true,
    listed: 'producerDeviseId',
    submitted: ({ replyTo }) => replyTo?.producerId ?? null,
  },
  deliveredError: { column: 'delivered_error', schema: Type.Boolean(), listed: 'deliveredError' },
  senderId: {
    column: 'sender_id',
    schema: ClientId,
    nullable: true,
    detailed: 'senderDeviseId',
    submitted: (message) => message.senderId,
  },
  changedAtMs: { column: 'changed_at_ms', schema: Time },
  brokenAtMs: { column: 'broken_at_ms', schema: Time, nullable: true },
  deliveredBy: { column: 'delivered_by', schema: ClientId, nullable: true },
  changedBy: { column: 'changed_by', schema: ClientId, nullable: true },
  supersededBy: { column: 'superseded_by', schema: MessageId, nullable: true },
  cause: { column: 'cause', schema: Text({ examples: ['EXPIRED'] }), nullable: true },
  data: {
    column: 'data',
    schema: RawJsonObject({ examples: [{ speed: 1 }] }),
    listed: 'data',
    submitted: (message) => message.data,
  },
} satisfies Record<keyof MessageRecord, Field>

/** Fields in the order of the table, with their names. */
export const MESSAGE_FIELD_LIST = Object.entries(MESSAGE_FIELDS) as readonly (readonly [
  name: keyof MessageRecord,
  field: Field,
])[]

export function causeOf(message: MessageRecord): Cause {
  const { cause, status, guarantee, changedAtMs, deliveredAtMs } = message
  if (cause !== null) return cause
  if (status === 'NOT_DELIVERED') return 'STORED'
  const isDispatch = status === 'DELIVERED' && guarantee === 'NO' && changedAtMs === deliveredAtMs
  return isDispatch ? 'HANDED_OVER' : 'ACKNOWLEDGED'
}

/** Returns the reply-to of a record; null if the producer gave neither part. */
export function replyToOf({ producerId, correlationId }: ReplyTo): ReplyTo | null {
  return producerId === null && correlationId === null ? null : { producerId, correlationId }
}
