/** Reads request bodies of uWebSockets.js: whole, or in parts. Knows no application. */
import { BodyStream } from './body-stream.ts'
import type { Exchange } from './uws-exchange.ts'

/**
 * Collects a body. Register the exchange first.
 *
 * @param onBody called once, within a callback of the engine, with null for a body over the limit
 */
export function collectUwsBody(
  exchange: Exchange,
  limit: number,
  onBody: (body: Uint8Array | null) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  exchange.res.onData((chunk, isLast) => {
    exchange.isBodyRead = isLast
    if (exchange.finished || length > limit) return
    length += chunk.byteLength
    const fits = length <= limit
    if (fits && !isLast) {
      // The engine detaches the chunk when this callback returns, so copy it.
      chunks.push(Buffer.from(chunk.slice(0)))
      return
    }
    const last = Buffer.from(chunk)
    if (!fits) onBody(null)
    else onBody(chunks.length === 0 ? last : Buffer.concat([...chunks, last]))
  })
}

/** Time for which a refused body is read and dropped, so that the client receives the refusal before the close. */
const LINGER_MS = 1_000

/**
 * Reads and drops the rest of a body, for a while (RFC 9112 section 9.6). A connection that is closed with unread bytes is
 * reset, and the client may lose the answer.
 *
 * @param onEnd called once, outside of a callback of the engine
 */
export function dropUwsBody(exchange: Exchange, onEnd: () => void): void {
  if (exchange.isBodyRead) {
    setImmediate(onEnd)
    return
  }
  const cut = setTimeout(onEnd, LINGER_MS)
  exchange.res.onData((_chunk, isLast) => {
    if (!isLast) return
    clearTimeout(cut)
    setImmediate(onEnd)
  })
  // A streamed body that was refused is paused.
  if (exchange.streamedBody) resumeReading(exchange)
}

function resumeReading({ res }: Exchange): void {
  // `resume` polls for the events of the last paused socket of the same kind; `pause` makes this socket the last.
  res.pause()
  res.resume()
}

/** Interval at which the engine's ten-second timer for slow bodies is restarted. The stream has its own limit. */
const TIMER_RENEWAL_MS = 4_000

/**
 * Maximum bytes queued for the handler. The engine cannot be paused while a streamed response waits for its client,
 * because that would also pause the response. A paused engine still delivers what it has read: at most 524,288 bytes.
 */
const MAX_QUEUED_BYTES = 1_048_576

/** Returns a body as a stream, which ends with the exchange at the latest. Register the exchange first. */
export function streamUwsBody(exchange: Exchange, limit: number): BodyStream {
  const { res } = exchange
  const canPause = (): boolean => !exchange.finished && !exchange.waitsForClient
  let isPaused = false
  const pause = (): void => {
    if (!canPause()) return
    isPaused = true
    res.pause()
  }
  const resume = (): void => {
    if (!canPause()) return
    isPaused = false
    resumeReading(exchange)
  }
  const body = new BodyStream(limit, { pause, resume })
  exchange.streamedBody = body
  const renewal = setInterval(() => {
    if (exchange.finished) clearInterval(renewal)
    else if (!isPaused) resume()
  }, TIMER_RENEWAL_MS).unref()
  res.onData((chunk, isLast) => {
    // The engine detaches the chunk when this callback returns, so copy it.
    body.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) {
      exchange.isBodyRead = true
      body.end()
      // The engine must notice that the client leaves, and the next request.
      if (isPaused) resume()
    }
    if (body.queuedBytes <= MAX_QUEUED_BYTES) return
    body.close()
    // The engine continues with the chunk after this callback, so its connection must stay until then.
    setImmediate(() => {
      if (!exchange.finished) res.close()
    })
  })
  return body
}
