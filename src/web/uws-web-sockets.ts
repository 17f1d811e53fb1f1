/** Serves the WebSockets of the uWebSockets.js adapter. Knows no requests. */

import type * as Uws from 'uWebSockets.js'
import { Duplex } from 'node:stream'
import type { Application, ConnectionsAtATime } from './http.ts'
import { OpenSessions } from './open-sessions.ts'
import type { ClientAddress } from './types.ts'
import { forwardedForOf } from './uws-exchange.ts'
import { type UserData, type UwsPeer, type UwsRequests, UwsSessions } from './uws-sessions.ts'
import { CLOSE_CODES, SOCKET_LIMITS, selectSubprotocol, subprotocolRequired } from './web-sockets.ts'

/**
 * Maximum bytes received but unread. The tested release of uWebSockets.js cannot pause a peer, so the server
 * disconnects a peer that sends faster than the handler reads.
 */
const MAX_UNREAD_BYTES = 4_194_304

/**
 * Maximum bytes of a session message that the engine accepts. The engine cuts the connection above its limit, so the
 * limit is twice the session's own, which sends a close code.
 */
const MAX_SESSION_FRAME_BYTES = 2 * SOCKET_LIMITS.messageBytes

export class UwsWebSockets {
  readonly #clientAddress: ClientAddress | undefined
  readonly #streams = new Set<UwsStream>()
  readonly #sessions = new OpenSessions()
  readonly #limit: ConnectionsAtATime | undefined
  #closing = false

  /** @param limit limit of simultaneous WebSockets */
  constructor(clientAddress: ClientAddress | undefined, limit: ConnectionsAtATime | undefined) {
    this.#clientAddress = clientAddress
    this.#limit = limit
  }

  behaviour(app: Application, messageLimit: number, requests: UwsRequests): Uws.WebSocketBehavior<UserData> {
    const sessions = new UwsSessions(app, this.#clientAddress, requests, this.#sessions)
    return {
      maxPayloadLength: Math.max(messageLimit, MAX_SESSION_FRAME_BYTES),
      // No limit here: streams and sessions apply backpressure themselves.
      maxBackpressure: 0,
      idleTimeout: 0,
      sendPingsAutomatically: false,
      upgrade: (res, req, context) => {
        if (this.#closing) return requests.answer(res, req)
        const header = (name: string) => req.getHeader(name) || undefined
        const handler = app.socket?.(req.getUrl(), { header }) ?? null
        const protocol = handler && selectSubprotocol(handler, req.getHeader('sec-websocket-protocol'))
        if (handler && protocol === null) return requests.answer(res, req, subprotocolRequired(handler))
        if (this.#limit && this.#streams.size + this.#sessions.size >= this.#limit.maximum) {
          this.#limit.onClosed()
          res.close()
          return
        }
        if (!handler || protocol === null) {
          if (!sessions.upgrade(res, req, context)) requests.answer(res, req)
          return
        }
        const [key, extensions] = [
          req.getHeader('sec-websocket-key'),
          req.getHeader('sec-websocket-extensions'),
        ]
        const forwardedFor = this.#clientAddress ? forwardedForOf(req) : ''
        const peer = new StreamPeer(messageLimit, this.#streams, (stream, address) =>
          handler.open(stream, this.#clientAddress?.(address, forwardedFor) ?? address),
        )
        res.upgrade<UserData>({ peer }, key, protocol, extensions, context)
      },
      open: (ws) => ws.getUserData().peer.onOpen(ws),
      message: (ws, message, isBinary) => ws.getUserData().peer.onMessage(message, isBinary),
      ping: (ws) => ws.getUserData().peer.onPing(),
      pong: (ws) => ws.getUserData().peer.onPong(),
      drain: (ws) => ws.getUserData().peer.onDrain(),
      close: (ws, code) => ws.getUserData().peer.onClose(code),
    }
  }

  /** Starts the closing handshake of every WebSocket, with "going away", and accepts no more. */
  closeAll(): void {
    this.#closing = true
    for (const stream of [...this.#streams]) stream.closeGoingAway()
    this.#sessions.closeAll()
  }

  /** Resolves when the classes have finished with every WebSocket. */
  idle(): Promise<void> {
    return this.#sessions.idle()
  }
}

/** WebSocket whose binary messages form a byte stream. */
class StreamPeer implements UwsPeer {
  readonly #messageLimit: number
  readonly #streams: Set<UwsStream>
  readonly #openStream: (stream: Duplex, address: string) => void
  #ws: Uws.WebSocket<UserData> | null = null
  #stream: UwsStream | null = null

  constructor(
    messageLimit: number,
    streams: Set<UwsStream>,
    openStream: (stream: Duplex, address: string) => void,
  ) {
    this.#messageLimit = messageLimit
    this.#streams = streams
    this.#openStream = openStream
  }

  onOpen(ws: Uws.WebSocket<UserData>): void {
    const address = Buffer.from(ws.getRemoteAddressAsText()).toString('latin1')
    const stream = new UwsStream(ws)
    this.#ws = ws
    this.#stream = stream
    this.#streams.add(stream)
    this.#openStream(stream, address)
  }

  onMessage(bytes: ArrayBuffer, isBinary: boolean): void {
    if (bytes.byteLength > this.#messageLimit) this.#ws?.close()
    else if (!isBinary) this.#ws?.end(CLOSE_CODES.unsupportedData)
    else if (!this.#stream?.receive(Buffer.from(bytes.slice(0)))) this.#ws?.end(CLOSE_CODES.messageTooBig)
  }

  onPing(): void {}

  onPong(): void {}

  onDrain(): void {
    this.#stream?.onDrain()
  }

  onClose(): void {
    this.#ws = null
    if (!this.#stream) return
    this.#streams.delete(this.#stream)
    this.#stream.onClose()
  }
}

class UwsStream extends Duplex {
  /** Null after the WebSocket is closed. uWebSockets.js then forbids any use of it. */
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
