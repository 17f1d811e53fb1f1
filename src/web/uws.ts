/** Serves an application over uWebSockets.js, an optional peer dependency. Knows sockets, but no routes and no handlers. */

import type * as Uws from 'uWebSockets.js'
import { closingResponse } from './app.ts'
import type { BodyStream } from './body-stream.ts'
import { malformedResponse, unexpectedResponse } from './errors.ts'
import { AccessEnded } from './held-stream.ts'
import type { Application, Listen, ListenOptions, Server } from './http.ts'
import {
  DEFAULT_MESSAGE_LIMIT,
  exceedsDropLimit,
  isRouted,
  NO_BODY,
  omitBodyForHead,
  reportSent,
  waitForClient,
} from './http.ts'
import type { RoutedRequest } from './routed-request.ts'
import { EVENT_STREAM } from './streamed.ts'
import type { Chunk, ClientAddress, HttpResponse } from './types.ts'
import { collectUwsBody, dropUwsBody, streamUwsBody } from './uws-body.ts'
import { loadEngine } from './uws-engine.ts'
import { Exchange } from './uws-exchange.ts'
import {
  endChunks,
  isChunk,
  isLongerThanPiece,
  piecesOf,
  streamOf,
  writePiece,
  writeResponse,
} from './uws-response.ts'
import { UwsWebSockets } from './uws-web-sockets.ts'

/**
 * Listens with uWebSockets.js.
 *
 * @throws {Error} that says what to install, when uWebSockets.js is missing or not native
 *
 * @example
 * ```ts
 * const server = await listenUws(app, { host: '127.0.0.1', port: 8080 })
 * ```
 */
export const listenUws: Listen = async (app, options) =>
  new UwsServer(await loadEngine(), app, options).listen(options)

/**
 * Comment of an event stream (HTML standard, section 9.2.5), which clients ignore. The engine sends the end of a head only
 * with the first piece of the body, and an EventSource waits for it.
 */
const NO_EVENT = ':\n\n'

function isEventStream({ headers }: HttpResponse): boolean {
  return headers.some(([name, value]) => name === 'content-type' && value.startsWith(EVENT_STREAM))
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT. Without this option some releases share a port that is in use. */
const EXCLUSIVE_PORT = 1
/** Overload of `listen` that the declarations of uWebSockets.js lack. */
type ListenExclusively = (
  host: string,
  port: number,
  option: number,
  done: (socket: Uws.us_listen_socket | false) => void,
) => void

/** Common methods. Each has its own route, which is cheaper than calling `getMethod` per request. */
const METHODS = [
  ['GET', 'get'],
  ['POST', 'post'],
  ['PUT', 'put'],
  ['PATCH', 'patch'],
  ['DELETE', 'del'],
] as const

class UwsServer implements Server {
  host = ''
  port = 0
  readonly #uws: typeof Uws
  readonly #app: Application
  readonly #clientAddress: ClientAddress | undefined
  readonly #engine: Uws.TemplatedApp
  /** Unanswered exchanges, each at its `index`. */
  readonly #openExchanges: Exchange[] = []
  /** True during a callback of the engine, which corks all writes until it returns. */
  #corked = false
  readonly #webSockets: UwsWebSockets
  #listenSocket: Uws.us_listen_socket | null = null
  #closing = false
  #onIdle: (() => void) | null = null

  constructor(
    uws: typeof Uws,
    app: Application,
    { messageLimit = DEFAULT_MESSAGE_LIMIT, limit, clientAddress }: ListenOptions,
  ) {
    const engine = uws.App()
    this.#uws = uws
    this.#app = app
    this.#clientAddress = clientAddress
    this.#webSockets = new UwsWebSockets(clientAddress, limit)
    this.#engine = engine
    for (const [method, register] of METHODS) {
      engine[register]('/*', (res, req) => this.#handle(res, req, method))
    }
    engine.any('/*', (res, req) => this.#handle(res, req, req.getCaseSensitiveMethod()))
    if (app.socket ?? app.upgrade) {
      const requests = {
        answer: (res: Uws.HttpResponse, req: Uws.HttpRequest, refusal?: HttpResponse) =>
          this.#handle(res, req, 'GET', refusal),
        hold: (exchange: Exchange) => this.#register(exchange),
        refuse: (exchange: Exchange, response: HttpResponse) => this.#sendAndClose(exchange, response),
        release: (exchange: Exchange) => this.#finish(exchange),
      }
      engine.ws('/*', this.#webSockets.behaviour(app, messageLimit, requests))
    }
  }

  async listen({ host, port }: ListenOptions): Promise<Server> {
    const socket = await new Promise<Uws.us_listen_socket | false>((resolve) => {
      const listen = this.#engine.listen.bind(this.#engine) as unknown as ListenExclusively
      listen(host, port, EXCLUSIVE_PORT, resolve)
    })
    if (!socket) {
      throw Object.assign(new Error(`cannot listen on ${host}:${port}`), { code: 'EADDRINUSE' })
    }
    this.#listenSocket = socket
    this.host = host
    this.port = this.#uws.us_socket_local_port(socket)
    return this
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true
    if (this.#listenSocket) this.#uws.us_listen_socket_close(this.#listenSocket)
    this.#listenSocket = null
    this.#webSockets.closeAll()
    for (const exchange of [...this.#openExchanges]) if (exchange.isStream) exchange.stop()
    let cut: NodeJS.Timeout | undefined
    const graceOver = new Promise<void>((resolve) => {
      cut = setTimeout(() => {
        for (const { res, finished } of [...this.#openExchanges]) if (!finished) res.close()
        resolve()
      }, graceMs)
    })
    await this.#idle()
    await Promise.race([this.#webSockets.idle(), graceOver])
    clearTimeout(cut)
  }

  async #idle(): Promise<void> {
    if (this.#openExchanges.length === 0) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  #handle(res: Uws.HttpResponse, req: Uws.HttpRequest, method: string, refusal?: HttpResponse) {
    const exchange = new Exchange(res, req, method, this.#clientAddress, this.#app.observe)
    this.#corked = true
    try {
      if (refusal) this.#sendAndClose(exchange, refusal)
      else this.#route(exchange)
    } catch (error) {
      this.#onUnexpectedError(exchange, error)
    }
    this.#corked = false
    exchange.headersClosed = true
    if (!exchange.finished) this.#register(exchange)
  }

  /** Logs an unexpected error and answers 500. An error that escapes a callback of the engine would end the process. */
  #onUnexpectedError(exchange: Exchange, error: unknown) {
    this.#app.report(error, exchange.request)
    if (!exchange.finished) this.#send(exchange, unexpectedResponse(), true)
  }

  /** Adds an exchange to the open ones. uWebSockets.js requires `onAborted` before its callback returns. */
  #register(exchange: Exchange) {
    if (exchange.index >= 0) return
    exchange.index = this.#openExchanges.push(exchange) - 1
    exchange.res.onAborted(() => {
      this.#finish(exchange)
      exchange.abort()
    })
  }

  #route(exchange: Exchange) {
    if (this.#closing) return this.#send(exchange, this.#formed(exchange, closingResponse()))
    const problem = exchange.validate()
    if (problem) return this.#sendAndClose(exchange, this.#formed(exchange, malformedResponse(problem)))
    const routed = this.#app.route(exchange)
    exchange.headersClosed = true
    if (!isRouted(routed)) {
      return exceedsDropLimit(exchange.length)
        ? this.#sendAndClose(exchange, routed)
        : this.#send(exchange, routed)
    }
    if (routed.bodyLimit === 0) return this.#respond(exchange, routed.run(NO_BODY))
    this.#readBody(exchange, routed)
  }

  /** Converts an error response of this adapter to the form that the request accepts. */
  #formed(exchange: Exchange, response: HttpResponse): HttpResponse {
    return this.#app.inFormFor?.(exchange, response) ?? response
  }

  #readBody(exchange: Exchange, routed: RoutedRequest) {
    this.#register(exchange)
    if (routed.streamsBody) {
      const body = streamUwsBody(exchange, routed.bodyLimit)
      return this.#respondNextTurn(exchange, routed.run(body), body)
    }
    collectUwsBody(exchange, routed.bodyLimit, (body) => {
      this.#corked = true
      try {
        if (body === null) this.#sendAndClose(exchange, routed.tooLarge())
        else if (exchange.length === null) this.#runNextTurn(exchange, routed, Buffer.from(body))
        else this.#respond(exchange, routed.run(body))
      } catch (error) {
        this.#onUnexpectedError(exchange, error)
      }
      this.#corked = false
    })
  }

  #respond(exchange: Exchange, response: HttpResponse | Promise<HttpResponse>) {
    if (!(response instanceof Promise)) return this.#send(exchange, response)
    void response.then((ready) => this.#sendLater(exchange, ready))
  }

  /** Responds to a request with a streamed body in the next turn, for the reason given at {@link #sendAndClose}. */
  #respondNextTurn(exchange: Exchange, response: HttpResponse | Promise<HttpResponse>, body: BodyStream) {
    void Promise.resolve(response).then((ready) => {
      setImmediate(() => this.#sendLater(exchange, ready, !body.isWhole))
    })
  }

  #sendLater(exchange: Exchange, response: HttpResponse, close = false) {
    try {
      this.#send(exchange, response, close)
    } catch (error) {
      this.#app.report(error, exchange.request)
      if (!exchange.finished) exchange.res.close()
    }
  }

  /**
   * Sends a response and closes the connection, for a request whose body the engine may partly parse as a next request.
   * Waits for the next turn of the event loop: if the engine finds another request before this response, it closes the
   * connection and answers neither.
   */
  #sendAndClose(exchange: Exchange, response: HttpResponse) {
    setImmediate(() => this.#send(exchange, response, true))
  }

  /** Runs a request in the next turn of the event loop, for the reason given at {@link #sendAndClose}. */
  #runNextTurn(exchange: Exchange, routed: RoutedRequest, body: Uint8Array) {
    setImmediate(() => {
      if (!exchange.finished) this.#respond(exchange, routed.run(body))
    })
  }

  /** @param close true closes the connection, because its body may not have been read to the end */
  #send(exchange: Exchange, original: HttpResponse, close = false) {
    const response = omitBodyForHead(this.#app, exchange.method, exchange.path, original)
    // The engine closes the connection with the end of a body that it knows the length of.
    const staysOpen = close && exchange.length !== 0 && !exchange.isBodyRead
    const isStreamed = isChunk(response.body) && (staysOpen || isLongerThanPiece(response.body))
    const body = isStreamed ? streamOf(response.body as Chunk) : response.body
    // The connection ends after a chunked body, because the engine does not check the end of the body.
    const last = close || exchange.length === null || this.#closing
    // Ask for the address before the engine takes the response, which ends access to it.
    exchange.answered(response.status)
    let isEnded = true
    if (!exchange.finished) {
      const { res } = exchange
      if (this.#corked) isEnded = writeResponse(res, response, body, last)
      else
        res.cork(() => {
          isEnded = writeResponse(res, response, body, last)
        })
    }
    if (body !== null && !isChunk(body)) {
      if (!exchange.finished) this.#register(exchange)
      if (!exchange.finished && isEventStream(response)) writePiece(exchange.res, NO_EVENT)
      void this.#stream(exchange, body, last).then((sent) =>
        reportSent(this.#app, response, sent, exchange.request),
      )
      return
    }
    const sent = !exchange.finished
    if (!isEnded) this.#closeLater(exchange)
    else if (sent) this.#finish(exchange)
    if (response.onSent) reportSent(this.#app, response, sent, exchange.request)
  }

  /**
   * Sends a stream. Reads the next chunk only when the engine has no backlog.
   *
   * @returns whether the whole stream was sent
   */
  async #stream(exchange: Exchange, source: AsyncIterable<Chunk>, close: boolean): Promise<boolean> {
    const { res } = exchange
    const iterator = source[Symbol.asyncIterator]()
    const gone = new Promise<'gone'>((resolve) => {
      exchange.onGone = () => resolve('gone')
    })
    let hasPieces = false
    // Registered once: the engine drops a handler that is replaced during its own call, and with it the next event.
    let onWritable = (): void => {}
    if (!exchange.finished) {
      res.onWritable(() => {
        onWritable()
        return true
      })
    }
    try {
      while (!exchange.finished) {
        const next = await Promise.race([iterator.next(), gone])
        if (next === 'gone' || exchange.finished) break
        if (next.done) {
          const isClosed = close && hasPieces
          res.cork(() => {
            if (isClosed) endChunks(res)
            else res.end(undefined, close)
          })
          if (isClosed) this.#closeLater(exchange)
          else this.#finish(exchange)
          return true
        }
        for (const piece of piecesOf(next.value)) {
          hasPieces = true
          if (exchange.finished || writePiece(res, piece)) continue
          const writable = new Promise<void>((resolve) => {
            onWritable = resolve
          })
          exchange.waitsForClient = true
          const isTaken = await waitForClient(writable, gone)
          exchange.waitsForClient = false
          if (isTaken) continue
          this.#app.reportStalled?.(exchange.request)
          res.close()
        }
      }
    } catch (error) {
      if (!(error instanceof AccessEnded) && error !== exchange.streamedBody?.failure)
        this.#app.report(error, exchange.request)
      if (!exchange.finished) res.close()
    }
    // Not awaited: `return` of a generator resolves only after the promise that the generator awaits.
    Promise.resolve(iterator.return?.()).catch((error) => this.#app.report(error, exchange.request))
    return false
  }

  /** Closes the connection after the engine has sent the response, and after the rest of the body. */
  #closeLater(exchange: Exchange): void {
    this.#register(exchange)
    const close = (): void => {
      if (!exchange.finished) exchange.res.close()
    }
    if (exchange.length === 0) setImmediate(close)
    else dropUwsBody(exchange, close)
  }

  #finish(exchange: Exchange): void {
    exchange.finished = true
    exchange.streamedBody?.close()
    if (exchange.index < 0) return
    const last = this.#openExchanges.pop() as Exchange
    last.index = exchange.index
    if (last !== exchange) this.#openExchanges[exchange.index] = last
    exchange.index = -1
    if (this.#openExchanges.length === 0) this.#onIdle?.()
  }
}
