/** Schemas of the request and answer bodies of REST, misspellings included. Not a route. */
import { ROLES } from '../src/auth/clients.ts'
import type { CancelledMessages, CancelOutcome } from '../src/broker/contract/store.ts'
import { WAIT_REASONS } from '../src/broker/views/wait-reasons.ts'
import { MESSAGE_FIELDS } from '../src/broker/vocabulary/message.ts'
import { REPORT_TEXT_LIST, REPORT_TEXTS } from '../src/broker/vocabulary/report-table.ts'
import { CAUSES } from '../src/broker/vocabulary/status.ts'
import {
  Choice,
  Maybe,
  Secret,
  type Static,
  Text,
  type TextOptions,
  type TSchema,
  Type,
} from '../src/web/schema.ts'
import {
  CorrelationId,
  DeliveryGuarantee,
  DeliveryStatus,
  MessageId,
  PRODUCER_FIELDS,
} from '../src/wire/messages.ts'

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const Count = Type.Integer({ minimum: 0 })

/** Schema of a text, with an example for the API description. */
export const TextLike = (example: string, options: TextOptions = {}) =>
  Text({ ...options, examples: [example] })

/** Milliseconds since 1970. */
export const Time = MESSAGE_FIELDS.createdAtMs.schema

const Role = Choice(ROLES, { title: 'Role' })

export const ProducerMessageResult = Type.Object(
  { id: MessageId, tmpId: Nullable(CorrelationId), deliveryStatus: DeliveryStatus },
  { title: 'ProducerMessageResult' },
)

export const StatusResult = Type.Object({ deliveryStatus: DeliveryStatus }, { title: 'StatusResult' })

export const CauseAnswer = Choice(CAUSES, { title: 'Cause' })
export const Reason = TextLike(REPORT_TEXTS.reason.example)
/** Texts of a report. Answers have them with details only. */
export const REPORT_TEXT_SCHEMAS = Type.Partial(
  Type.Object(
    Object.fromEntries(REPORT_TEXT_LIST.map(({ name, example }) => [name, Nullable(TextLike(example))])),
  ),
).properties
/** JSON as the device wrote it. */
export const Result = Type.Unknown({ examples: [{ litres: 12 }] })

export const Waits = Type.Object(
  { reason: Choice(WAIT_REASONS), messageId: Nullable(MessageId), until: Type.Optional(Nullable(Time)) },
  { title: 'Waits' },
)

/** Status of a message. The optional members are details. */
export const MessageStatus = Type.Object(
  {
    deliveryStatus: DeliveryStatus,
    id: Type.Optional(MessageId),
    tmpId: Type.Optional(Nullable(CorrelationId)),
    cause: Type.Optional(CauseAnswer),
    ...REPORT_TEXT_SCHEMAS,
    result: Type.Optional(Result),
    attempts: Type.Optional(Count),
    date: Type.Optional(Time),
    waits: Type.Optional(Nullable(Waits)),
  },
  { title: 'MessageStatus' },
)

const Force = Maybe(
  Type.Boolean({ description: 'true also cancels what was dispatched and not acknowledged' }),
)

export type CancelBody = Static<typeof CancelBody>
export const CancelBody = Type.Object({ force: Force }, { title: 'CancelOptions' })

export type CancelAllBody = Static<typeof CancelAllBody>
export const CancelAllBody = Type.Object(
  { command: Maybe(PRODUCER_FIELDS.command), force: Force },
  { title: 'CancelSelection' },
)

export const CancelledMessageAnswer = Type.Object(
  { deliveryStatus: DeliveryStatus, handedOver: Type.Boolean() },
  { title: 'CancelledMessage' },
)

export function toCancelledMessage({ status, attempts }: Omit<CancelOutcome, 'transition'>) {
  return { deliveryStatus: status, handedOver: attempts > 0 }
}

export const CancelledMessagesAnswer = Type.Object(
  { cancelled: Type.Array(MessageId), handedOver: Type.Array(MessageId) },
  { title: 'CancelledMessages' },
)

export function toCancelledMessages({ cancelled, handedOver }: CancelledMessages) {
  return { cancelled: cancelled.map(({ messageId }) => messageId), handedOver }
}

/** Answer to an acknowledgement, to a request for a pause, and to both in one. */
export const AcknowledgementResult = Type.Object(
  {
    deliveryStatus: Type.Optional(DeliveryStatus),
    busyUntilDate: Type.Optional(Nullable(Time)),
    resultDropped: Type.Optional(Type.Boolean({ description: 'only with details' })),
  },
  { title: 'AcknowledgementResult' },
)

export const ConsumerMessage = Type.Object(
  {
    id: MessageId,
    currentTimestamp: Time,
    command: TextLike('start'),
    believerGuarantee: DeliveryGuarantee,
    data: MESSAGE_FIELDS.data.schema,
    attempt: Type.Optional(Type.Integer({ minimum: 1, description: 'only with details' })),
    remainingSeconds: Type.Optional(Nullable(Count)),
    finishSeconds: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  },
  { title: 'ConsumerMessage' },
)

/**
 * Maximum bytes of a login, so that a flood of long passwords is refused before it is read. The longest valid login has
 * 3,601 as JSON with every character escaped: a device id of 255 characters of 12 bytes, a password of 72 of 6 bytes,
 * 109 for the rest. The remaining bytes are for white space and further members.
 */
export const LOGIN_BYTES = 4_096

/**
 * Device id in a login. It is bounded, because the server counts failed logins by id. Only {@link LOGIN_BYTES} bounds a
 * password: a password that is too long is wrong like any other.
 */
const ClientId = TextLike('pump-1', { maxLength: 255 })

const Password = Secret({ examples: ['a password'] })

export type LoginRequest = Static<typeof LoginRequest>
export const LoginRequest = Type.Object({ deviseId: ClientId, password: Password }, { title: 'LoginRequest' })

export const LoginResult = Type.Object(
  {
    accessToken: TextLike('eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'),
    tokenType: Type.Literal('Bearer'),
    deviseId: TextLike('pump-1'),
    role: Role,
  },
  { title: 'LoginResult' },
)

export const SessionAnswer = Type.Object({ deviseId: TextLike('pump-1'), role: Role }, { title: 'Session' })

export type CredentialCheck = Static<typeof CredentialCheck>
export const CredentialCheck = Type.Object(
  { username: ClientId, password: Password },
  { title: 'CredentialCheck' },
)

export const CredentialDecision = Type.Object({ decision: Type.Boolean() }, { title: 'CredentialDecision' })
