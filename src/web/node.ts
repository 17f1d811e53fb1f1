/** The adapter to node:http. Knows sockets, and nothing of routes or handlers. */
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createTlsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { closing, tooLarge } from './app.ts'
import { errorResponse, malformed, toErrorResponse, unexpected, WEB_ERRORS } from './errors.ts'
import type { Application, Chunk, Head, HttpResponse, Listen, ListenOptions, Plan, Server } from './http.ts'
import { answerTo, endsConnection, isPlan, NO_BODY, settle } from './http.ts'
import { NodeSockets } from './node-sockets.ts'

/** Limits of one connection; the README's table of limits has them too. */
export const NODE_LIMITS = {
  /** From the first byte to the end of the headers. */
  headersTimeoutMs: 10_000,
  /** From the first byte to the end of the body. */
  requestTimeoutMs: 30_000,
  /** Between two requests. */
  keepAliveTimeoutMs: 5_000,
  /** Request line and headers. */
  headerBytes: 16_384,
  /** How often the times above are looked at. */
  checkEveryMs: 1_000,
  /** How long a refused body is read and thrown away, so that the refusal arrives before the connection is cut. */
  lingerMs: 1_000,
} as const

/** What is under way on one connection, so that a refusal by the parser never overtakes or doubles an answer. */
interface Connection {
  /**
   * The answers that are not over yet; the first of them has the connection, the others wait behind it. One that is
   * handed to the connection at once is never among them.
   */
  readonly open: Set<ServerResponse>
  /** The one whose body is still arriving; among them only when it waits. */
  reading: ServerResponse | null
  /** The parser has given up; close when all are answered. */
  broken: boolean
  /** The answer that ends it was given: what the parser still finds on it may be no request. */
  ended: boolean
  /** The answer that was begun last. */
  latest: ServerResponse | null
}

const CONNECTION = Symbol('connection')
type Tracked = Socket & { [CONNECTION]: Connection }

function connectionOf(socket: Socket): Connection {
  return (socket as Tracked)[CONNECTION]
}

function track(res: ServerResponse): void {
  const { open } = connectionOf(res.req.socket)
  if (open.has(res)) return
  open.add(res)
  res.on('close', onOver)
}

/** For an answer that is over, sent or not; `this` is the answer. */
function onOver(this: ServerResponse): void {
  const connection = connectionOf(this.req.socket)
  connection.open.delete(this)
  if (connection.broken && connection.open.size === 0) this.req.socket.destroySoon()
}

export type NodeLimits = { readonly [Name in keyof typeof NODE_LIMITS]: number }

export const listenNode: Listen = listenNodeWithin(NODE_LIMITS)

/** As {@link listenNode}, within other limits. */
export function listenNodeWithin(limits: NodeLimits): Listen {
  return (app, options) => new NodeServer(app, limits, options).listen(options)
}

class NodeServer implements Server {
  host = ''
  port = 0
  readonly #app: Application
  readonly #server: HttpServer | HttpsServer
  readonly #sockets: NodeSockets
  readonly #unfollow: () => void
  #closing = false

  constructor(app: Application, limits: NodeLimits, { tls = null, messageLimit }: ListenOptions) {
    this.#app = app
    const options = {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.headerBytes,
      connectionsCheckingInterval: limits.checkEveryMs,
      noDelay: true,
      // Node's own refusal has no body; this one's has.
      requireHostHeader: false,
    }
    if (tls) {
      const handshakeTimeout = limits.headersTimeoutMs
      const server = createTlsServer({ ...options, ...tls.certificate, handshakeTimeout })
      this.#unfollow = tls.follow(server)
      this.#server = server
    } else {
      this.#server = createServer(options)
      this.#unfollow = () => {}
    }
    this.#sockets = new NodeSockets(app, messageLimit)
    if (app.socket) {
      this.#server.on('upgrade', (req, socket, head) => this.#upgrade(req, socket as Socket, head))
    }
    // All of them, as many as fit into the bytes: what is beyond 2,000 node would drop in silence.
    this.#server.maxHeadersCount = 0
    this.#server.on('request', (req, res) => this.#guarded(req, res))
    this.#server.on('checkContinue', (req, res) => this.#guarded(req, res, () => res.writeContinue()))
    // RFC 9110 section 10.1.1: an expectation other than 100-continue may be refused with 417; it is ignored here.
    this.#server.on('checkExpectation', (req, res) => this.#guarded(req, res))
    this.#server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      if (CONNECTION in socket) return
      const connection: Connection = {
        open: new Set(),
        reading: null,
        broken: false,
        ended: false,
        latest: null,
      }
      ;(socket as Tracked)[CONNECTION] = connection
      // Node tells of the end only the answer that has the connection.
      socket.once('close', () => {
        for (const res of connection.open) if (res.socket === null) res.emit('close')
      })
    })
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      // A handshake that failed.
      if (!(CONNECTION in socket)) return void socket.destroy()
      const connection = connectionOf(socket)
      const { open, reading } = connection
      if (open.size > (reading && open.has(reading) ? 1 : 0)) connection.broken = true
      else if (connection.ended) socket.destroySoon()
      else refuse(error, socket)
    })
  }

  async listen({ host, port }: ListenOptions): Promise<Server> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        this.#server.removeListener('error', reject)
        resolve()
      })
    })
    this.host = host
    this.port = (this.#server.address() as AddressInfo).port
    return this
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true
    const cut = setTimeout(() => {
      this.#sockets.cut()
      this.#server.closeAllConnections()
    }, graceMs)
    this.#sockets.close()
    await new Promise((resolve) => this.#server.close(resolve))
    clearTimeout(cut)
    this.#unfollow()
  }

  /** An error that escapes a listener would end the process. */
  #guarded(req: IncomingMessage, res: ServerResponse, proceed?: () => void) {
    try {
      this.#handle(req, res, proceed)
    } catch (error) {
      this.#app.report(error, `${req.method} ${req.url}`)
      if (res.headersSent) res.destroy()
      else this.#send(req, res, unexpected())
    }
  }

  /** RFC 9110 section 7.8: an upgrade that nobody wants is ignored, the request answered as any other. */
  #upgrade(req: IncomingMessage, socket: Socket, head: Buffer) {
    const connection = connectionOf(socket)
    const { open, ended, latest } = connection
    if (ended) return
    // The parser has left this connection: what is under way on it is answered, this request is not.
    if (open.size > 0) {
      connection.broken = true
      return
    }
    if (latest?.socket) return socket.destroySoon()
    const taken = this.#closing || problemOf(req) ? false : this.#sockets.take(req, socket, head)
    if (taken) answerBare(socket, taken)
    if (taken !== false) return
    // It begins anew, with the request as it was but for the upgrade.
    socket.unshift(Buffer.concat([withoutUpgrade(req), head]))
    this.#server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket)
  }

  #handle(req: IncomingMessage, res: ServerResponse, proceed?: () => void) {
    const connection = connectionOf(req.socket)
    if (connection.ended) {
      req.resume()
      return
    }
    connection.latest = res
    // Behind an answer that has the connection.
    if (res.socket === null) track(res)
    if (this.#closing) return this.#send(req, res, closing())
    const problem = problemOf(req)
    if (problem) return this.#send(req, res, malformed(problem), true)
    const head = new NodeHead(req)
    const begun = this.#app.begin(head)
    head.closed = true
    if (!isPlan(begun)) return this.#send(req, res, begun, hasUnreadBody(req))
    if (begun.bodyLimit === 0) return this.#answer(req, res, begun.run(NO_BODY))
    proceed?.()
    this.#collect(req, res, begun)
  }

  #collect(req: IncomingMessage, res: ServerResponse, plan: Plan) {
    const connection = connectionOf(req.socket)
    const chunks: Buffer[] = []
    let length = 0
    connection.reading = res
    req.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= plan.bodyLimit) {
        chunks.push(chunk)
        return
      }
      req.removeAllListeners('data').removeAllListeners('end')
      connection.reading = null
      this.#send(req, res, toErrorResponse(tooLarge(plan.bodyLimit), {}) as HttpResponse, true)
    })
    req.on('end', () => {
      connection.reading = null
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      this.#answer(req, res, plan.run(body))
    })
  }

  #answer(req: IncomingMessage, res: ServerResponse, response: HttpResponse | Promise<HttpResponse>) {
    if (!(response instanceof Promise)) {
      if (response.settled || !isAtHand(response.body)) track(res)
      return this.#send(req, res, response)
    }
    track(res)
    response
      .then((ready) => this.#send(req, res, ready))
      .catch((error) => {
        this.#app.report(error, `${req.method} ${req.url}`)
        res.destroy()
      })
  }

  /** @param close the connection cannot be used again, as what comes next on it may be no request */
  #send(req: IncomingMessage, res: ServerResponse, made: HttpResponse, close = false) {
    const response = answerTo(req.method as string, made)
    const { status, body } = response
    if (response.settled) this.#watch(req, res, response)
    const headers: string[] = []
    for (const [name, value] of response.headers) headers.push(name, value)
    // Of what follows an Upgrade in the same packet node's parser gives nothing on, though nothing is upgraded.
    if (this.#closing || close || req.headers.upgrade !== undefined) {
      headers.push('connection', 'close')
      connectionOf(req.socket).ended = true
      linger(req.socket)
    }
    if (body === null) {
      const { length = 0 } = response
      if (status !== 204 && status !== 304 && length !== null) headers.push('content-length', String(length))
      res.writeHead(status, headers).end()
    } else if (isAtHand(body)) {
      headers.push('content-length', String(Buffer.byteLength(body)))
      res.writeHead(status, headers)
      // Head and body leave in one piece; `end(body)` would add an empty one, and two pieces cost a writev.
      res.cork()
      res.write(body)
      res.uncork()
      res.end()
    } else {
      res.writeHead(status, headers)
      void this.#stream(req, res, body)
    }
  }

  /** Not by `writableFinished`: that is true of what a connection dropped when it was cut, too. */
  #watch(req: IncomingMessage, res: ServerResponse, response: HttpResponse) {
    const request = `${req.method} ${req.url}`
    if (!this.#isOpen(req, res)) return settle(this.#app, response, false, request)
    let sent = false
    res.prependOnceListener('finish', () => {
      sent = !req.socket.destroyed
    })
    res.once('close', () => settle(this.#app, response, sent, request))
  }

  /** False once the answer is out, or the peer has left. */
  #isOpen(req: IncomingMessage, res: ServerResponse): boolean {
    return connectionOf(req.socket).open.has(res)
  }

  /** Asks the source for the next piece only when the last one has left this process. */
  async #stream(req: IncomingMessage, res: ServerResponse, source: AsyncIterable<Chunk>): Promise<void> {
    const iterator = source[Symbol.asyncIterator]()
    const gone = new Promise<'gone'>((resolve) => res.once('close', () => resolve('gone')))
    res.flushHeaders()
    try {
      while (this.#isOpen(req, res)) {
        const next = await Promise.race([iterator.next(), gone])
        if (next === 'gone') break
        if (next.done) {
          res.end()
          return
        }
        if (!res.write(next.value)) await Promise.race([new Promise((go) => res.once('drain', go)), gone])
      }
    } catch (error) {
      // The status is out; a cut connection is the one way left to say that the body is not whole.
      this.#app.report(error, `${req.method} ${req.url}`)
      res.destroy()
    }
    // Not awaited: a generator that waits for something else returns only after it.
    Promise.resolve(iterator.return?.()).catch((error) => this.#app.report(error, `${req.method} ${req.url}`))
  }
}

class NodeHead implements Head {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly #req: IncomingMessage
  closed = false

  constructor(req: IncomingMessage) {
    const target = req.url as string
    const at = target.indexOf('?')
    this.#req = req
    this.method = req.method as string
    this.path = at < 0 ? target : target.slice(0, at)
    this.query = at < 0 ? '' : target.slice(at + 1)
  }

  header(name: string): string | undefined {
    if (this.closed) throw new Error('A header was read after begin.')
    const value = this.#req.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  remote(): string {
    return this.#req.socket.remoteAddress ?? ''
  }
}

function isAtHand(body: HttpResponse['body']): body is Chunk | null {
  return typeof body === 'string' || body === null || body instanceof Uint8Array
}

/** What the parser lets through though RFC 9112 (sections 2.3, 3.2, 6.1) calls for a refusal; null: nothing. */
function problemOf({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Only HTTP/1.1 is spoken here.'
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return 'The request has more than one Host header.'
  if (hosts === 0 && httpVersion === '1.1') return 'The request has no Host header.'
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.toLowerCase() === 'chunked') return null
  return `The transfer coding "${coding}" is not understood, only chunked.`
}

/** Node keeps the first in silence. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && endsConnection(headers['content-length'], headers['transfer-encoding'])
}

/**
 * Closing with unread bytes makes the kernel send a reset, which can destroy the answer on its way (RFC 9112
 * section 9.6): end our side, then read and drop for a while what still comes.
 */
function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end()
    socket.resume()
    const cut = setTimeout(() => socket.destroy(), NODE_LIMITS.lingerMs)
    socket.once('close', () => clearTimeout(cut))
  }
}

function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!/^upgrade$/i.test(rawHeaders[i] as string)) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

const PARSER_ERRORS: Record<string, { code: keyof typeof WEB_ERRORS; message: string }> = {
  HPE_INVALID_METHOD: { code: 'unknown-method', message: 'HTTP has no such method.' },
  HPE_HEADER_OVERFLOW: {
    code: 'too-many-headers',
    message: `Request line and headers are larger than ${NODE_LIMITS.headerBytes} bytes.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'slow-request', message: 'The request did not arrive in time.' },
}

/** What the parser refused, answered on the bare socket. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const known = PARSER_ERRORS[error.code ?? '']
  const status = WEB_ERRORS[known?.code ?? 'bad-request'].status
  answerBare(socket, errorResponse(status, known?.message ?? 'The request is not well-formed HTTP/1.1.'))
}

/** The last answer on a connection that the parser has left. */
function answerBare(socket: Socket, { status, headers, body }: HttpResponse): void {
  const lines = [
    ...headers,
    ['content-length', String(Buffer.byteLength(body as string))],
    ['connection', 'close'],
  ]
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body as string}`)
  linger(socket)
  socket.destroySoon()
}
