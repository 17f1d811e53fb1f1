/** Parses JSON bodies, extracts members as the text that the client sent, and serialises results. */
import { isUtf8 } from 'node:buffer'
import { isRawJson, RawJson } from './endpoint.ts'
import { webError } from './errors.ts'

/**
 * Parses a body that must be a JSON object. Returns its members and its text. Of two members with one name, the last
 * one counts, as for JSON.parse.
 *
 * @param what `body` in the message of an error
 * @throws {HttpError} 400 for a body that is not UTF-8, not JSON, or not an object
 */
export function parseObject(
  body: Uint8Array,
  what = 'body',
): { members: Record<string, unknown>; text: string } {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const text = bytes.toString('utf8')
  // Invalid UTF-8 decodes to U+FFFD, which a client may also send on purpose.
  if (text.includes('\ufffd') && !isUtf8(body)) {
    throw webError('bad-json', `The ${what} is not UTF-8. Send JSON encoded as UTF-8.`)
  }
  let members: unknown
  try {
    members = JSON.parse(text)
  } catch (error) {
    const reason = text.startsWith('\ufeff')
      ? 'it begins with a byte order mark (U+FEFF). Send it without one.'
      : (error as Error).message
    throw webError('bad-json', `The ${what} is not valid JSON: ${reason}`)
  }
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    throw webError('bad-json', `The ${what} must be a JSON object, with the parameters as its members.`)
  }
  return { members: members as Record<string, unknown>, text }
}

/** Serialises a result of a handler. @throws {TypeError} for a value that JSON cannot represent */
export function jsonOf(value: unknown): string {
  if (isRawJson(value)) return value.text
  const text = JSON.stringify(value)
  if (text === undefined)
    throw new TypeError(`A handler returned a ${typeof value}, which JSON cannot represent.`)
  return text
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** Maximum UTF-16 units of a body whose members may share its memory. */
const MAX_UNCOPIED_UNITS = 4_096

/**
 * Replaces each named member that is an object by its source text.
 *
 * @param text valid JSON from which `members` was parsed
 * @param values names of the members to replace whatever their type is, unless they are null
 */
export function extractRawMembers(
  members: Record<string, unknown>,
  text: string,
  names: ReadonlySet<string>,
  values: ReadonlySet<string> = NO_NAMES,
): void {
  if (!hasAny(members, names)) return
  let at = skipSpace(text, skipSpace(text, 0) + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = stringEnd(text, at)
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = valueEnd(text, start)
    const name = nameOf(text, at, nameEnd)
    // The name is looked up first: reading a member by a name that was cut out of a text costs V8 a search in all names.
    const value = names.has(name) ? members[name] : null
    if (value !== null && (typeof value === 'object' || values.has(name))) {
      const piece = text.slice(start, end)
      // A slice keeps the whole body in memory for as long as the slice lives, so a long body is copied.
      members[name] = new RawJson(text.length > MAX_UNCOPIED_UNITS ? Buffer.from(piece).toString() : piece)
    }
    at = skipSpace(text, skipSpace(text, end) + 1)
  }
}

function hasAny(members: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const name of names) if ((members[name] ?? null) !== null) return true
  return false
}

// Character codes: the scan compares numbers, because it runs for each request.
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SPACE = 0x20
const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_LIST = 0x5d

/**
 * Returns the name of a member.
 *
 * @param at index of the opening quote
 * @param end index after the closing quote
 */
function nameOf(text: string, at: number, end: number): string {
  const plain = text.slice(at + 1, end - 1)
  return plain.includes('\\') ? (JSON.parse(text.slice(at, end)) as string) : plain
}

function skipSpace(text: string, at: number): number {
  let i = at
  while (i < text.length && text.charCodeAt(i) <= SPACE) i++
  return i
}

/**
 * Returns the index after the closing quote of a string.
 *
 * @param at index of the opening quote
 */
function stringEnd(text: string, at: number): number {
  let i = at + 1
  for (let c = text.charCodeAt(i); c !== QUOTE; c = text.charCodeAt(++i)) if (c === BACKSLASH) i++
  return i + 1
}

/** Returns the index after the JSON value that starts at `at`. */
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
