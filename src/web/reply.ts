/** A handler's return value → response. The only place where one becomes the other. */
import { isRawJson, isReply } from './endpoint.ts'
import type { Chunk, HttpResponse } from './http.ts'

type Headers = HttpResponse['headers']

const JSON_HEADERS: Headers = [['content-type', 'application/json']]
const BYTES_HEADERS: Headers = [['content-type', 'application/octet-stream']]
const NO_HEADERS: Headers = []

/**
 * string, number, boolean, null, list, object: JSON. undefined: 204. Bytes and async iterables of bytes or text:
 * as they are. A Reply: its value, with its status and headers.
 *
 * @throws {TypeError} for what none of this covers (a function, a BigInt)
 */
export function toResponse(result: unknown): HttpResponse {
  if (!isReply(result)) {
    if (result === undefined) return { status: 204, headers: NO_HEADERS, body: null }
    const raw = isRaw(result)
    const body = raw ? result : jsonOf(result)
    return { status: 200, headers: raw ? BYTES_HEADERS : JSON_HEADERS, body }
  }
  const { status, value, options } = result
  const given = options.headers === undefined ? NO_HEADERS : lowerCase(options.headers)
  const { onSent } = options
  // RFC 9110 section 6.4.1: after a 204 or 304 a client reads no body, but takes its bytes for the next answer.
  if (value === undefined || status === 204 || status === 304) {
    return { status, headers: given, body: null, onSent }
  }
  const raw = isRaw(value)
  const typed = given.some(([name]) => name === 'content-type')
  const headers = typed ? given : [...(raw ? BYTES_HEADERS : JSON_HEADERS), ...given]
  return { status, headers, body: raw ? value : jsonOf(value), onSent }
}

function lowerCase(headers: Readonly<Record<string, string>>): Headers {
  return Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text])
}

function isRaw(value: unknown): value is Uint8Array | AsyncIterable<Chunk> {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value instanceof Uint8Array || Symbol.asyncIterator in value)
  )
}

function jsonOf(value: unknown): string {
  if (isRawJson(value)) return value.text
  const text = JSON.stringify(value)
  if (text === undefined)
    throw new TypeError(`A handler returned a ${typeof value}, which JSON cannot carry.`)
  return text
}
