/** Parses the idempotency key of a submit, and identifies the content that belongs to the key. Knows no storage. */
import { createHash } from 'node:crypto'
import type { SubmitKey } from '../broker/vocabulary/message.ts'
import { webError } from '../web/errors.ts'
import { Type } from '../web/schema.ts'

const MAX_KEY_LENGTH = 64

export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: MAX_KEY_LENGTH,
  pattern: '^[!-~]+$',
  description: 'identifies a repeated submit, which stores nothing and gets the result of the first one',
  examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
})

/** Quoted key, as in draft-ietf-httpapi-idempotency-key-header (RFC 8941 section 3.3.3). */
const QUOTED = /^"(?:[^"\\]|\\["\\])*"$/

/**
 * Returns the idempotency key of a request; null without one.
 *
 * @param header value of the header Idempotency-Key, quoted or bare
 * @param field the key in the body
 * @throws {HttpError} 400 for an invalid header, and for two different keys
 */
export function idempotencyKeyOf(
  header: string | undefined,
  field: string | null | undefined,
): string | null {
  if (header === undefined) return field ?? null
  const key = QUOTED.test(header) ? header.slice(1, -1).replace(/\\(.)/g, '$1') : header
  if (!/^[!-~]+$/.test(key) || key.length > MAX_KEY_LENGTH) {
    throw webError(
      'bad-keyword',
      `The header Idempotency-Key is not valid: expected 1 to ${MAX_KEY_LENGTH} visible ASCII characters without spaces.`,
    )
  }
  if (field === null || field === undefined || field === key) return key
  throw webError(
    'bad-keyword',
    'The header Idempotency-Key and parameter "idempotencyKey" differ. Omit one of them.',
  )
}

/**
 * Returns the key of a submit with its content; null without a key. @param content everything that a repeated submit
 * must also have
 */
export function idempotencyOf(key: string | null, content: readonly unknown[]): SubmitKey | null {
  if (key === null) return null
  return { key, fingerprint: createHash('sha256').update(JSON.stringify(content)).digest('hex') }
}
