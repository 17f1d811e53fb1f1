/**
 * Salvages the readable members of a broken JSON object. Only for a schema with {@link Tolerated} members, and only
 * after the strict parser refused the body.
 */
import { isUtf8 } from 'node:buffer'
import type { KeywordValidator } from './validators.ts'

export interface MendedJson {
  /** A valid JSON object without the broken members. */
  readonly json: Buffer
  readonly broken: readonly string[]
}

interface Member {
  readonly bytes: Buffer
  /** False if the body ends inside the member. */
  readonly isWhole: boolean
}

interface Members {
  readonly byName: ReadonlyMap<string, Member>
  /** False if the body was cut off, or a stray quote may hide a member. */
  readonly isIntact: boolean
}

/**
 * Returns a body without its byte order mark, its padding and its broken members. A tolerated text keeps its readable
 * characters; U+FFFD replaces the others.
 *
 * @returns null if the body is no JSON object, or a member that is not tolerated cannot be read with certainty
 */
export function mendJson(body: Uint8Array, validator: KeywordValidator): MendedJson | null {
  const { schema, tolerated, rawMembers } = validator
  const read = membersOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  if (read === null) return null
  const kept: string[] = []
  const broken: string[] = []
  for (const name of Object.keys(schema.properties)) {
    const member = read.byName.get(name)
    const isTolerated = tolerated.has(name)
    if (!isTolerated && (member ? !member.isWhole : !read.isIntact)) return null
    if (!member) continue
    const text = isTolerated ? readable(member, rawMembers.has(name)) : member.bytes.toString('utf8')
    if (text === null) broken.push(name)
    else kept.push(`${JSON.stringify(name)}:${text}`)
  }
  return { json: Buffer.from(`{${kept.join(',')}}`), broken }
}

/** Returns the JSON of a tolerated member; null when it is broken. @param isRaw true accepts only the bytes as sent */
function readable({ bytes, isWhole }: Member, isRaw: boolean): string | null {
  if (!isWhole || (isRaw && !isUtf8(bytes))) return null
  const text = bytes.toString('utf8')
  const mended = isRaw || bytes[0] !== QUOTE ? text : `"${text.slice(1, -1).replace(UNESCAPED, escaped)}"`
  try {
    JSON.parse(mended)
    return mended
  } catch {
    return null
  }
}

/** Matches each escape of a JSON string, and each character that JSON requires to be escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const UNESCAPED = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|["\\\u0000-\u001f]/g

/** Keeps a valid escape and a line feed. Any other control character, backslash or quote becomes U+FFFD. */
function escaped(found: string): string {
  if (found.length > 1) return found
  return found === '\n' || found === '\r' || found === '\t' ? JSON.stringify(found).slice(1, -1) : '\ufffd'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const SPACE = 0x20
const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_LIST = 0x5d
const ERASED = 0xff
const MARK = Buffer.from('\ufeff')

/** Splits the text of an object at its commas. Returns null if the text is no object. */
function membersOf(body: Buffer): Members | null {
  const json = body.subarray(0, MARK.length).equals(MARK) ? body.subarray(MARK.length) : body
  const byName = new Map<string, Member>()
  let isIntact = true
  let at = skipSpace(json, 0)
  if (json[at] !== OPEN_OBJECT) return null
  do {
    at = skipSpace(json, at + 1)
    if (json[at] !== QUOTE) break
    const nameEnd = stringEnd(json, at)
    const colon = skipSpace(json, nameEnd)
    if (json[colon] !== COLON) return colon < json.length ? null : { byName, isIntact: false }
    const start = skipSpace(json, colon + 1)
    const value = valueEnd(json, start)
    const isWhole = value.end < json.length
    isIntact &&= isWhole && value.isIntact
    byName.set(nameOf(json.subarray(at, nameEnd)), {
      bytes: trimmed(json.subarray(start, value.end)),
      isWhole,
    })
    at = value.end
  } while (json[at] === COMMA)
  if (at >= json.length) return { byName, isIntact: false }
  return json[at] === CLOSE_OBJECT && isPadding(json, at + 1) ? { byName, isIntact } : null
}

function nameOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns whether only padding follows. A C program ends its text with a NUL and may send the rest of its buffer. */
function isPadding(json: Buffer, from: number): boolean {
  for (let i = from; i < json.length && json[i] !== 0; i++) {
    const byte = json[i] as number
    if (byte > SPACE && byte !== ERASED) return false
  }
  return true
}

function skipSpace(json: Buffer, from: number): number {
  let i = from
  while (i < json.length && (json[i] as number) <= SPACE) i++
  return i
}

function trimmed(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && (bytes[end - 1] as number) <= SPACE) end--
  return bytes.subarray(0, end)
}

/** Returns the index after the closing quote of a string; the length of the body when it has none. */
function stringEnd(json: Buffer, quote: number): number {
  for (let i = quote + 1; i < json.length; i++) {
    if (json[i] === BACKSLASH) i++
    else if (json[i] === QUOTE) return i + 1
  }
  return json.length
}

/**
 * Returns the index of the comma or brace after a value; the length of the body if there is none. The value is intact
 * if no quote stands where a string can neither begin nor end.
 */
function valueEnd(json: Buffer, start: number): { end: number; isIntact: boolean } {
  let depth = 0
  let isIntact = true
  for (let i = start; i < json.length; i++) {
    const byte = json[i]
    if (byte === QUOTE) {
      if (depth === 0 && i > start) isIntact = false
      i = stringEnd(json, i) - 1
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_OBJECT)) return { end: i, isIntact }
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--
  }
  return { end: json.length, isIntact }
}
