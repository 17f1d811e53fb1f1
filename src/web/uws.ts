/** The adapter to uWebSockets.js, an optional peer dependency. Knows sockets, and nothing of routes or handlers. */

import type * as Uws from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import { closing, tooLarge } from './app.ts'
import { errorResponse, toErrorResponse, unexpected, WEB_ERRORS } from './errors.ts'
import type { Application, Chunk, Head, HttpResponse, Listen, ListenOptions, Plan, Server } from './http.ts'
import { endsConnection, isPlan, NO_BODY, settle } from './http.ts'

/** @throws {Error} that says what to install, when the engine is missing or is not native */
export const listenUws: Listen = async (app, options) => new UwsServer(await engine(), app).listen(options)

const INSTALL =
  'install a release for this Node (npm install uNetworking/uWebSockets.js#RELEASE), or use --adapter node'

async function engine(): Promise<typeof Uws> {
  let found: typeof Uws
  try {
    found = ((await import('uWebSockets.js')) as unknown as { default: typeof Uws }).default
  } catch (error) {
    throw new Error(`uWebSockets.js cannot be loaded (${(error as Error).message}): ${INSTALL}`)
  }
  // Built-in code has no source text; the JavaScript stand-in that some builds fall back to has.
  if (!Function.prototype.toString.call(found.App).includes('[native code]')) {
    throw new Error(`this build of uWebSockets.js is not native on Node ${process.versions.node}: ${INSTALL}`)
  }
  return found
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it some releases share a port that is in use. The type text lacks this form. */
const EXCLUSIVE_PORT = 1
type ListenExclusively = (
  host: string,
  port: number,
  option: number,
  done: (socket: Uws.us_listen_socket | false) => void,
) => void

/** RFC 9110 section 8.6: a 204 has no Content-Length, and a 304 has none that differs. */
const NO_LENGTH = { length: null }

/** One request between its head and its answer. */
interface Exchange {
  readonly res: Uws.HttpResponse
  readonly request: string
  /** The peer left, or everything was sent: `res` must not be touched any more. */
  over: boolean
  /** Told when the peer leaves. */
  onGone: (() => void) | null
}

class UwsServer implements Server {
  host = ''
  port = 0
  readonly #uws: typeof Uws
  readonly #app: Application
  readonly #engine: Uws.TemplatedApp
  readonly #open = new Set<Exchange>()
  #socket: Uws.us_listen_socket | null = null
  #closing = false
  #idle: (() => void) | null = null

  constructor(uws: typeof Uws, app: Application) {
    this.#uws = uws
    this.#app = app
    this.#engine = uws.App().any('/*', (res, req) => this.#handle(res, req))
  }

  async listen({ host, port }: ListenOptions): Promise<Server> {
    const socket = await new Promise<Uws.us_listen_socket | false>((resolve) => {
      const listen = this.#engine.listen.bind(this.#engine) as unknown as ListenExclusively
      listen(host, port, EXCLUSIVE_PORT, resolve)
    })
    if (!socket) {
      throw Object.assign(new Error(`cannot listen on ${host}:${port}`), { code: 'EADDRINUSE' })
    }
    this.#socket = socket
    this.host = host
    this.port = this.#uws.us_socket_local_port(socket)
    return this
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true
    if (this.#socket) this.#uws.us_listen_socket_close(this.#socket)
    this.#socket = null
    if (this.#open.size === 0) return
    const cut = setTimeout(() => {
      for (const { res, over } of this.#open) if (!over) res.close()
    }, graceMs)
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
    clearTimeout(cut)
  }

  #handle(res: Uws.HttpResponse, req: Uws.HttpRequest) {
    const method = req.getCaseSensitiveMethod()
    const path = req.getUrl()
    const exchange: Exchange = { res, request: `${method} ${path}`, over: false, onGone: null }
    this.#open.add(exchange)
    res.onAborted(() => {
      this.#finish(exchange)
      exchange.onGone?.()
    })
    try {
      this.#begin(exchange, new UwsHead(method, path, req, res))
    } catch (error) {
      this.#app.report(error, exchange.request)
      this.#send(exchange, unexpected(), true)
    }
  }

  #begin(exchange: Exchange, head: UwsHead) {
    if (this.#closing) return this.#send(exchange, closing())
    const refusal = head.misframed()
    if (refusal) return this.#send(exchange, refusal, true)
    const begun = this.#app.begin(head)
    const endsHere = endsConnection(head.header('content-length'), head.header('transfer-encoding'))
    head.closed = true
    if (!isPlan(begun)) return this.#send(exchange, begun, endsHere)
    if (begun.bodyLimit === 0) return this.#answer(exchange, begun.run(NO_BODY))
    this.#collect(exchange, begun)
  }

  #collect(exchange: Exchange, plan: Plan) {
    const chunks: Buffer[] = []
    let length = 0
    exchange.res.onData((chunk, isLast) => {
      if (exchange.over || length > plan.bodyLimit) return
      length += chunk.byteLength
      if (length > plan.bodyLimit) {
        this.#send(exchange, toErrorResponse(tooLarge(plan.bodyLimit), {}) as HttpResponse, true)
        return
      }
      // The engine empties the chunk when this callback returns.
      chunks.push(Buffer.from(chunk.slice(0)))
      if (!isLast) return
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      this.#answer(exchange, plan.run(body))
    })
  }

  #answer(exchange: Exchange, response: HttpResponse | Promise<HttpResponse>) {
    if (!(response instanceof Promise)) return this.#send(exchange, response)
    response
      .then((ready) => this.#send(exchange, ready))
      .catch((error) => {
        this.#app.report(error, exchange.request)
        if (!exchange.over) exchange.res.close()
      })
  }

  /** @param close the body may not have been read to its end, so that the connection cannot be used again */
  #send(exchange: Exchange, response: HttpResponse, close = false) {
    const { res } = exchange
    const { status } = response
    const body = isLong(response.body) ? once(response.body) : response.body
    const last = close || this.#closing
    const settled = (sent: boolean): void => settle(this.#app, response, sent, exchange.request)
    if (!exchange.over) {
      res.cork(() => {
        res.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
        for (const [name, value] of response.headers) res.writeHeader(name, value)
        const { length = 0 } = status === 204 || status === 304 ? NO_LENGTH : response
        if (isChunk(body)) res.end(body, last)
        else if (body === null && length === 0) res.endWithoutBody(0, last)
        else {
          if (last) res.writeHeader('connection', 'close')
          // Told the length, the engine would wait for that body; told undefined, it sends 2^63.
          if (body === null && length !== null) res.writeHeader('content-length', String(length))
          if (body === null) res.endWithoutBody()
        }
      })
    }
    if (body !== null && !isChunk(body)) {
      void this.#stream(exchange, body, last).then(settled)
    } else if (exchange.over) {
      settled(false)
    } else {
      this.#finish(exchange)
      settled(true)
    }
  }

  /** Asks the source for the next piece only when the engine has no backlog. @returns whether all was sent */
  async #stream(exchange: Exchange, source: AsyncIterable<Chunk>, close: boolean): Promise<boolean> {
    const { res } = exchange
    const iterator = source[Symbol.asyncIterator]()
    const gone = new Promise<'gone'>((resolve) => {
      exchange.onGone = () => resolve('gone')
    })
    // Registered once: what a handler's own run puts in its place is lost, and with it the next event.
    let onWritable = (): void => {}
    if (!exchange.over) {
      res.onWritable(() => {
        onWritable()
        return true
      })
    }
    try {
      while (!exchange.over) {
        const next = await Promise.race([iterator.next(), gone])
        if (next === 'gone' || exchange.over) break
        if (next.done) {
          res.cork(() => res.end(undefined, close))
          this.#finish(exchange)
          return true
        }
        for (const piece of piecesOf(next.value)) {
          if (exchange.over || write(res, piece)) continue
          const writable = new Promise<void>((resolve) => {
            onWritable = resolve
          })
          await Promise.race([writable, gone])
        }
      }
    } catch (error) {
      this.#app.report(error, exchange.request)
      if (!exchange.over) res.close()
    }
    // Not awaited: a generator that waits for something else returns only after it.
    Promise.resolve(iterator.return?.()).catch((error) => this.#app.report(error, exchange.request))
    return false
  }

  #finish(exchange: Exchange): void {
    exchange.over = true
    this.#open.delete(exchange)
    if (this.#open.size === 0) this.#idle?.()
  }
}

/**
 * More than this is handed to the engine piece by piece: what the peer has not taken yet the engine keeps, without
 * a limit and without a word of when it is gone, and after each writable event a peer takes at least this much.
 */
const PIECE_BYTES = 65_536

function isChunk(body: HttpResponse['body']): body is Chunk {
  return typeof body === 'string' || body instanceof Uint8Array
}

function isLong(body: HttpResponse['body']): body is Chunk {
  return isChunk(body) && body.length > PIECE_BYTES
}

async function* once(body: Chunk): AsyncGenerator<Chunk> {
  yield body
}

function* piecesOf(chunk: Chunk): Generator<Chunk> {
  if (chunk.length <= PIECE_BYTES) {
    // An empty piece would end the body.
    if (chunk.length > 0) yield chunk
    return
  }
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

/** @returns false when the engine had to keep some of it */
function write(res: Uws.HttpResponse, piece: Chunk): boolean {
  let drained = true
  res.cork(() => {
    drained = res.write(piece)
  })
  return drained
}

class UwsHead implements Head {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly #req: Uws.HttpRequest
  readonly #res: Uws.HttpResponse
  closed = false

  constructor(method: string, path: string, req: Uws.HttpRequest, res: Uws.HttpResponse) {
    this.method = method
    this.path = path
    this.query = req.getQuery() ?? ''
    this.#req = req
    this.#res = res
  }

  header(name: string): string | undefined {
    if (this.closed) throw new Error('A header was read after begin.')
    return this.#req.getHeader(name) || undefined
  }

  remote(): string {
    if (this.closed) throw new Error('The address was read after begin.')
    return Buffer.from(this.#res.getRemoteAddressAsText()).toString('latin1')
  }

  /**
   * What the engine lets through though RFC 9112 (sections 3.2, 6.3) calls for a refusal: a header that frames
   * the request and is there twice, two ways to frame the body, or a coding that is not `chunked`.
   */
  misframed(): HttpResponse | null {
    let hosts = 0
    let framings = 0
    let coding = 'chunked'
    this.#req.forEach((name, value) => {
      if (name === 'host') hosts++
      else if (name === 'content-length') framings++
      else if (name === 'transfer-encoding') {
        framings++
        coding = value.toLowerCase()
      }
    })
    let message: string
    if (hosts > 1) message = 'The request has more than one Host header.'
    else if (framings > 1) message = 'The request frames its body twice (Content-Length, Transfer-Encoding).'
    else if (coding !== 'chunked')
      message = `The transfer coding "${coding}" is not understood, only chunked.`
    else return null
    return errorResponse(WEB_ERRORS['bad-request'].status, message)
  }
}
