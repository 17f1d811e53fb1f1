/** Validates commands that endpoints pass to the broker, with the schemas of REST. */
import { BrokerError } from '../broker/vocabulary/errors.ts'
import { MESSAGE_FIELDS, type Submission } from '../broker/vocabulary/message.ts'
import { isRawJson, RawJson } from '../web/endpoint.ts'
import { Maybe, Type } from '../web/schema.ts'
import { type Keywords, KeywordValidator } from '../web/validators.ts'
import { IdempotencyKey } from '../wire/idempotency.ts'
import { DeviceId, MessageId, PRODUCER_FIELDS, TERM_SCHEMAS, toSubmission } from '../wire/messages.ts'
import type { CancelOptions, NewCommand } from './shared-services.ts'

const { correlationId, producerId, ...members } = PRODUCER_FIELDS
const ClientId = Maybe(MESSAGE_FIELDS.senderId.schema)
// REST ignores unknown members. In code, a misspelt member is a mistake whose value would be lost.
const STRICT = { additionalProperties: false }
const commandValidator = new KeywordValidator(
  Type.Object(
    {
      ...members,
      deviceId: DeviceId,
      sender: ClientId,
      replyTo: Maybe(Type.Object({ correlationId, producerId }, STRICT)),
      terms: Maybe(Type.Object(TERM_SCHEMAS, STRICT)),
      replaces: Maybe(MessageId),
      idempotencyKey: Maybe(IdempotencyKey),
    },
    STRICT,
  ),
)
const idValidator = new KeywordValidator(Type.Object({ id: MessageId, by: ClientId }))
const cancelValidator = new KeywordValidator(
  Type.Object({ id: MessageId, by: ClientId, force: Type.Optional(Type.Boolean()) }, STRICT),
)

/**
 * Converts a command of an endpoint to a submission.
 *
 * @param bodyLimit maximum bytes of `data`
 * @throws {BrokerError} bad-message
 */
export function fromNewCommand(given: NewCommand, bodyLimit: number): Submission {
  if (typeof given !== 'object' || given === null) {
    throw badMessage('The message must be an object, like { deviceId, command }.')
  }
  // The copies have the checked values, even if an object has getters.
  const { data, ...command } = {
    ...given,
    sender: idOf(given.sender),
    replyTo: copyOf(given.replyTo),
    terms: copyOf(given.terms),
  }
  const raw = isRawJson(data) ? data.text : null
  check(commandValidator, { ...command, data: raw === null ? data : parse(raw) })
  const { deviceId, replyTo, sender, terms, replaces, idempotencyKey } = command
  const message = {
    command: command.command,
    believerGuarantee: command.guarantee ?? null,
    data: data ? new RawJson(jsonOf(raw, data, bodyLimit)) : null,
    messageBirthCertificate: replyTo && {
      tmpId: replyTo.correlationId ?? null,
      producerDeviseId: replyTo.producerId ?? null,
    },
    ...terms,
    replaces,
    idempotencyKey,
  }
  return toSubmission(deviceId, message, (sender as string | null | undefined) || null)
}

/** Checks the id of a message. @returns the id of the client @throws {BrokerError} bad-message */
export function checkId(id: number, by: NewCommand['sender'] = null): string | null {
  const client = idOf(by) as string | null
  check(idValidator, { id, by: client })
  return client || null
}

/**
 * Checks the id of a message and the options of a cancellation or a replay.
 *
 * @param given the options, or the client alone: null, an id, or an identity
 * @throws {BrokerError} bad-message
 */
export function cancelOptionsOf(
  id: number,
  given: CancelOptions | NewCommand['sender'],
): { by: string | null; force: boolean } {
  if (!isOptions(given)) return { by: checkId(id, given), force: false }
  const { by = null, ...more } = { ...given }
  const client = idOf(by) as string | null
  check(cancelValidator, { id, by: client, ...more })
  return { by: client || null, force: given.force ?? false }
}

/** An object without an `id` has options, because an identity has an `id`. */
function isOptions(given: CancelOptions | NewCommand['sender']): given is CancelOptions {
  return typeof given === 'object' && given !== null && !('id' in given)
}

function check(validator: KeywordValidator, values: Keywords): void {
  const problem = validator.problemOf(values)
  if (problem !== null) throw badMessage(problem)
}

function badMessage(message: string, cause?: unknown): BrokerError {
  return new BrokerError('bad-message', message, cause)
}

/** Returns the id of an identity; anything else unchanged, so that the check can refuse it. */
function idOf(client: unknown): unknown {
  return typeof client === 'object' && client !== null ? (client as { id?: unknown }).id : client
}

function copyOf<T>(value: T): T {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : value
}

/** Parses the text of a RawJson. @throws {BrokerError} bad-message */
function parse(text: unknown): unknown {
  // A lone surrogate has no UTF-8, so the database would return another text.
  if (typeof text !== 'string' || !text.isWellFormed()) {
    throw badMessage('"data" is not valid JSON: the text of a RawJson must be a well-formed string.')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw badMessage(`"data" is not valid JSON: ${(error as Error).message}`, error)
  }
}

/**
 * Returns the JSON text to store.
 *
 * @param raw the text of a RawJson; null serialises `data`
 * @throws {BrokerError} bad-message
 */
function jsonOf(raw: string | null, data: object, bodyLimit: number): string {
  const text = raw?.trim() ?? stringify(data)
  // The schema accepts null, which means no data. A RawJson of null is a mistake.
  if (!text?.startsWith('{')) {
    throw badMessage('"data" is not valid: expected a plain object, or a RawJson that holds a JSON object.')
  }
  const bytes = Buffer.byteLength(text)
  if (bytes <= bodyLimit) return text
  throw badMessage(`"data" is too large: ${bytes} bytes of JSON. server.body-limit allows ${bodyLimit}.`)
}

/** Serialises a plain object; undefined for any other value. @throws {BrokerError} bad-message */
function stringify(data: object): string | undefined {
  try {
    return isPlain(data) ? JSON.stringify(data) : undefined
  } catch (error) {
    // Some messages of V8 have several lines, which draw the cycle.
    const [reason] = String((error as Error | null)?.message).split('\n')
    throw badMessage(`"data" cannot be written as JSON: ${reason}`, error)
  }
}

/** Returns false for instances of classes, such as Map, of which JSON would lose most. */
function isPlain(data: object): boolean {
  const prototype = Object.getPrototypeOf(data) as object | null
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
