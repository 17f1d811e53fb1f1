/** Converts the return value of a handler into a response. */
import { isReply, RawJson, Reply } from './endpoint.ts'
import { jsonOf } from './json.ts'
import { isJson } from './media.ts'
import { checkedHead } from './response-head.ts'
import { isStream, StreamBody } from './streamed.ts'
import type { HttpResponse } from './types.ts'

type Headers = HttpResponse['headers']

const JSON_HEADERS: Headers = [['content-type', 'application/json']]
const BYTES_HEADERS: Headers = [['content-type', 'application/octet-stream']]
const NO_HEADERS: Headers = []

const NO_STORE = ['cache-control', 'no-store'] as const
// Shared, because most responses have these headers.
const CONFIDENTIAL_JSON_HEADERS: Headers = [...JSON_HEADERS, NO_STORE]
const CONFIDENTIAL_BYTES_HEADERS: Headers = [...BYTES_HEADERS, NO_STORE]
const CONFIDENTIAL_NO_HEADERS: Headers = [NO_STORE]

/**
 * Converts the return value of a handler into a response. `undefined` becomes a 204. Bytes are sent unchanged, as are
 * strings with a media type other than JSON. A stream is sent item by item. A Reply is sent with its status and
 * headers. Any other value is sent as JSON.
 *
 * @param confidential true adds `Cache-Control: no-store` (RFC 9111 section 5.2.2.5), unless the Reply sets Cache-Control
 * @param media media type of strings and streams; null for JSON, and for streams whose first item decides
 * @throws {TypeError} for a value that JSON cannot represent, such as a function or a BigInt, and for a header that HTTP forbids
 * @throws {RangeError} for a status out of range
 */
export function toResponse(result: unknown, confidential: boolean, media: string | null): HttpResponse {
  if (media !== null && typeof result === 'string')
    return toResponse(new Reply(200, result), confidential, media)
  const ofNothing = confidential ? CONFIDENTIAL_NO_HEADERS : NO_HEADERS
  if (!isReply(result)) {
    if (result === undefined) return { status: 204, headers: ofNothing, body: null }
    if (isStream(result)) return toResponse(new Reply(200, result), confidential, media)
    if (result instanceof Uint8Array) {
      const headers = confidential ? CONFIDENTIAL_BYTES_HEADERS : BYTES_HEADERS
      return { status: 200, headers, body: result }
    }
    const headers = confidential ? CONFIDENTIAL_JSON_HEADERS : JSON_HEADERS
    return { status: 200, headers, body: jsonOf(result) }
  }
  const { status, value, options } = result
  const own = checkedHead(status, options.headers)
  const given = own.some(([name]) => name === 'cache-control') ? own : [...own, ...ofNothing]
  const { onSent } = options
  // RFC 9110 section 6.4.1: a client reads no body after a 204 or 304, and would parse its bytes as the next response.
  if (value === undefined || status === 204 || status === 304) {
    return { status, headers: given, body: null, onSent }
  }
  const type = given.find(([name]) => name === 'content-type')?.[1] ?? media
  const isText = typeof value === 'string' && type !== null && !isJson(type)
  const isBytes = value instanceof Uint8Array
  const stream = isStream(value) ? StreamBody.of(value) : null
  const body = stream ?? (isBytes || isText ? value : jsonOf(value))
  if (given.some(([name]) => name === 'content-type')) return { status, headers: given, body, onSent }
  const ofType: Headers = type === null ? NO_HEADERS : [['content-type', type]]
  const typed = stream || isText ? ofType : isBytes ? BYTES_HEADERS : JSON_HEADERS
  return { status, headers: [...typed, ...given], body, onSent }
}

/** Converts an error response back into a reply, for the hooks of folders. */
export function toReply({ status, headers, body }: HttpResponse): Reply {
  const byName = new Headers(headers.map(([name, value]) => [name, value]))
  return new Reply(status, new RawJson(body as string), { headers: byName })
}
