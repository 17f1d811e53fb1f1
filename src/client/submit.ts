/** Builds the body of a submit, and repeats a submit after a lost connection. Makes no requests. */
import { TERM_NAMES } from '../broker/vocabulary/term-table.ts'
import { ConnectionError } from './errors.ts'
import { pause } from './events.ts'
import type { SendOptions } from './options.ts'

/** Pauses before the repeats of a submit, in milliseconds. */
const PAUSES_MS = [200, 1000, 3000]

const KEY = /^[!-~]{1,64}$/

/** Returns a random idempotency key. `randomUUID` would be shorter, but browsers offer it over HTTPS only. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Returns the JSON text of a submit.
 *
 * @throws {SyntaxError} `data` is text that is not JSON
 * @throws {RangeError} the idempotency key has other characters, or is too long
 */
export function submitBody(command: string, data: object | string | undefined, options: SendOptions): string {
  const { guarantee, replyTo, details, replaces, idempotencyKey } = options
  if (typeof data === 'string') JSON.parse(data)
  if (typeof idempotencyKey === 'string' && !KEY.test(idempotencyKey)) {
    throw new RangeError('The idempotency key must have 1 to 64 characters of U+0021 to U+007E.')
  }
  const body = {
    command,
    believerGuarantee: guarantee,
    messageBirthCertificate: replyTo && {
      tmpId: replyTo.correlationId,
      producerDeviseId: replyTo.producerId,
      details,
    },
    ...Object.fromEntries(TERM_NAMES.map((name) => [name, options[name]])),
    replaces,
    idempotencyKey: idempotencyKey ?? undefined,
  }
  return withMember(JSON.stringify(body), 'data', data)
}

/**
 * Appends a member to the JSON text of an object. `JSON.stringify` would change the digits of a value given as text.
 *
 * @param value a value, or JSON text; undefined adds nothing
 */
export function withMember(body: string, name: string, value: object | string | undefined): string {
  if (value === undefined) return body
  return `${body.slice(0, -1)},"${name}":${typeof value === 'string' ? value : JSON.stringify(value)}}`
}

/**
 * Runs a submit, and repeats it up to three times after a lost connection. The submit must have an idempotency key,
 * because the server may have stored a message without its response arriving. A first attempt that reached no server is
 * not repeated: its address is most likely wrong.
 *
 * @throws {ConnectionError} the connection of the last attempt was lost too
 */
export async function repeated<T>(submit: () => Promise<T>, pausesMs = PAUSES_MS): Promise<T> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await submit()
    } catch (error) {
      const isLost = error instanceof ConnectionError && (repeats > 0 || error.wasReached)
      if (!isLost || repeats === pausesMs.length) throw error
      await pause(pausesMs[repeats] as number)
    }
  }
}
