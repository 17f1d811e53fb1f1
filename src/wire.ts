/**
 * Defines the messages on the wire, the same over REST and MQTT, with the misspellings of the specification. Names inside
 * the code are correct English.
 */

import { STATUS_CODES } from 'node:http'
import { type DispatchedMessage, MESSAGE_FIELDS, type Submission } from './broker/message.ts'
import { ACK_STATUSES, type Status } from './broker/status.ts'
import { isHttpError } from './web/endpoint.ts'
import type { ErrorTable } from './web/errors.ts'
import { extractRawMembers, parseObject } from './web/json.ts'
import { Choice, Maybe, type Static, type TObject, Type } from './web/schema.ts'
import { KeywordValidator, PositionalValidator } from './web/validators.ts'

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

export type ProducerMessage = Static<typeof ProducerMessage>
export const ProducerMessage = Type.Object(
  {
    command: PRODUCER_FIELDS.command,
    believerGuarantee: PRODUCER_FIELDS.guarantee,
    data: PRODUCER_FIELDS.data,
    messageBirthCertificate: Maybe(
      Type.Object({ tmpId: PRODUCER_FIELDS.correlationId, producerDeviseId: PRODUCER_FIELDS.producerId }),
    ),
  },
  { title: 'ProducerMessage' },
)

export type AcknowledgementPayload = Static<typeof AcknowledgementPayload>
export const AcknowledgementPayload = Type.Object(
  { id: MessageId, deliveryStatus: Maybe(Choice(ACK_STATUSES)) },
  { title: 'Acknowledgement' },
)

/** Returns a producer's message as the broker accepts it. @param senderId client that sends it; null if unknown */
export function toSubmission(
  deviceId: string,
  message: ProducerMessage,
  senderId: string | null,
): Submission {
  const { command, believerGuarantee, data, messageBirthCertificate } = message
  const { tmpId: correlationId = null, producerDeviseId: producerId = null } = messageBirthCertificate ?? {}
  return {
    deviceId,
    command,
    guarantee: believerGuarantee ?? 'RECEIPT_CONFIRMATION',
    data: data?.text ?? '{}',
    replyTo: correlationId === null && producerId === null ? null : { producerId, correlationId },
    senderId,
  }
}

/** Status of a message, as its producer receives it. */
export interface MessageResult {
  readonly id: number
  readonly tmpId: number | null
  readonly deliveryStatus: Status
}

/**
 * Returns the JSON of a message, as its device receives it. The text is joined: parsing and printing `data` could change
 * its numbers and the order of its members.
 */
export function deliveredMessage({ id, command, guarantee, data, atMs }: DispatchedMessage): string {
  const name = JSON.stringify(command)
  return `{"id":${id},"currentTimestamp":${atMs},"command":${name},"believerGuarantee":"${guarantee}","data":${data}}`
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
    if (validator.rawMembers.size > 0) extractRawMembers(members, text, validator.rawMembers)
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
