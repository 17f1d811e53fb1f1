/** Serves WebSockets of handler classes over uWebSockets.js. Knows no byte streams. */
import type * as Uws from 'uWebSockets.js'
import type { Application } from './http.ts'
import type { OpenSessions } from './open-sessions.ts'
import { SocketSession } from './socket-session.ts'
import type { ClientAddress, HttpResponse } from './types.ts'
import { Exchange } from './uws-exchange.ts'
import { encodable } from './uws-response.ts'
import type { WebSocketConnection } from './web-sockets.ts'

/** Receiver of the engine's callbacks for one WebSocket. */
export interface UwsPeer {
  onOpen(ws: Uws.WebSocket<UserData>): void
  onMessage(bytes: ArrayBuffer, isBinary: boolean): void
  onPing(): void
  onPong(): void
  onDrain(): void
  onClose(code: number): void
}

export interface UserData {
  readonly peer: UwsPeer
}

/** Requests of the server that may become WebSockets. */
export interface UwsRequests {
  /** Answers a request that is not upgraded, with the refusal if there is one. */
  answer(res: Uws.HttpResponse, req: Uws.HttpRequest, refusal?: HttpResponse): void
  /** Registers an exchange that is answered later. */
  hold(exchange: Exchange): void
  refuse(exchange: Exchange, response: HttpResponse): void
  /** Removes an exchange that becomes a WebSocket. */
  release(exchange: Exchange): void
}

export class UwsSessions {
  readonly #app: Application
  readonly #clientAddress: ClientAddress | undefined
  readonly #requests: UwsRequests
  readonly #open: OpenSessions

  constructor(
    app: Application,
    clientAddress: ClientAddress | undefined,
    requests: UwsRequests,
    open: OpenSessions,
  ) {
    this.#app = app
    this.#clientAddress = clientAddress
    this.#requests = requests
    this.#open = open
  }

  /** Upgrades a request to a WebSocket. Returns false if no class accepts it. */
  upgrade(res: Uws.HttpResponse, req: Uws.HttpRequest, context: Uws.us_socket_context_t): boolean {
    const exchange = new Exchange(res, req, 'GET', this.#clientAddress, this.#app.observe)
    if (exchange.validate() !== null) return false
    const upgraded = this.#app.upgrade?.(exchange)
    const key = exchange.header('sec-websocket-key') as string
    exchange.headersClosed = true
    if (!upgraded) return false
    this.#requests.hold(exchange)
    upgraded
      .then((outcome) => {
        if (!(outcome instanceof SocketSession)) return this.#requests.refuse(exchange, outcome)
        if (exchange.finished) {
          outcome.abandon()
          this.#open.add(outcome)
          return
        }
        this.#requests.release(exchange)
        const user: UserData = { peer: new SessionPeer(outcome, this.#open) }
        res.cork(() => res.upgrade(user, key, outcome.protocol, '', context))
      })
      .catch((error) => this.#app.report(error, exchange.request))
    return true
  }
}

/** Time for a peer to read the sent messages before the connection closes. */
const CLOSE_TIMEOUT_MS = 30_000

class SessionPeer implements UwsPeer, WebSocketConnection {
  readonly #session: SocketSession
  readonly #open: OpenSessions
  /** Null after the WebSocket is closed. uWebSockets.js then forbids any use of it. */
  #ws: Uws.WebSocket<UserData> | null = null
  /** Close code, used when the peer has read the sent messages. */
  #closeCode: number | null = null
  #closeTimer: NodeJS.Timeout | undefined

  constructor(session: SocketSession, open: OpenSessions) {
    this.#session = session
    this.#open = open
  }

  onOpen(ws: Uws.WebSocket<UserData>): void {
    this.#ws = ws
    this.#session.open(this)
    this.#open.add(this.#session)
  }

  onMessage(bytes: ArrayBuffer, isBinary: boolean): void {
    // The engine detaches the bytes when this callback returns, so copy them.
    this.#session.onMessage(Buffer.from(bytes.slice(0)), isBinary)
  }

  onPing(): void {
    this.#session.onPing()
  }

  onPong(): void {
    this.#session.onPong()
  }

  onDrain(): void {
    if (this.#closeCode !== null && this.unreadBytes() === 0) this.#ws?.end(this.#closeCode)
  }

  onClose(code: number): void {
    this.#ws = null
    clearTimeout(this.#closeTimer)
    this.#session.onClosed(code)
  }

  send(data: string | Uint8Array): void {
    const ws = this.#ws
    ws?.cork(() => ws.send(encodable(data), typeof data !== 'string'))
  }

  unreadBytes(): number {
    return this.#ws?.getBufferedAmount() ?? 0
  }

  ping(): void {
    this.#ws?.ping()
  }

  close(code: number): void {
    if (this.unreadBytes() === 0) {
      this.#ws?.end(code)
      return
    }
    // `end` would release the WebSocket at once, and a peer that never reads could no longer be cut.
    this.#closeCode = code
    this.#closeTimer = setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS).unref()
  }

  terminate(): void {
    this.#ws?.close()
  }
}
