/** A handler's return value → response. The only place where one becomes the other. */
import { isJsonText, isReply } from './endpoint.ts'
import type { Chunk, HttpResponse } from './http.ts'

const JSON_TYPE = 'application/json'
const BYTES_TYPE = 'application/octet-stream'

/**
 * string, number, boolean, null, list, object: JSON. undefined: 204. Bytes and async iterables of bytes or text:
 * as they are. A Reply: its value, with its status and headers.
 *
 * @throws {TypeError} for what none of this covers (a function, a BigInt)
 */
export function toResponse(result: unknown, method: string): HttpResponse {
  if (!isReply(result)) {
    if (result === undefined) return { status: 204, headers: [], body: null }
    const [body, type] = bodyOf(result)
    return withoutBody({ status: 200, headers: [['content-type', type]], body }, method)
  }
  const { status, value, options } = result
  const given = Object.entries(options.headers ?? {}).map(
    ([name, text]) => [name.toLowerCase(), text] as const,
  )
  const { settled } = options
  // RFC 9110 section 6.4.1: after a 204 or 304 a client reads no body, but takes its bytes for the next answer.
  if (value === undefined || status === 204 || status === 304) {
    return { status, headers: given, body: null, settled }
  }
  const [body, type] = bodyOf(value)
  const typed = given.some(([name]) => name === 'content-type')
  const headers = typed ? given : [['content-type', type] as const, ...given]
  return withoutBody({ status, headers, body, settled }, method)
}

function bodyOf(value: unknown): [body: Chunk | AsyncIterable<Chunk>, type: string] {
  if (isJsonText(value)) return [value.text, JSON_TYPE]
  if (value instanceof Uint8Array) return [value, BYTES_TYPE]
  if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value) {
    return [value as AsyncIterable<Chunk>, BYTES_TYPE]
  }
  const text = JSON.stringify(value)
  if (text === undefined)
    throw new TypeError(`A handler returned a ${typeof value}, which JSON cannot carry.`)
  return [text, JSON_TYPE]
}

/** HEAD is answered as GET, without the body (RFC 9110 section 9.3.2). */
function withoutBody(response: HttpResponse, method: string): HttpResponse {
  if (method !== 'HEAD') return response
  const { body } = response
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return { ...response, body: null, length: Buffer.byteLength(body) }
  }
  // A stream that nobody reads is told so, for what it holds open.
  void (body as AsyncIterable<Chunk>)[Symbol.asyncIterator]().return?.()
  return { ...response, body: null, length: null }
}
