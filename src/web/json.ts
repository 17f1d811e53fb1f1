/** Parses JSON bodies, extracts members as the text that the client sent, and serialises results. */
import { isUtf8 } from 'node:buffer'
import { isRawJson, RawJson } from './endpoint.ts'
import { webError } from './errors.ts'

/**
 * Parses a body that must be a JSON object. The last of several members with one name wins, as in JSON.parse.
 *
 * @param what `body` in the message of an error
 * @throws {HttpError} 400 for a body that is not UTF-8, not JSON, or not an object
 */
export function parseObject(body: Uint8Array, what = 'body'): Record<string, unknown> {
  const text = textOf(body)
  // Invalid UTF-8 decodes to U+FFFD, which a client may also send deliberately.
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
  return members as Record<string, unknown>
}

/**
 * Refuses members named `__proto__`, at any depth, for a method without a schema. A handler that copies such a member with
 * `target[name] = value` would change the prototype of `target`. A schema names the members that its method reads.
 *
 * @param json text of the values
 * @throws {HttpError} 400
 */
export function refusePrototypes(values: object, json: Uint8Array, what = 'body'): void {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  // An escape may spell an underscore.
  if (!text.includes('__proto__') && !text.includes('\\u005')) return
  const open: object[] = [values]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Object.hasOwn(value, '__proto__'))
      throw webError('bad-json', `The ${what} has a member "__proto__", which is not accepted. Rename it.`)
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null) open.push(member)
    }
  }
}

/** Serialises a result of a handler. @throws {TypeError} for a value that JSON cannot represent */
export function jsonOf(value: unknown): string {
  if (isRawJson(value)) return value.text
  if (typeof value === 'object' && value !== null) refuseLost(value)
  const text = JSON.stringify(value)
  if (text === undefined)
    throw new TypeError(`A handler returned a ${typeof value}, which JSON cannot represent.`)
  return text
}

/**
 * Names of the classes whose values become `{}` in JSON, with what a handler returns instead. Names, because reading the
 * global `Response` makes Node load its implementation of `fetch`: 4 MB of memory.
 */
const LOST: ReadonlyMap<string, string> = new Map([
  ['Map', 'Object.fromEntries(map)'],
  ['Set', '[...set]'],
  ['Response', 'a Reply with its status and its bytes'],
  ['Blob', 'its bytes'],
  ['File', 'its bytes'],
  ['Headers', 'Object.fromEntries(headers)'],
])

/** Refuses a value that JSON would lose. A class decides about its values with `toJSON`. @throws {TypeError} */
function refuseLost(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === Array.prototype || 'toJSON' in value) return
  if (value instanceof Error)
    throw new TypeError(
      `A handler returned an ${value.name}. Throw it, or return what the client needs of it.`,
    )
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1)
  const instead = LOST.get(name)
  if (instead !== undefined)
    throw new TypeError(`A handler returned a ${name}, which JSON would lose. Return ${instead}.`)
}

const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * Replaces each named member that is an object by its source text. It scans bytes, which V8 does faster than the
 * characters of a string.
 *
 * @param json valid JSON in UTF-8, from which `members` was parsed
 * @param values names of the members to replace whatever their type is, unless they are null
 */
export function extractRawMembers(
  members: Record<string, unknown>,
  json: Uint8Array,
  names: ReadonlySet<string>,
  values: ReadonlySet<string> = NO_NAMES,
): void {
  if (!hasAny(members, names)) return
  let at = skipSpace(json, skipSpace(json, 0) + 1)
  while (json[at] === QUOTE) {
    const nameEnd = stringEnd(json, at)
    const start = skipSpace(json, skipSpace(json, nameEnd) + 1)
    const end = valueEnd(json, start)
    for (const name of names) {
      if (!spells(json, at, nameEnd, name)) continue
      const value = members[name] ?? null
      if (value !== null && (typeof value === 'object' || values.has(name)))
        members[name] = new RawJson(textOf(json, start, end))
    }
    at = skipSpace(json, skipSpace(json, end) + 1)
  }
}

function hasAny(members: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const name of names) if ((members[name] ?? null) !== null) return true
  return false
}

function textOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.toString('utf8', start, end)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SPACE = 0x20
const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_LIST = 0x5d
const BEYOND_ASCII = 0x80

/**
 * Returns whether a JSON string equals a name.
 *
 * @param at index of the opening quote
 * @param end index after the closing quote
 */
function spells(json: Uint8Array, at: number, end: number, name: string): boolean {
  for (let i = at + 1; i < end - 1; i++) {
    const byte = json[i] as number
    if (byte === BACKSLASH || byte >= BEYOND_ASCII) return JSON.parse(textOf(json, at, end)) === name
    if (byte !== name.charCodeAt(i - at - 1)) return false
  }
  return end - at - 2 === name.length
}

function skipSpace(json: Uint8Array, at: number): number {
  let i = at
  while ((json[i] as number) <= SPACE) i++
  return i
}

/**
 * Returns the index after the closing quote of a string.
 *
 * @param at index of the opening quote
 */
function stringEnd(json: Uint8Array, at: number): number {
  let i = at + 1
  for (let byte = json[i]; byte !== QUOTE; byte = json[++i]) if (byte === BACKSLASH) i++
  return i + 1
}

/** Returns the index after the JSON value that starts at `at`. */
function valueEnd(json: Uint8Array, at: number): number {
  let depth = 0
  for (let i = at; i < json.length; i++) {
    const byte = json[i] as number
    const isEnd = byte === CLOSE_OBJECT || byte === CLOSE_LIST
    if (byte === QUOTE) i = stringEnd(json, i) - 1
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++
    else if (isEnd && --depth < 0) return i
    else if (depth === 0 && (byte === COMMA || byte <= SPACE)) return i
    if (depth === 0 && (byte === QUOTE || isEnd)) return i + 1
  }
  return json.length
}
