/** WebSockets of the adapter to node:http. Knows no requests. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { type Application, DEFAULT_MESSAGE_LIMIT, type HttpResponse } from './http.ts'
import { CLOSE, subprotocol, withoutSubprotocol } from './sockets.ts'

export class NodeSockets {
  readonly #app: Application
  readonly #server: WebSocketServer

  constructor(app: Application, messageLimit = DEFAULT_MESSAGE_LIMIT) {
    this.#app = app
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: messageLimit,
      perMessageDeflate: false,
      handleProtocols: (_offered, req) => this.#protocol(req) ?? false,
    })
  }

  /** @returns null when it was taken, false when it is for no WebSocket that there is, else how to refuse it */
  take(req: IncomingMessage, socket: Socket, head: Buffer): HttpResponse | null | false {
    const handler = this.#app.socket?.(pathOf(req))
    if (!handler || req.headers.upgrade?.toLowerCase() !== 'websocket') return false
    if (this.#protocol(req) === null) return withoutSubprotocol(handler)
    this.#server.handleUpgrade(req, socket, head, (ws) => {
      ws.on('message', (_data, isBinary) => {
        if (!isBinary) ws.close(CLOSE.unsupportedData)
      })
      handler.open(createWebSocketStream(ws), socket.remoteAddress ?? '')
    })
    return null
  }

  /** Takes leave of everyone. */
  close(): void {
    for (const ws of this.#server.clients) ws.close(CLOSE.goingAway)
  }

  /** Ends what is left. */
  cut(): void {
    for (const ws of this.#server.clients) ws.terminate()
  }

  #protocol(req: IncomingMessage): string | null {
    const handler = this.#app.socket?.(pathOf(req))
    return handler ? subprotocol(handler, req.headers['sec-websocket-protocol']) : null
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] as string
}
