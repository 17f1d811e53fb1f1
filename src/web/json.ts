/** JSON bodies: decoded, parsed, and cut where a member must stay the text it was. */
import { isUtf8 } from 'node:buffer'
import { JsonText } from './endpoint.ts'
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

/** Replaces each named member that is an object by the piece of `text` it was parsed from. */
export function keepText(members: Record<string, unknown>, text: string, names: ReadonlySet<string>): void {
  for (const [name, start, end] of memberSpans(text)) {
    if (names.has(name) && typeof members[name] === 'object' && members[name] !== null) {
      members[name] = new JsonText(text.slice(start, end))
    }
  }
}

/** Where the value of each member of the outermost object stands in `text`, which is known to be valid JSON. */
function* memberSpans(text: string): Generator<[name: string, start: number, end: number]> {
  let at = skipSpace(text, skipSpace(text, 0) + 1)
  while (text[at] === '"') {
    const nameEnd = stringEnd(text, at)
    const name = JSON.parse(text.slice(at, nameEnd)) as string
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = valueEnd(text, start)
    yield [name, start, end]
    at = skipSpace(text, skipSpace(text, end) + 1)
  }
}

function skipSpace(text: string, at: number): number {
  let i = at
  while (i < text.length && text.charCodeAt(i) <= 0x20) i++
  return i
}

/** @param at the opening quote. @returns the place behind the closing one */
function stringEnd(text: string, at: number): number {
  let i = at + 1
  for (; text[i] !== '"'; i++) if (text[i] === '\\') i++
  return i + 1
}

function valueEnd(text: string, at: number): number {
  let depth = 0
  for (let i = at; i < text.length; i++) {
    const c = text[i]
    if (c === '"') i = stringEnd(text, i) - 1
    else if (c === '{' || c === '[') depth++
    else if ((c === '}' || c === ']') && --depth < 0) return i
    else if (depth === 0 && (c === ',' || (c as string) <= ' ')) return i
    if (depth === 0 && (c === '"' || c === '}' || c === ']')) return i + 1
  }
  return text.length
}
