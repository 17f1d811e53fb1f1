/**
 * Defines the messages on the wire, the same over REST and MQTT, with the misspellings of the specification. Names inside
 * the code are correct English.
 */

import { STATUS_CODES } from 'node:http'
import {
  type DispatchedMessage,
  MESSAGE_FIELDS,
  NO_TERMS,
  type Report,
  type Submission,
  type Terms,
} from './broker/message.ts'
import { ACK_STATUSES, type Cause, type Status } from './broker/status.ts'
import { isHttpError, type RawJson } from './web/endpoint.ts'
import { type ErrorTable, webError } from './web/errors.ts'
import { extractRawMembers, parseObject } from './web/json.ts'
import {
  Anything,
  Choice,
  describeSchema,
  Maybe,
  RawJsonValue,
  type Static,
  type TObject,
  Type,
} from './web/schema.ts'
import { KeywordValidator, PositionalValidator } from './web/validators.ts'
import { IdempotencyKey, idempotencyOf } from './wire/idempotency.ts'

const { id, deviceId, command, status, guarantee, data, correlationId, producerId } = MESSAGE_FIELDS

export const DeviceId = deviceId.schema
export const MessageId = id.schema
export const CorrelationId = correlationId.schema
export const DeliveryGuarantee = guarantee.schema
export const DeliveryStatus = status.schema

/** Schemas of what a producer may say, apart from the names on the wire. */
export const PRODUCER_FIELDS = {
  command: command.schema,
  guarantee: Maybe(DeliveryGuarantee),
  data: Maybe(data.schema),
  correlationId: Maybe(CorrelationId),
  producerId: Maybe(producerId.schema),
}

const seconds = (description: string) => Type.Integer({ minimum: 1, maximum: 31_536_000, description })

/** Schemas of the terms that a template has too. */
export const TEMPLATE_TERMS = {
  validSeconds: Maybe(seconds('no dispatch after this time from storing')),
  finishSeconds: Maybe(seconds('time from DELIVERED to a final status; not with guarantee NO')),
  maxAttempts: Maybe(
    Type.Integer({ minimum: 1, maximum: 100, description: 'attempts before the message is parked' }),
  ),
}

/** Schemas of the terms of a message. */
export const TERMS = {
  ...TEMPLATE_TERMS,
  delaySeconds: Maybe(seconds('no dispatch before this time from storing; must be less than validSeconds')),
}

export type ProducerMessage = Static<typeof ProducerMessage>
export const ProducerMessage = Type.Object(
  {
    command: PRODUCER_FIELDS.command,
    believerGuarantee: PRODUCER_FIELDS.guarantee,
    data: PRODUCER_FIELDS.data,
    messageBirthCertificate: Maybe(
      Type.Object({
        tmpId: PRODUCER_FIELDS.correlationId,
        producerDeviseId: PRODUCER_FIELDS.producerId,
        details: Maybe(Type.Boolean({ description: 'true: the results over MQTT carry details' })),
      }),
    ),
    ...TERMS,
    idempotencyKey: Maybe(IdempotencyKey),
    replaces: Maybe(
      Type.Integer({
        ...MessageId,
        description: 'id of a message of the same device that this one cancels, if it was never dispatched',
      }),
    ),
  },
  { title: 'ProducerMessage' },
)

/** Maximum bytes of a result. A longer one is dropped. */
export const MAX_RESULT_BYTES = 16_384
/** Maximum characters of a reason. A longer one is cut. */
export const MAX_REASON_LENGTH = 500

export type AcknowledgementPayload = Static<typeof AcknowledgementPayload>
export const AcknowledgementPayload = Type.Object(
  {
    id: Type.Optional(MessageId),
    deliveryStatus: Maybe(Choice(ACK_STATUSES)),
    result: Type.Optional(
      RawJsonValue({
        description: `any JSON value of at most ${MAX_RESULT_BYTES} bytes: what the command returned; a longer one is dropped`,
        examples: [{ litres: 12 }],
      }),
    ),
    reason: Type.Optional(
      Anything({
        description: `a text, cut at ${MAX_REASON_LENGTH} characters: the reason in words; another value is dropped`,
        examples: ['valve stuck'],
      }),
    ),
    busySeconds: Maybe(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'no dispatch to the device for this time; 0 ends it. Only with it may `id` be absent',
      }),
    ),
  },
  { title: 'Acknowledgement' },
)

/**
 * Returns the id of the acknowledged message; null when the payload has busySeconds alone.
 *
 * @throws {HttpError} 400 when the id is missing
 */
export function acknowledgedId({ id, deliveryStatus, busySeconds }: AcknowledgementPayload): number | null {
  if (id !== undefined) return id
  const isBusyAlone = (busySeconds ?? null) !== null && (deliveryStatus ?? null) === null
  if (isBusyAlone) return null
  throw webError('bad-keyword', `Parameter "id" is missing: expected ${describeSchema(MessageId)}.`)
}

/** Returns what a device reports beside the status; null for nothing. A report never makes an acknowledgement invalid. */
export function toReport({ result, reason }: AcknowledgementPayload): Report | null {
  const text = typeof reason === 'string' ? cutReason(reason) : null
  if ((result ?? null) === null)
    return text === null ? null : { reason: text, result: null, resultDropped: false }
  const json = (result as RawJson).text
  const resultDropped = Buffer.byteLength(json) > MAX_RESULT_BYTES
  return { reason: text, result: resultDropped ? null : json, resultDropped }
}

function cutReason(reason: string): string {
  // A lone surrogate has no UTF-8, so that the database would return another text.
  const text = reason.toWellFormed()
  return text.length <= MAX_REASON_LENGTH ? text : [...text].slice(0, MAX_REASON_LENGTH).join('')
}

export type CancelPayload = Static<typeof CancelPayload>
export const CancelPayload = Type.Object(
  {
    id: Maybe(MessageId),
    command: Maybe(PRODUCER_FIELDS.command),
    force: Maybe(Type.Boolean({ description: 'true also cancels messages that were dispatched' })),
  },
  { title: 'Cancellation' },
)

/** Checks that a cancellation names one message or a command, not both. @throws {HttpError} 400 */
export function checkCancel({ id, command }: CancelPayload): void {
  if ((id ?? null) === null || (command ?? null) === null) return
  throw webError('bad-keyword', 'Parameters "id" and "command" exclude each other. Omit one of them.')
}

/**
 * Returns a producer's message as the broker accepts it.
 *
 * @param senderId client that sends it; null if unknown
 * @param key idempotency key, of the header or the body; null for none
 */
export function toSubmission(
  deviceId: string,
  message: ProducerMessage,
  senderId: string | null,
  key: string | null = message.idempotencyKey ?? null,
): Submission {
  const { command, believerGuarantee, data, messageBirthCertificate, replaces = null } = message
  const {
    tmpId: correlationId = null,
    producerDeviseId: producerId = null,
    details = null,
  } = messageBirthCertificate ?? {}
  const submission = {
    deviceId,
    command,
    guarantee: believerGuarantee ?? 'RECEIPT_CONFIRMATION',
    data: data?.text ?? '{}',
    replyTo: correlationId === null && producerId === null ? null : { producerId, correlationId },
    details: details ?? false,
    terms: termsOf(message),
    replaces,
    idempotency: null,
    senderId,
  }
  return key === null ? submission : { ...submission, idempotency: idempotencyOf(key, contentOf(submission)) }
}

/** Returns the terms that a producer sent; null when it sent none. */
function termsOf(message: Pick<ProducerMessage, keyof typeof TERMS>): Terms | null {
  const { validSeconds = null, finishSeconds = null, delaySeconds = null, maxAttempts = null } = message
  const isPlain =
    validSeconds === null && finishSeconds === null && delaySeconds === null && maxAttempts === null
  return isPlain ? null : { validSeconds, finishSeconds, delaySeconds, maxAttempts }
}

/** Lists the content of a submit that a repetition must have too. */
function contentOf({
  deviceId,
  command,
  guarantee,
  data,
  replyTo,
  details,
  terms,
  replaces,
}: Submission): unknown[] {
  const { validSeconds, finishSeconds, delaySeconds, maxAttempts } = terms ?? NO_TERMS
  return [
    ...[deviceId, command, guarantee, data],
    ...[validSeconds, finishSeconds, delaySeconds, maxAttempts],
    ...[replyTo?.producerId ?? null, replyTo?.correlationId ?? null, details, replaces],
  ]
}

/** Status of a message, as its producer receives it. */
export interface MessageResult {
  readonly id: number
  readonly tmpId: number | null
  readonly deliveryStatus: Status
  /** Details for a producer that asked for them. */
  readonly details?: ResultDetails
}

/** Members of a result that only a producer with details receives. */
export interface ResultDetails {
  readonly cause: Cause
  readonly reason: string | null
  /** JSON as the device wrote it. */
  readonly result: string | null
  /** Number of attempts. */
  readonly attempts: number
  /** Time of the change, in milliseconds since 1970. */
  readonly date: number
}

/** Returns the JSON of a result. The text is joined: parsing and printing the device's `result` could change it. */
export function resultMessage({ id, tmpId, deliveryStatus, details }: MessageResult): string {
  const plain = `{"id":${id},"tmpId":${tmpId},"deliveryStatus":"${deliveryStatus}"`
  return details === undefined ? `${plain}}` : `${plain},${detailMembers(details)}}`
}

/** Returns the JSON members of the details. */
export function detailMembers({ cause, reason, result, attempts, date }: ResultDetails): string {
  return `"cause":"${cause}","reason":${JSON.stringify(reason)},"result":${result},"attempts":${attempts},"date":${date}`
}

/**
 * Returns the JSON of a message, as its device receives it. The text is joined: parsing and printing `data` could change
 * its numbers and the order of its members.
 *
 * @param details true adds the attempt, the rest of the validity and the finish time
 */
export function deliveredMessage(message: DispatchedMessage, details = false): string {
  const { id, command, guarantee, data, atMs } = message
  const name = JSON.stringify(command)
  const more = details ? deliveryDetails(message) : ''
  return `{"id":${id},"currentTimestamp":${atMs},"command":${name},"believerGuarantee":"${guarantee}","data":${data}${more}}`
}

function deliveryDetails({ number, remainingMs, finishSeconds }: DispatchedMessage): string {
  const remainingSeconds = remainingMs === null ? null : Math.ceil(remainingMs / 1000)
  return `,"attempt":${number},"remainingSeconds":${remainingSeconds},"finishSeconds":${finishSeconds}`
}

/**
 * Makes a function that parses and checks a payload, with the rules for the body of a request.
 *
 * @returns a function that throws {HttpError} 400 when the payload does not match the schema
 */
export function payloadParser<T extends TObject>(schema: T): (payload: Uint8Array) => Static<T> {
  const validator = new KeywordValidator(schema)
  return (payload) => {
    const { members, text } = parseObject(payload)
    validator.check(members)
    if (validator.rawMembers.size > 0) {
      extractRawMembers(members, text, validator.rawMembers, validator.rawValues)
    }
    return members as Static<T>
  }
}

const deviceIdValidator = new PositionalValidator(DeviceId)

/** Checks that a text is a valid device id. @throws {HttpError} 400 */
export function checkDeviceId(deviceId: string): void {
  deviceIdValidator.parse('deviceId', deviceId)
}

/** Message of a 403: the client may not act for the device id. */
export const NOT_OWN_QUEUE = 'This queue belongs to another device. Use your own device id.'
/** Message of a 403: the client may not receive the results of the producer that its message names. */
export const OTHER_PRODUCER =
  'The birth certificate names another producer. Use your own device id as producerDeviseId.'

/** An error as clients receive it. */
export interface Problem {
  /** HTTP status. Other protocols translate it. */
  readonly status: number
  /** Reason phrase of the status. */
  readonly error: string
  readonly message: string
}

/** Returns the problem for an HTTP status and a message to the client. */
export function problem(status: number, message: string): Problem {
  return { status, error: STATUS_CODES[status] ?? 'Error', message }
}

/** Returns the problem that a client receives for an error; null for an error that is not in the table. */
export function toProblem(error: unknown, table: ErrorTable): Problem | null {
  if (isHttpError(error)) return problem(error.status, error.message)
  const code = (error as { code?: unknown } | null)?.code
  if (!(error instanceof Error) || typeof code !== 'string' || !Object.hasOwn(table, code)) return null
  return problem((table[code] as ErrorTable[string]).status, error.message)
}

/** Statuses whose body the specification fixes: `{ "error": "Unauthorized" }` and `{ "error": "Forbidden" }`. */
export const BARE_ERRORS: readonly number[] = [401, 403]
