/**
 * The shapes and spellings of messages on the wire, misspellings included: the same over REST and MQTT. Inside, names
 * are correct English.
 */

import { STATUS_CODES } from 'node:http'
import { type DispatchedMessage, MESSAGE_FIELDS, type NewMessage } from './broker/message.ts'
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

export type ProducerMessage = Static<typeof ProducerMessage>
export const ProducerMessage = Type.Object(
  {
    command: command.schema,
    believerGuarantee: Maybe(DeliveryGuarantee),
    data: Maybe(data.schema),
    messageBirthCertificate: Maybe(
      Type.Object({ tmpId: Maybe(CorrelationId), producerDeviseId: Maybe(producerId.schema) }),
    ),
  },
  { title: 'ProducerMessage' },
)

export type AcknowledgementPayload = Static<typeof AcknowledgementPayload>
export const AcknowledgementPayload = Type.Object(
  { id: MessageId, deliveryStatus: Maybe(Choice(ACK_STATUSES)) },
  { title: 'Acknowledgement' },
)

/** Returns a producer's message as the broker takes it. */
export function toSubmission(
  deviceId: string,
  message: ProducerMessage,
  senderId: string | null,
): NewMessage {
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

/** The status of a message, as its producer receives it. */
export interface MessageResult {
  readonly id: number
  readonly tmpId: number | null
  readonly deliveryStatus: Status
}

/** Returns a message as its device receives it, in JSON. Joined, not built, so that `data` stays the text it was. */
export function deliveredMessage({ id, command, guarantee, data, atMs }: DispatchedMessage): string {
  const name = JSON.stringify(command)
  return `{"id":${id},"currentTimestamp":${atMs},"command":${name},"believerGuarantee":"${guarantee}","data":${data}}`
}

/**
 * Reads a payload as the body of a request is read.
 *
 * @returns a function that throws {HttpError} 400, with what is wrong
 */
export function reader<T extends TObject>(schema: T): (payload: Uint8Array) => Static<T> {
  const validator = new KeywordValidator(schema)
  return (payload) => {
    const { members, text } = parseObject(payload)
    validator.check(members)
    if (validator.rawMembers.size > 0) extractRawMembers(members, text, validator.rawMembers)
    return members as Static<T>
  }
}

const deviceIds = new PositionalValidator(DeviceId)

/** @throws {HttpError} 400 */
export function checkDeviceId(deviceId: string): void {
  deviceIds.value('deviceId', deviceId)
}

/** An error as clients are told it. */
export interface Problem {
  /** Of HTTP, which other protocols translate. */
  readonly status: number
  /** The status in words. */
  readonly error: string
  readonly message: string
}

export function problem(status: number, message: string): Problem {
  return { status, error: STATUS_CODES[status] ?? 'Error', message }
}

/** @returns null for an error that nobody foresaw */
export function toProblem(error: unknown, table: ErrorTable): Problem | null {
  if (isHttpError(error)) return problem(error.status, error.message)
  const code = (error as { code?: unknown } | null)?.code
  if (!(error instanceof Error) || typeof code !== 'string' || !Object.hasOwn(table, code)) return null
  return problem((table[code] as ErrorTable[string]).status, error.message)
}

/** Statuses of errors whose body the specification fixes as `{ "error": "Unauthorized" }` and `{ "error": "Forbidden" }`. */
export const BARE_ERRORS: readonly number[] = [401, 403]
