/** Serves an application over node:http. Knows sockets, but no routes and no handlers. */
import { createServer, type Server as HttpServer, type IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { BACKLOG } from '../net/address.ts'
import { closingResponse } from './app.ts'
import type { BodyStream } from './body-stream.ts'
import { malformedResponse, unexpectedResponse } from './errors.ts'
import { AccessEnded } from './held-stream.ts'
import type { Application, Listen, ListenOptions, Server } from './http.ts'
import { isRouted, NO_BODY, omitBodyForHead, reportSent, waitForClient } from './http.ts'
import { collectNodeBody, streamNodeBody } from './node-body.ts'
import {
  attachConnection,
  closeAfterLastResponse,
  closeAfterNextResponse,
  connectionOf,
  NODE_LIMITS,
  type NodeLimits,
  onParserError,
  openResponses,
  trackResponse,
  unfinishedResponses,
  writeRawResponse,
} from './node-connection.ts'
import {
  findRequestProblem,
  hasLongUnreadBody,
  NodeRequestHead,
  serializeWithoutUpgrade,
} from './node-request.ts'
import { NodeWebSockets } from './node-web-sockets.ts'
import type { RoutedRequest } from './routed-request.ts'
import type { Chunk, ClientAddress, HttpResponse } from './types.ts'

/**
 * Serves an application over node:http.
 *
 * @example
 * ```ts
 * const server = await listenNode(app, { host: '127.0.0.1', port: 8080 })
 * ```
 */
export const listenNode: Listen = listenNodeWithLimits(NODE_LIMITS)

/** Returns {@link listenNode} with other limits. */
export function listenNodeWithLimits(limits: NodeLimits): Listen {
  return (app, options) => new NodeServer(app, limits, options).listen(options)
}

/**
 * Returns whether Node should emit `upgrade` for a request with an Upgrade header. False for a request with a body that
 * asks for a protocol other than WebSocket: from Node 25 on, `upgrade` comes without the body. Node before 24.9 never
 * calls this function and passes the body to `upgrade`.
 */
function shouldUpgrade({ headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return !hasBody || headers.upgrade?.toLowerCase() === 'websocket'
}

class NodeServer implements Server {
  host = ''
  port = 0
  readonly #app: Application
  readonly #clientAddress: ClientAddress | undefined
  readonly #server: HttpServer | HttpsServer
  readonly #webSockets: NodeWebSockets
  readonly #unsubscribeTls: () => void
  /** Open connections that carry no WebSocket. */
  readonly #sockets = new Set<Socket>()
  /** Connections without a finished TLS handshake, by address and port of the peer. */
  readonly #handshakes = new Map<string, Socket>()
  readonly #streams = new Set<NodeRequestHead>()
  #closing = false

  constructor(
    app: Application,
    limits: NodeLimits,
    { tls = null, messageLimit, limit, clientAddress }: ListenOptions,
  ) {
    this.#app = app
    this.#clientAddress = clientAddress
    const options = {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.headerBytes,
      connectionsCheckingInterval: limits.checkIntervalMs,
      noDelay: true,
      // The refusal of `findRequestProblem` has a body; Node's own refusal has none.
      requireHostHeader: false,
      ...((app.socket ?? app.upgrade) && { shouldUpgradeCallback: shouldUpgrade }),
    }
    if (tls) {
      const handshakeTimeout = limits.headersTimeoutMs
      const server = createTlsServer({ ...options, ...tls.certificate, handshakeTimeout })
      this.#unsubscribeTls = tls.subscribe(server)
      this.#server = server
    } else {
      this.#server = createServer(options)
      this.#unsubscribeTls = () => {}
    }
    this.#webSockets = new NodeWebSockets(app, messageLimit, clientAddress)
    if (app.socket ?? app.upgrade) {
      this.#server.on('upgrade', (req, socket, head) => this.#upgrade(req, socket as Socket, head))
    }
    // Limited by bytes alone: by default Node silently drops all headers after the 2,000th.
    this.#server.maxHeadersCount = 0
    this.#server.on('request', (req, res) => this.#handleSafely(req, res))
    this.#server.on('checkContinue', (req, res) => this.#handleSafely(req, res, () => res.writeContinue()))
    // RFC 9110 section 10.1.1 permits a 417 for an expectation other than 100-continue. This server ignores it.
    this.#server.on('checkExpectation', (req, res) => this.#handleSafely(req, res))
    if (tls) this.#server.on('connection', (socket: Socket) => this.#shakeHands(socket))
    this.#server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => this.#keep(socket))
    this.#server.on('clientError', onParserError)
    if (limit) {
      this.#server.maxConnections = limit.maximum
      this.#server.on('drop', () => limit.onClosed())
    }
  }

  async listen({ host, port }: ListenOptions): Promise<Server> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ port, host, backlog: BACKLOG }, () => {
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
    let cut: NodeJS.Timeout | undefined
    const graceOver = new Promise<void>((resolve) => {
      cut = setTimeout(() => {
        this.#webSockets.terminateAll()
        this.#server.closeAllConnections()
        resolve()
      }, graceMs)
    })
    this.#webSockets.closeAll()
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const head of [...this.#streams]) head.stop()
    await Promise.race([this.#answered(), graceOver])
    await Promise.race([this.#webSockets.idle(), graceOver])
    this.#closeUnused()
    await closed
    clearTimeout(cut)
    this.#unsubscribeTls()
  }

  #shakeHands(socket: Socket): void {
    const peer = peerOf(socket)
    this.#handshakes.set(peer, socket)
    socket.once('close', () => {
      if (this.#handshakes.get(peer) === socket) this.#handshakes.delete(peer)
    })
  }

  #keep(socket: Socket): void {
    this.#handshakes.delete(peerOf(socket))
    attachConnection(socket)
    if (this.#sockets.has(socket)) return
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  /** Resolves when every request is answered or cut off. A request of which half a head has arrived is none yet. */
  async #answered(): Promise<void> {
    for (;;) {
      const open = [...this.#sockets].flatMap((socket) => openResponses(connectionOf(socket)))
      if (open.length === 0) return
      await Promise.all(open.map((res) => new Promise((resolve) => res.once('close', resolve))))
    }
  }

  /**
   * Closes the connections that no answer closes: a connection that has sent nothing or half a head, or that became idle
   * after `close`. Node would wait for them.
   */
  #closeUnused(): void {
    for (const socket of this.#handshakes.values()) socket.destroy()
    for (const socket of this.#sockets) {
      if (connectionOf(socket).state !== 'ending') socket.destroySoon()
    }
  }

  #headOf(req: IncomingMessage, res: ServerResponse): NodeRequestHead {
    return new NodeRequestHead(req, res, this.#clientAddress, this.#app.observe, this.#streams)
  }

  /** Handles a request, and answers 500 to an unexpected error. An error that escapes a listener would end the process. */
  #handleSafely(req: IncomingMessage, res: ServerResponse, sendContinue?: () => void) {
    const head = this.#headOf(req, res)
    try {
      this.#handle(head, sendContinue)
    } catch (error) {
      this.#app.report(error, head.request)
      if (res.headersSent) res.destroy()
      else this.#send(head, unexpectedResponse())
    }
  }

  /** Upgrades a request to a WebSocket, or handles it as a plain request (RFC 9110 section 7.8). */
  #upgrade(req: IncomingMessage, socket: Socket, head: Buffer) {
    const connection = connectionOf(socket)
    if (connection.state === 'ending') return
    // The parser has detached from this connection. Answer the earlier requests, but not this one.
    if (unfinishedResponses(connection).length > 0) return closeAfterLastResponse(connection)
    if (connection.latest?.socket) return socket.destroySoon()
    const refuse = (requestHead: NodeRequestHead, response: HttpResponse): void => {
      trackResponse(requestHead.res)
      requestHead.res.on('finish', () => socket.destroySoon())
      this.#send(requestHead, response, true)
    }
    const refusal =
      this.#closing || findRequestProblem(req) ? false : this.#webSockets.upgrade(req, socket, head, refuse)
    if (refusal === null) this.#sockets.delete(socket)
    if (refusal) {
      const refused = this.#headOf(req, new ServerResponse(req))
      refused.answered(refusal.status)
      writeRawResponse(socket, refusal)
    }
    if (refusal !== false) return
    // Parse the same request again, without its Upgrade header.
    socket.unshift(Buffer.concat([serializeWithoutUpgrade(req), head]))
    this.#server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket)
  }

  #handle(head: NodeRequestHead, sendContinue?: () => void) {
    const { req, res } = head
    const connection = connectionOf(req.socket)
    if (connection.state === 'ending') {
      req.resume()
      return
    }
    connection.latest = res
    // An earlier response is assigned to the socket; queue this one.
    if (res.socket === null) trackResponse(res)
    if (this.#closing) return this.#send(head, this.#formed(head, closingResponse()))
    const problem = findRequestProblem(req)
    if (problem) return this.#send(head, this.#formed(head, malformedResponse(problem)), true)
    const routed = this.#app.route(head)
    head.headersClosed = true
    if (!isRouted(routed)) return this.#send(head, routed, hasLongUnreadBody(req))
    if (routed.bodyLimit === 0) return this.#respond(head, routed.run(NO_BODY))
    sendContinue?.()
    this.#readBody(head, routed)
  }

  /** Converts an error response of this adapter to the form that the request accepts. */
  #formed(head: NodeRequestHead, response: HttpResponse): HttpResponse {
    return this.#app.inFormFor?.(head, response) ?? response
  }

  #readBody(head: NodeRequestHead, routed: RoutedRequest) {
    const { req, res } = head
    if (routed.streamsBody) {
      const body = streamNodeBody(req, res, routed.bodyLimit)
      return this.#respond(head, routed.run(body), body)
    }
    const connection = connectionOf(req.socket)
    connection.awaitingBody = res
    collectNodeBody(req, routed.bodyLimit, (body) => {
      connection.awaitingBody = null
      if (body === null) this.#send(head, routed.tooLarge(), true)
      else this.#respond(head, routed.run(body))
    })
  }

  /** @param body streamed body; null if the body was collected */
  #respond(
    head: NodeRequestHead,
    response: HttpResponse | Promise<HttpResponse>,
    body: BodyStream | null = null,
  ) {
    const isUnread = (): boolean => body?.isWhole === false
    if (!(response instanceof Promise)) {
      if (response.onSent || !isBuffered(response.body)) trackResponse(head.res)
      return this.#send(head, response, isUnread())
    }
    trackResponse(head.res)
    void response.then((ready) => {
      try {
        this.#send(head, ready, isUnread())
      } catch (error) {
        this.#app.report(error, head.request)
        head.res.destroy()
      }
    })
  }

  /** @param close true closes the connection, because its next bytes may not be a request */
  #send(head: NodeRequestHead, original: HttpResponse, close = false) {
    const { req, res } = head
    const response = omitBodyForHead(this.#app, head.method, req.url as string, original)
    const { status, body } = response
    head.answered(status)
    if (response.onSent) this.#reportWhenSent(head, response)
    const headers: string[] = []
    for (const [name, value] of response.headers) headers.push(name, value)
    // Node's parser drops the bytes that follow a request with Upgrade in the same packet, even without an upgrade.
    if (this.#closing || close || req.headers.upgrade !== undefined) {
      headers.push('connection', 'close')
      closeAfterNextResponse(req.socket)
    }
    if (body === null) {
      const { length = 0 } = response
      if (status !== 204 && status !== 304 && length !== null) headers.push('content-length', String(length))
      res.writeHead(status, headers).end()
    } else if (isBuffered(body)) {
      headers.push('content-length', String(Buffer.byteLength(body)))
      res.writeHead(status, headers)
      // `cork` sends head and body in one write. `end(body)` would add an empty chunk, and two chunks cost a writev.
      res.cork()
      res.write(body)
      res.uncork()
      res.end()
    } else {
      res.writeHead(status, headers)
      void this.#stream(head, body)
    }
  }

  /**
   * Calls `onSent` when the response was sent or cut off. `writableFinished` does not distinguish the two: it is also
   * true for bytes that a destroyed socket dropped.
   */
  #reportWhenSent({ req, res, request }: NodeRequestHead, response: HttpResponse) {
    if (!this.#isUnsent(req, res)) return reportSent(this.#app, response, false, request)
    let sent = false
    res.prependOnceListener('finish', () => {
      sent = !req.socket.destroyed
    })
    res.once('close', () => reportSent(this.#app, response, sent, request))
  }

  #isUnsent(req: IncomingMessage, res: ServerResponse): boolean {
    return !res.closed && connectionOf(req.socket).responses.includes(res)
  }

  /** Sends a stream. Reads the next chunk only after the operating system took the previous one. */
  async #stream({ req, res, request }: NodeRequestHead, source: AsyncIterable<Chunk>): Promise<void> {
    const iterator = source[Symbol.asyncIterator]()
    const gone = new Promise<'gone'>((resolve) => res.once('close', () => resolve('gone')))
    res.flushHeaders()
    try {
      while (this.#isUnsent(req, res)) {
        const next = await Promise.race([iterator.next(), gone])
        if (next === 'gone') break
        if (next.done) {
          res.end()
          return
        }
        if (res.write(next.value)) continue
        if (await waitForClient(new Promise((go) => res.once('drain', go)), gone)) continue
        this.#app.reportStalled?.(request)
        res.destroy()
        break
      }
    } catch (error) {
      // The status is already sent, so only a cut connection can signal an incomplete body.
      if (!(error instanceof AccessEnded) && error !== connectionOf(req.socket).streamedBody?.failure)
        this.#app.report(error, request)
      res.destroy()
    }
    // Not awaited: `return` of a generator resolves only after the promise that the generator awaits.
    Promise.resolve(iterator.return?.()).catch((error) => this.#app.report(error, request))
  }
}

function isBuffered(body: HttpResponse['body']): body is Chunk | null {
  return typeof body === 'string' || body === null || body instanceof Uint8Array
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
