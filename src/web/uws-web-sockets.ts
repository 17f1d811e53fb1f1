/** WebSockets of the adapter to uWebSockets.js. Knows no requests. */

import type * as Uws from 'uWebSockets.js'
import { Duplex } from 'node:stream'
import type { Application, HttpResponse, WebSocketHandler } from './http.ts'
import { CLOSE, subprotocol, withoutSubprotocol } from './sockets.ts'

interface UserData {
  readonly handler: WebSocketHandler
  /** Set when it is open. */
  stream: UwsStream | null
}

/** The engine of the tested release cannot be told to wait: a peer that sends faster than it is read is cut off. */
const UNREAD_BYTES = 4_194_304

/** Answers a request; with the refusal, where there is one. */
export type Answer = (res: Uws.HttpResponse, req: Uws.HttpRequest, refusal?: HttpResponse) => void

export class UwsSockets {
  readonly #open = new Set<UwsStream>()
  #closing = false

  /** @param answer for what is no upgrade to a WebSocket that there is */
  behaviour(app: Application, messageLimit: number, answer: Answer): Uws.WebSocketBehavior<UserData> {
    return {
      maxPayloadLength: messageLimit,
      // The stream holds back while the engine has a backlog.
      maxBackpressure: 0,
      idleTimeout: 0,
      sendPingsAutomatically: false,
      upgrade: (res, req, context) => {
        const handler = this.#closing ? null : (app.socket?.(req.getUrl()) ?? null)
        if (!handler) return answer(res, req)
        const protocol = subprotocol(handler, req.getHeader('sec-websocket-protocol'))
        if (protocol === null) return answer(res, req, withoutSubprotocol(handler))
        const [key, extensions] = [
          req.getHeader('sec-websocket-key'),
          req.getHeader('sec-websocket-extensions'),
        ]
        res.upgrade<UserData>({ handler, stream: null }, key, protocol, extensions, context)
      },
      open: (ws) => {
        const user = ws.getUserData()
        const remote = Buffer.from(ws.getRemoteAddressAsText()).toString('latin1')
        const stream = new UwsStream(ws)
        user.stream = stream
        this.#open.add(stream)
        user.handler.open(stream, remote)
      },
      message: (ws, message, isBinary) => {
        const { stream } = ws.getUserData()
        if (!isBinary) ws.end(CLOSE.unsupportedData)
        else if (stream && !stream.received(Buffer.from(message.slice(0)))) ws.end(CLOSE.tooMuch)
      },
      drain: (ws) => ws.getUserData().stream?.drained(),
      close: (ws) => {
        const { stream } = ws.getUserData()
        if (!stream) return
        this.#open.delete(stream)
        stream.left()
      },
    }
  }

  /** Takes leave of everyone. */
  close(): void {
    this.#closing = true
    for (const stream of [...this.#open]) stream.sayGoodbye()
  }
}

class UwsStream extends Duplex {
  /** Null once it is closed: it must not be touched any more. */
  #ws: Uws.WebSocket<UserData> | null
  #drained: (() => void) | null = null

  constructor(ws: Uws.WebSocket<UserData>) {
    super()
    this.#ws = ws
  }

  /** @returns false when too much waits to be read */
  received(bytes: Buffer): boolean {
    if (!this.destroyed) this.push(bytes)
    return this.readableLength <= UNREAD_BYTES
  }

  drained(): void {
    if (this.#ws?.getBufferedAmount() !== 0) return
    const done = this.#drained
    this.#drained = null
    done?.()
  }

  left(): void {
    this.#ws = null
    this.destroy()
  }

  sayGoodbye(): void {
    this.#ws?.end(CLOSE.goingAway)
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const ws = this.#ws
    ws?.cork(() => ws.send(chunk, true))
    if (this.#ws && this.#ws.getBufferedAmount() > 0) this.#drained = done
    else done()
  }

  override _final(done: () => void): void {
    this.#ws?.end(1000)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const ws = this.#ws
    this.#ws = null
    ws?.close()
    done(error)
  }
}
