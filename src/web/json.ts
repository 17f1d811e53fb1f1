/** JSON bodies: decoded, parsed, and cut where a member must stay the text it was. */
import { isUtf8 } from 'node:buffer'
import { RawJson } from './endpoint.ts'
import { fail } from './errors.ts'

/**
 * A body that must be a JSON object: its members, and the text they were read from. A member that is there
 * twice counts once, the last one (as for JSON.parse).
 *
 * @throws {HttpError} 400: not UTF-8, not JSON, no object
 */
export function parseObject(body: Uint8Array): { members: Record<string, unknown>; text: string } {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const text = bytes.toString('utf8')
  // What is not UTF-8 is decoded to U+FFFD, which may also be meant.
  if (text.includes('\ufffd') && !isUtf8(body)) {
    throw fail('bad-json', 'The body is not UTF-8. Send JSON encoded as UTF-8.')
  }
  let members: unknown
  try {
    members = JSON.parse(text)
  } catch (error) {
    const reason = text.startsWith('\ufeff')
      ? 'it begins with a byte order mark (U+FEFF). Leave that out.'
      : (error as Error).message
    throw fail('bad-json', `The body is not valid JSON: ${reason}`)
  }
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    throw fail('bad-json', 'The body must be a JSON object, with the parameters as its members.')
  }
  return { members: members as Record<string, unknown>, text }
}

/** UTF-16 units of a body of which nothing is copied. */
const SHORT = 4_096

/** Replaces each named member that is an object by the piece of `text`, which is valid JSON, it was parsed from. */
export function extractRawMembers(
  members: Record<string, unknown>,
  text: string,
  names: ReadonlySet<string>,
): void {
  let at = skipSpace(text, skipSpace(text, 0) + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = stringEnd(text, at)
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = valueEnd(text, start)
    const name = nameOf(text, at, nameEnd)
    if (names.has(name) && typeof members[name] === 'object' && members[name] !== null) {
      const piece = text.slice(start, end)
      // A piece of a text holds all of it in memory, and may be kept for long.
      members[name] = new RawJson(text.length > SHORT ? Buffer.from(piece).toString() : piece)
    }
    at = skipSpace(text, skipSpace(text, end) + 1)
  }
}

// Characters by their codes: a body is gone through once for each request.
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SPACE = 0x20
const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_LIST = 0x5d

/** @param at the opening quote. @param end the place behind the closing one */
function nameOf(text: string, at: number, end: number): string {
  const plain = text.slice(at + 1, end - 1)
  return plain.includes('\\') ? (JSON.parse(text.slice(at, end)) as string) : plain
}

function skipSpace(text: string, at: number): number {
  let i = at
  while (i < text.length && text.charCodeAt(i) <= SPACE) i++
  return i
}

/** @param at the opening quote. @returns the place behind the closing one */
function stringEnd(text: string, at: number): number {
  let i = at + 1
  for (let c = text.charCodeAt(i); c !== QUOTE; c = text.charCodeAt(++i)) if (c === BACKSLASH) i++
  return i + 1
}

function valueEnd(text: string, at: number): number {
  let depth = 0
  for (let i = at; i < text.length; i++) {
    const c = text.charCodeAt(i)
    const isEnd = c === CLOSE_OBJECT || c === CLOSE_LIST
    if (c === QUOTE) i = stringEnd(text, i) - 1
    else if (c === OPEN_OBJECT || c === OPEN_LIST) depth++
    else if (isEnd && --depth < 0) return i
    else if (depth === 0 && (c === COMMA || c <= SPACE)) return i
    if (depth === 0 && (c === QUOTE || isEnd)) return i + 1
  }
  return text.length
}
