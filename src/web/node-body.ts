/** Reads request bodies of node:http: whole, or in parts. Knows no application. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BodyStream } from './body-stream.ts'
import { connectionOf } from './node-connection.ts'

/**
 * Collects a body.
 *
 * @param onBody called once, with null for a body over the limit
 */
export function collectNodeBody(
  req: IncomingMessage,
  limit: number,
  onBody: (body: Uint8Array | null) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  req.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= limit) {
      chunks.push(chunk)
      return
    }
    req.removeAllListeners('data').removeAllListeners('end')
    onBody(null)
  })
  req.on('end', () => onBody(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
}

/** Returns a body as a stream, which ends with the response at the latest. */
export function streamNodeBody(req: IncomingMessage, res: ServerResponse, limit: number): BodyStream {
  const body = new BodyStream(limit, { pause: () => req.pause(), resume: () => req.resume() })
  connectionOf(req.socket).streamedBody = body
  req.on('data', (part: Buffer) => body.push(part))
  req.on('end', () => body.end())
  req.once('close', () => body.close())
  res.once('close', () => {
    body.close()
    // The connection reads and drops the remaining body for a while before it closes.
    req.resume()
  })
  return body
}
