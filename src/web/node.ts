/** The adapter to node:http. Knows sockets, and nothing of routes or handlers. */
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { closing, tooLarge } from './app.ts'
import { malformed, toErrorResponse, unexpected } from './errors.ts'
import type { Application, Chunk, HttpResponse, Listen, ListenOptions, Server } from './http.ts'
import { answerTo, isRouted, NO_BODY, reportSent } from './http.ts'
import {
  answerBare,
  connectionOf,
  drain,
  end,
  giveUp,
  NODE_LIMITS,
  type NodeLimits,
  open,
  track,
  underWayOn,
} from './node-connection.ts'
import { hasUnreadBody, NodeRequestHead, problemOf, withoutUpgrade } from './node-request.ts'
import { NodeSockets } from './node-sockets.ts'
import type { RoutedRequest } from './routed-request.ts'

export const listenNode: Listen = listenNodeWithin(NODE_LIMITS)

/** As {@link listenNode}, within other limits. */
export function listenNodeWithin(limits: NodeLimits): Listen {
  return (app, options) => new NodeServer(app, limits, options).listen(options)
}

/**
 * From Node 25 on the `upgrade` event comes without the request's body. A request with a body that asks for something other
 * than a WebSocket is therefore a request like any other; Node before 24.9 does not ask, and gives the body to `upgrade`.
 */
function mayUpgrade({ headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return !hasBody || headers.upgrade?.toLowerCase() === 'websocket'
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
      ...(app.socket && { shouldUpgradeCallback: mayUpgrade }),
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
    this.#server.on(tls ? 'secureConnection' : 'connection', open)
    this.#server.on('clientError', giveUp)
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
    if (connection.state === 'ending') return
    // The parser has left this connection: what is under way on it is answered, this request is not.
    if (underWayOn(connection).length > 0) return drain(connection)
    if (connection.latest?.socket) return socket.destroySoon()
    const taken = this.#closing || problemOf(req) ? false : this.#sockets.take(req, socket, head)
    if (taken) answerBare(socket, taken)
    if (taken !== false) return
    // It begins anew, with the request as it was but for the upgrade.
    socket.unshift(Buffer.concat([withoutUpgrade(req), head]))
    this.#server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket)
  }

  #handle(req: IncomingMessage, res: ServerResponse, proceed?: () => void) {
    const connection = connectionOf(req.socket)
    if (connection.state === 'ending') {
      req.resume()
      return
    }
    connection.latest = res
    // Behind an answer that has the connection.
    if (res.socket === null) track(res)
    if (this.#closing) return this.#send(req, res, closing())
    const problem = problemOf(req)
    if (problem) return this.#send(req, res, malformed(problem), true)
    const head = new NodeRequestHead(req)
    const routed = this.#app.route(head)
    head.closed = true
    if (!isRouted(routed)) return this.#send(req, res, routed, hasUnreadBody(req))
    if (routed.bodyLimit === 0) return this.#answer(req, res, routed.run(NO_BODY))
    proceed?.()
    this.#collect(req, res, routed)
  }

  #collect(req: IncomingMessage, res: ServerResponse, routed: RoutedRequest) {
    const connection = connectionOf(req.socket)
    const chunks: Buffer[] = []
    let length = 0
    connection.reading = res
    req.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= routed.bodyLimit) {
        chunks.push(chunk)
        return
      }
      req.removeAllListeners('data').removeAllListeners('end')
      connection.reading = null
      this.#send(req, res, toErrorResponse(tooLarge(routed.bodyLimit), {}) as HttpResponse, true)
    })
    req.on('end', () => {
      connection.reading = null
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      this.#answer(req, res, routed.run(body))
    })
  }

  #answer(req: IncomingMessage, res: ServerResponse, response: HttpResponse | Promise<HttpResponse>) {
    if (!(response instanceof Promise)) {
      if (response.onSent || !isAtHand(response.body)) track(res)
      return this.#send(req, res, response)
    }
    track(res)
    void response.then((ready) => {
      try {
        this.#send(req, res, ready)
      } catch (error) {
        this.#app.report(error, `${req.method} ${req.url}`)
        res.destroy()
      }
    })
  }

  /** @param close the connection cannot be used again, as what comes next on it may be no request */
  #send(req: IncomingMessage, res: ServerResponse, made: HttpResponse, close = false) {
    const response = answerTo(req.method as string, made)
    const { status, body } = response
    if (response.onSent) this.#watch(req, res, response)
    const headers: string[] = []
    for (const [name, value] of response.headers) headers.push(name, value)
    // Of what follows an Upgrade in the same packet node's parser gives nothing on, though nothing is upgraded.
    if (this.#closing || close || req.headers.upgrade !== undefined) {
      headers.push('connection', 'close')
      end(req.socket)
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
    if (!this.#isOpen(req, res)) return reportSent(this.#app, response, false, request)
    let sent = false
    res.prependOnceListener('finish', () => {
      sent = !req.socket.destroyed
    })
    res.once('close', () => reportSent(this.#app, response, sent, request))
  }

  /** False once the answer is out, or the peer has left. */
  #isOpen(req: IncomingMessage, res: ServerResponse): boolean {
    return !res.closed && connectionOf(req.socket).answers.includes(res)
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

function isAtHand(body: HttpResponse['body']): body is Chunk | null {
  return typeof body === 'string' || body === null || body instanceof Uint8Array
}
