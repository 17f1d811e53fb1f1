/** Writes responses to uWebSockets.js. */
import type * as Uws from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import type { Chunk, HttpResponse } from './types.ts'

/**
 * Writes status line, headers, and a body in memory. uWebSockets.js itself adds "200 OK" and the length of a body.
 *
 * @param last true makes this the last response of the connection
 * @returns false if the caller still has to send a stream or close the connection
 */
export function writeResponse(
  res: Uws.HttpResponse,
  { status, headers, length = 0 }: HttpResponse,
  body: HttpResponse['body'],
  last: boolean,
): boolean {
  if (status !== 200) res.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
  for (const [name, value] of headers) res.writeHeader(name, value)
  if (isChunk(body)) {
    res.end(encodable(body), last)
    return true
  }
  // RFC 9110 section 8.6: a 204 has no Content-Length, and a 304 has the Content-Length of the 200.
  const hasLength = length !== null && status !== 204 && status !== 304
  if (body === null && hasLength && length === 0) {
    res.endWithoutBody(0, last)
    return true
  }
  // `endWithoutBody(length)` would make the engine wait for a body, and an undefined length is sent as 2^63.
  if (body === null && hasLength) res.writeHeader('content-length', String(length))
  // uWebSockets.js closes no connection after a response without length. The blank line ends the head; the caller closes.
  if (last) res.writeHeader('connection', body === null ? 'close\r\n' : 'close')
  else if (body === null) res.endWithoutBody()
  return body === null && !last
}

/**
 * Maximum bytes per write. A longer body is written in pieces, each after the previous one has left, because
 * uWebSockets.js buffers unsent bytes without a limit and does not report when they have left. After a writable event,
 * a peer accepts at least this many bytes.
 */
const MAX_PIECE_BYTES = 65_536

export function isChunk(body: HttpResponse['body']): body is Chunk {
  return typeof body === 'string' || body instanceof Uint8Array
}

export function isLongerThanPiece(body: HttpResponse['body']): body is Chunk {
  return isChunk(body) && body.length > MAX_PIECE_BYTES
}

/** Returns a chunk that has an encoding in UTF-8. The engine would send half a surrogate pair as invalid UTF-8. */
export function encodable(chunk: Chunk): Chunk {
  return typeof chunk === 'string' ? chunk.toWellFormed() : chunk
}

export async function* streamOf(body: Chunk): AsyncGenerator<Chunk> {
  yield body
}

/** Splits a chunk into pieces for {@link writePiece}. Yields no empty piece, because uWebSockets.js would end the body with it. */
export function* piecesOf(chunk: Chunk): Generator<Chunk> {
  if (chunk.length <= MAX_PIECE_BYTES) {
    if (chunk.length > 0) yield encodable(chunk)
    return
  }
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) yield bytes.subarray(at, at + MAX_PIECE_BYTES)
}

/**
 * Writes a piece of a streamed body.
 *
 * @returns false when uWebSockets.js buffered some of it
 */
export function writePiece(res: Uws.HttpResponse, piece: Chunk): boolean {
  let drained = true
  res.cork(() => {
    drained = res.write(piece)
  })
  return drained
}

/**
 * Ends a chunked body; the caller closes the connection. `end(…, true)` would write a header after the last chunk.
 * `writeHeader` writes its arguments unchanged: here the last chunk and a trailer, which a client ignores (RFC 9112
 * section 7.1.2).
 */
export function endChunks(res: Uws.HttpResponse): void {
  res.writeHeader('\r\n0\r\nx-end', '1\r\n')
}
