/** The adapter to uWebSockets.js, an optional peer dependency. Knows sockets, and nothing of routes or handlers. */

import type * as Uws from 'uWebSockets.js'
import { closing, tooLarge } from './app.ts'
import { malformed, toErrorResponse, unexpected } from './errors.ts'
import type { Application, Chunk, HttpResponse, Listen, ListenOptions, Server } from './http.ts'
import { answerTo, DEFAULT_MESSAGE_LIMIT, endsConnection, isRouted, NO_BODY, reportSent } from './http.ts'
import type { RoutedRequest } from './routed-request.ts'
import { isChunk, isLong, once, piecesOf, write, writePiece } from './uws-answer.ts'
import { Exchange } from './uws-exchange.ts'
import { type Answer, UwsSockets } from './uws-sockets.ts'

/** @throws {Error} that says what to install, when the engine is missing or is not native */
export const listenUws: Listen = async (app, options) =>
  new UwsServer(await engine(), app, options).listen(options)

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

/** The common methods, each with a handler of its own: to ask the engine for the name would cost more than to be told. */
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
  readonly #engine: Uws.TemplatedApp
  /** Those that were not answered at once, each at its own `index`. */
  readonly #open: Exchange[] = []
  /** The engine is calling: all that is written until this returns leaves together. */
  #corked = false
  readonly #sockets = new UwsSockets()
  #socket: Uws.us_listen_socket | null = null
  #closing = false
  #idle: (() => void) | null = null

  constructor(uws: typeof Uws, app: Application, { messageLimit = DEFAULT_MESSAGE_LIMIT }: ListenOptions) {
    const engine = uws.App()
    this.#uws = uws
    this.#app = app
    this.#engine = engine
    for (const [method, register] of METHODS) {
      engine[register]('/*', (res, req) => this.#handle(res, req, method))
    }
    engine.any('/*', (res, req) => this.#handle(res, req, req.getCaseSensitiveMethod()))
    if (app.socket) {
      const answer: Answer = (res, req, refusal) => this.#handle(res, req, 'GET', refusal)
      engine.ws('/*', this.#sockets.behaviour(app, messageLimit, answer))
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
    this.#socket = socket
    this.host = host
    this.port = this.#uws.us_socket_local_port(socket)
    return this
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true
    if (this.#socket) this.#uws.us_listen_socket_close(this.#socket)
    this.#socket = null
    this.#sockets.close()
    if (this.#open.length === 0) return
    const cut = setTimeout(() => {
      for (const { res, finished } of [...this.#open]) if (!finished) res.close()
    }, graceMs)
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
    clearTimeout(cut)
  }

  #handle(res: Uws.HttpResponse, req: Uws.HttpRequest, method: string, refusal?: HttpResponse) {
    const exchange = new Exchange(res, req, method)
    this.#corked = true
    try {
      if (refusal) this.#sendLast(exchange, refusal)
      else this.#route(exchange)
    } catch (error) {
      this.#broken(exchange, error)
    }
    this.#corked = false
    exchange.closed = true
    if (!exchange.finished) this.#keep(exchange)
  }

  /** An error that escapes a call of the engine would end the process. */
  #broken(exchange: Exchange, error: unknown) {
    this.#app.report(error, exchange.request)
    if (!exchange.finished) this.#send(exchange, unexpected(), true)
  }

  /** uWebSockets.js requires `onAborted` before its callback returns. */
  #keep(exchange: Exchange) {
    if (exchange.index >= 0) return
    exchange.index = this.#open.push(exchange) - 1
    exchange.res.onAborted(() => {
      this.#finish(exchange)
      exchange.onAborted?.()
    })
  }

  #route(exchange: Exchange) {
    if (this.#closing) return this.#send(exchange, closing())
    const problem = exchange.check()
    if (problem) return this.#sendLast(exchange, malformed(problem))
    const routed = this.#app.route(exchange)
    exchange.closed = true
    if (!isRouted(routed)) {
      return endsConnection(exchange.length) ? this.#sendLast(exchange, routed) : this.#send(exchange, routed)
    }
    if (routed.bodyLimit === 0) return this.#answer(exchange, routed.run(NO_BODY))
    this.#collect(exchange, routed)
  }

  #collect(exchange: Exchange, routed: RoutedRequest) {
    const chunks: Buffer[] = []
    let length = 0
    this.#keep(exchange)
    exchange.res.onData((chunk, isLast) => {
      if (exchange.finished || length > routed.bodyLimit) return
      length += chunk.byteLength
      const fits = length <= routed.bodyLimit
      if (fits && !isLast) {
        // The engine empties the chunk when this callback returns.
        chunks.push(Buffer.from(chunk.slice(0)))
        return
      }
      this.#corked = true
      try {
        const last = Buffer.from(chunk)
        if (!fits) this.#sendLast(exchange, toErrorResponse(tooLarge(routed.bodyLimit), {}) as HttpResponse)
        else if (exchange.length === null)
          this.#answerLater(exchange, routed, Buffer.concat([...chunks, last]))
        else this.#answer(exchange, routed.run(chunks.length === 0 ? last : Buffer.concat([...chunks, last])))
      } catch (error) {
        this.#broken(exchange, error)
      }
      this.#corked = false
    })
  }

  #answer(exchange: Exchange, response: HttpResponse | Promise<HttpResponse>) {
    if (!(response instanceof Promise)) return this.#send(exchange, response)
    void response.then((ready) => {
      try {
        this.#send(exchange, ready)
      } catch (error) {
        this.#app.report(error, exchange.request)
        if (!exchange.finished) exchange.res.close()
      }
    })
  }

  /**
   * Answers a request after whose end the engine may take part of its body for another one. A turn later: when it
   * finds a request behind one that still waits for its answer, it ends the connection instead of answering both.
   */
  #sendLast(exchange: Exchange, response: HttpResponse) {
    setImmediate(() => this.#send(exchange, response, true))
  }

  /** Not before the engine has said whether more than a request came: see #sendLast. */
  #answerLater(exchange: Exchange, routed: RoutedRequest, body: Uint8Array) {
    setImmediate(() => {
      if (!exchange.finished) this.#answer(exchange, routed.run(body))
    })
  }

  /** @param close the body may not have been read to its end, so that the connection cannot be used again */
  #send(exchange: Exchange, made: HttpResponse, close = false) {
    const response = answerTo(exchange.method, made)
    const body = isLong(response.body) ? once(response.body) : response.body
    // The engine does not check where a chunked body ends.
    const last = close || exchange.length === null || this.#closing
    let isEnded = true
    if (!exchange.finished) {
      const { res } = exchange
      if (this.#corked) isEnded = write(res, response, body, last)
      else
        res.cork(() => {
          isEnded = write(res, response, body, last)
        })
    }
    if (body !== null && !isChunk(body)) {
      if (!exchange.finished) this.#keep(exchange)
      void this.#stream(exchange, body, last).then((sent) =>
        reportSent(this.#app, response, sent, exchange.request),
      )
      return
    }
    const sent = !exchange.finished
    if (!isEnded) this.#close(exchange)
    else if (sent) this.#finish(exchange)
    if (response.onSent) reportSent(this.#app, response, sent, exchange.request)
  }

  /** Asks the source for the next piece only when the engine has no backlog. @returns whether all was sent */
  async #stream(exchange: Exchange, source: AsyncIterable<Chunk>, close: boolean): Promise<boolean> {
    const { res } = exchange
    const iterator = source[Symbol.asyncIterator]()
    const gone = new Promise<'gone'>((resolve) => {
      exchange.onAborted = () => resolve('gone')
    })
    // Registered once: what a handler's own run puts in its place is lost, and with it the next event.
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
          res.cork(() => res.end(undefined, close))
          this.#finish(exchange)
          return true
        }
        for (const piece of piecesOf(next.value)) {
          if (exchange.finished || writePiece(res, piece)) continue
          const writable = new Promise<void>((resolve) => {
            onWritable = resolve
          })
          await Promise.race([writable, gone])
        }
      }
    } catch (error) {
      this.#app.report(error, exchange.request)
      if (!exchange.finished) res.close()
    }
    // Not awaited: a generator that waits for something else returns only after it.
    Promise.resolve(iterator.return?.()).catch((error) => this.#app.report(error, exchange.request))
    return false
  }

  /** After what was written has left, which is when the engine has the turn. */
  #close(exchange: Exchange): void {
    this.#keep(exchange)
    setImmediate(() => {
      if (!exchange.finished) exchange.res.close()
    })
  }

  #finish(exchange: Exchange): void {
    exchange.finished = true
    if (exchange.index < 0) return
    const last = this.#open.pop() as Exchange
    last.index = exchange.index
    if (last !== exchange) this.#open[exchange.index] = last
    exchange.index = -1
    if (this.#open.length === 0) this.#idle?.()
  }
}
