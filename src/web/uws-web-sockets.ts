/** Serves the WebSockets of the adapter to uWebSockets.js. Knows no requests. */

import type * as Uws from 'uWebSockets.js'
import { Duplex } from 'node:stream'
import type {
  Application,
  ClientAddress,
  ConnectionsAtATime,
  HttpResponse,
  WebSocketHandler,
} from './http.ts'
import { forwardedForOf } from './uws-exchange.ts'
import { CLOSE_CODES, selectSubprotocol, subprotocolRequired } from './web-sockets.ts'

interface UserData {
  readonly handler: WebSocketHandler
  readonly forwardedFor: string
  /** Null until the WebSocket is open. */
  stream: UwsStream | null
}

/**
 * Maximum bytes received but not read. uWebSockets.js offers no way to pause a peer in the tested release, so the server
 * disconnects a peer that sends faster than it is read.
 */
const MAX_UNREAD_BYTES = 4_194_304

/** Answers a request that is not upgraded; with the refusal, if there is one. */
export type HandleRequest = (res: Uws.HttpResponse, req: Uws.HttpRequest, refusal?: HttpResponse) => void

/** WebSockets of one server. */
export class UwsWebSockets {
  readonly #clientAddress: ClientAddress | undefined
  readonly #streams = new Set<UwsStream>()
  readonly #limit: ConnectionsAtATime | undefined
  #closing = false

  /** @param limit limit of WebSockets at a time */
  constructor(clientAddress: ClientAddress | undefined, limit: ConnectionsAtATime | undefined) {
    this.#clientAddress = clientAddress
    this.#limit = limit
  }

  /**
   * Returns the WebSocket callbacks for uWebSockets.js.
   *
   * @param answer handles a request that is not upgraded
   */
  behaviour(app: Application, messageLimit: number, answer: HandleRequest): Uws.WebSocketBehavior<UserData> {
    return {
      maxPayloadLength: messageLimit,
      // No limit here: the stream applies backpressure itself.
      maxBackpressure: 0,
      idleTimeout: 0,
      sendPingsAutomatically: false,
      upgrade: (res, req, context) => {
        const handler = this.#closing ? null : (app.socket?.(req.getUrl()) ?? null)
        if (!handler) return answer(res, req)
        const protocol = selectSubprotocol(handler, req.getHeader('sec-websocket-protocol'))
        if (protocol === null) return answer(res, req, subprotocolRequired(handler))
        if (this.#limit && this.#streams.size >= this.#limit.maximum) {
          this.#limit.onClosed()
          res.close()
          return
        }
        const [key, extensions] = [
          req.getHeader('sec-websocket-key'),
          req.getHeader('sec-websocket-extensions'),
        ]
        const forwardedFor = this.#clientAddress ? forwardedForOf(req) : ''
        res.upgrade<UserData>({ handler, forwardedFor, stream: null }, key, protocol, extensions, context)
      },
      open: (ws) => {
        const user = ws.getUserData()
        const peer = Buffer.from(ws.getRemoteAddressAsText()).toString('latin1')
        const remote = this.#clientAddress?.(peer, user.forwardedFor) ?? peer
        const stream = new UwsStream(ws)
        user.stream = stream
        this.#streams.add(stream)
        user.handler.open(stream, remote)
      },
      message: (ws, message, isBinary) => {
        const { stream } = ws.getUserData()
        if (!isBinary) ws.end(CLOSE_CODES.unsupportedData)
        else if (stream && !stream.receive(Buffer.from(message.slice(0)))) ws.end(CLOSE_CODES.messageTooBig)
      },
      drain: (ws) => ws.getUserData().stream?.onDrain(),
      close: (ws) => {
        const { stream } = ws.getUserData()
        if (!stream) return
        this.#streams.delete(stream)
        stream.onClose()
      },
    }
  }

  /** Starts the closing handshake of every WebSocket, with "going away", and accepts no more. */
  closeAll(): void {
    this.#closing = true
    for (const stream of [...this.#streams]) stream.closeGoingAway()
  }
}

/** Byte stream over the binary messages of a WebSocket. */
class UwsStream extends Duplex {
  /** Null once the WebSocket is closed. uWebSockets.js forbids any use of it from then on. */
  #ws: Uws.WebSocket<UserData> | null
  #drained: (() => void) | null = null

  constructor(ws: Uws.WebSocket<UserData>) {
    super()
    this.#ws = ws
  }

  /** Adds the bytes of a message. Returns false when more than {@link MAX_UNREAD_BYTES} are unread. */
  receive(bytes: Buffer): boolean {
    if (!this.destroyed) this.push(bytes)
    return this.readableLength <= MAX_UNREAD_BYTES
  }

  onDrain(): void {
    if (this.#ws?.getBufferedAmount() !== 0) return
    const done = this.#drained
    this.#drained = null
    done?.()
  }

  onClose(): void {
    this.#ws = null
    this.destroy()
  }

  closeGoingAway(): void {
    this.#ws?.end(CLOSE_CODES.goingAway)
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const ws = this.#ws
    ws?.cork(() => ws.send(chunk, true))
    if (this.#ws && this.#ws.getBufferedAmount() > 0) this.#drained = done
    else done()
  }

  override _final(done: () => void): void {
    this.#ws?.end(CLOSE_CODES.normal)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const ws = this.#ws
    this.#ws = null
    ws?.close()
    done(error)
  }
}
