/** How an answer is handed to uWebSockets.js. */
import type * as Uws from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import type { Chunk, HttpResponse } from './http.ts'

/**
 * The status line, headers, and what is at hand of the body. The engine writes "200 OK" itself, and a body's length.
 *
 * @param last the connection ends with it
 * @returns false when more is to be done: a stream to be sent, or a connection to be closed
 */
export function write(
  res: Uws.HttpResponse,
  { status, headers, length = 0 }: HttpResponse,
  body: HttpResponse['body'],
  last: boolean,
): boolean {
  if (status !== 200) res.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
  for (const [name, value] of headers) res.writeHeader(name, value)
  if (isChunk(body)) {
    res.end(body, last)
    return true
  }
  // RFC 9110 section 8.6: a 204 has no Content-Length, and a 304 has none that differs.
  const hasLength = length !== null && status !== 204 && status !== 304
  if (body === null && hasLength && length === 0) {
    res.endWithoutBody(0, last)
    return true
  }
  // Told the length, the engine would wait for that body; told undefined, it sends 2^63.
  if (body === null && hasLength) res.writeHeader('content-length', String(length))
  // Without a length it would not close the connection: the empty line ends the head, and the caller closes.
  if (last) res.writeHeader('connection', body === null ? 'close\r\n' : 'close')
  else if (body === null) res.endWithoutBody()
  return body === null && !last
}

/**
 * More than this is handed to the engine piece by piece: what the peer has not taken yet the engine keeps, without
 * a limit and without a word of when it is gone, and after each writable event a peer takes at least this much.
 */
const PIECE_BYTES = 65_536

export function isChunk(body: HttpResponse['body']): body is Chunk {
  return typeof body === 'string' || body instanceof Uint8Array
}

export function isLong(body: HttpResponse['body']): body is Chunk {
  return isChunk(body) && body.length > PIECE_BYTES
}

/** What is at hand, as a source. */
export async function* once(body: Chunk): AsyncGenerator<Chunk> {
  yield body
}

/** Of a length that the engine may keep; never an empty one, which would end the body. */
export function* piecesOf(chunk: Chunk): Generator<Chunk> {
  if (chunk.length <= PIECE_BYTES) {
    if (chunk.length > 0) yield chunk
    return
  }
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

/** @returns false when the engine had to keep some of it */
export function writePiece(res: Uws.HttpResponse, piece: Chunk): boolean {
  let drained = true
  res.cork(() => {
    drained = res.write(piece)
  })
  return drained
}
