/**
 * Defines the messages on the wire, the same over REST and MQTT, with the misspellings of the specification. Names
 * inside the code are correct English.
 */
import { STATUS_CODES } from 'node:http'
import { MESSAGE_FIELDS, type Submission } from '../broker/vocabulary/message.ts'
import {
  givenTerms,
  type NamedTerm,
  TEMPLATE_TERM_NAMES,
  TERM_LIST,
  TERM_NAMES,
  type TermName,
  type Terms,
  termsFrom,
} from '../broker/vocabulary/term-table.ts'
import { isHttpError } from '../web/endpoint.ts'
import { type ErrorTable, webError } from '../web/errors.ts'
import { extractRawMembers, parseObject } from '../web/json.ts'
import { readTolerantly } from '../web/keywords.ts'
import { Maybe, type Static, Text, type TObject, type TSchema, type TUnsafe, Type } from '../web/schema.ts'
import { KeywordValidator, PositionalValidator } from '../web/validators.ts'
import { IdempotencyKey, idempotencyOf } from './idempotency.ts'

const { id, deviceId, command, status, guarantee, data, correlationId, producerId } = MESSAGE_FIELDS

export const DeviceId = deviceId.schema
export const MessageId = id.schema
export const CorrelationId = correlationId.schema
export const DeliveryGuarantee = guarantee.schema
export const DeliveryStatus = status.schema

/** Schemas of the members that a producer may send, by their names in the code. */
export const PRODUCER_FIELDS = {
  command: command.schema,
  guarantee: Maybe(DeliveryGuarantee),
  data: Maybe(data.schema),
  correlationId: Maybe(CorrelationId),
  producerId: Maybe(producerId.schema),
}

/** Schemas of terms by name. Null selects the default of a term. */
type TermSchemas<Name extends TermName> = {
  [Each in Name]: ReturnType<typeof Maybe<TUnsafe<NonNullable<Terms[Each]>>>>
}

function termSchema({ type, maximum, description }: NamedTerm): TSchema {
  return type === 'text'
    ? Text({ maxLength: maximum, description })
    : Type.Integer({ minimum: 1, maximum, description })
}

function termSchemas<Name extends TermName>(names: readonly Name[]): TermSchemas<Name> {
  const chosen = TERM_LIST.filter(({ name }) => (names as readonly TermName[]).includes(name))
  return Object.fromEntries(
    chosen.map((term) => [term.name, Maybe(termSchema(term))]),
  ) as unknown as TermSchemas<Name>
}

export const TERM_SCHEMAS = termSchemas(TERM_NAMES)
export const TEMPLATE_TERMS = termSchemas(TEMPLATE_TERM_NAMES)

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
    ...TERM_SCHEMAS,
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

export type CancelPayload = Static<typeof CancelPayload>
export const CancelPayload = Type.Object(
  {
    id: Maybe(MessageId),
    command: Maybe(PRODUCER_FIELDS.command),
    force: Maybe(Type.Boolean({ description: 'true also cancels messages that were dispatched' })),
  },
  { title: 'Cancellation' },
)

/** Checks that a cancellation names either one message or a command. @throws {HttpError} 400 */
export function checkCancel({ id, command }: CancelPayload): void {
  if ((id ?? null) === null || (command ?? null) === null) return
  throw webError('bad-keyword', 'Parameters "id" and "command" exclude each other. Omit one of them.')
}

/**
 * Converts a producer's message to a submission.
 *
 * @param senderId client that sends it; null if unknown
 * @param key idempotency key, of the header or the body; null without one
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

/** Returns the terms that a producer sent; null without any. */
function termsOf(message: Pick<ProducerMessage, TermName>): Terms | null {
  if (TERM_NAMES.every((name) => (message[name] ?? null) === null)) return null
  return termsFrom((name) => message[name])
}

/** Lists the content of a submit that a repeated submit must also have. */
function contentOf({
  deviceId,
  command,
  guarantee,
  data,
  replyTo,
  details,
  terms = null,
  replaces,
}: Submission): unknown[] {
  return [
    deviceId,
    command,
    guarantee,
    data,
    ...givenTerms(terms),
    replyTo?.producerId ?? null,
    replyTo?.correlationId ?? null,
    details,
    replaces,
  ]
}

/**
 * Creates a function that parses and checks a payload, with the rules for the body of a request.
 *
 * @returns a function that throws {HttpError} 400 when the payload does not match the schema
 */
export function payloadParser<T extends TObject>(schema: T): (payload: Uint8Array) => Static<T> {
  const validator = new KeywordValidator(schema)
  const read = (payload: Uint8Array) => {
    const members = parseObject(payload)
    validator.check(members)
    if (validator.rawMembers.size > 0) {
      extractRawMembers(members, payload, validator.rawMembers, validator.rawValues)
    }
    return members
  }
  if (validator.tolerated.size === 0) return read as (payload: Uint8Array) => Static<T>
  return (payload) => readTolerantly(payload, validator, read) as Static<T>
}

const deviceIdValidator = new PositionalValidator(DeviceId)

/** Checks that a text is a valid device id. @throws {HttpError} 400 */
export function checkDeviceId(deviceId: string): void {
  deviceIdValidator.parse('deviceId', deviceId)
}

/** Message of a 403: the client may not act for the device id. */
export const NOT_OWN_QUEUE = 'This queue belongs to another device. Use your own device id.'
/** Message of a 403: the client may not receive the results of the producer named in its message. */
export const OTHER_PRODUCER =
  'The birth certificate names another producer. Use your own device id as producerDeviseId.'

/** Error in the form that clients receive. */
export interface Problem {
  /** HTTP status. Other protocols translate it. */
  readonly status: number
  /** Reason phrase of the status. */
  readonly error: string
  readonly message: string
  /** Code of the error, for counters. Clients do not receive it. */
  readonly code?: string | undefined
}

export function problem(status: number, message: string, code?: string): Problem {
  return { status, error: STATUS_CODES[status] ?? 'Error', message, code }
}

/** Returns the problem that a client receives for an error; null for an error that is not in the table. */
export function toProblem(error: unknown, table: ErrorTable): Problem | null {
  if (isHttpError(error)) return problem(error.status, error.message)
  const code = (error as { code?: unknown } | null)?.code
  if (!(error instanceof Error) || typeof code !== 'string' || !Object.hasOwn(table, code)) return null
  return problem((table[code] as ErrorTable[string]).status, error.message, code)
}

/** Statuses whose body the specification fixes: `{ "error": "Unauthorized" }` and `{ "error": "Forbidden" }`. */
export const BARE_ERRORS: readonly number[] = [401, 403]
