/** Serves the WebSockets of the node:http adapter. Knows no requests. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocketServer } from 'ws'
import { type Application, DEFAULT_MESSAGE_LIMIT } from './http.ts'
import { clientAddressOf, headerOf } from './node-request.ts'
import { NodeSessions, type Refuse } from './node-sessions.ts'
import { createWebSocketServer, loadWs } from './node-ws.ts'
import type { ClientAddress, HttpResponse } from './types.ts'
import type { WebSocketHandler } from './web-sockets.ts'
import { CLOSE_CODES, selectSubprotocol, subprotocolRequired } from './web-sockets.ts'

export class NodeWebSockets {
  readonly #app: Application
  readonly #clientAddress: ClientAddress | undefined
  readonly #messageLimit: number
  readonly #sessions: NodeSessions
  #server: WebSocketServer | null = null

  constructor(app: Application, messageLimit = DEFAULT_MESSAGE_LIMIT, clientAddress?: ClientAddress) {
    this.#app = app
    this.#clientAddress = clientAddress
    this.#sessions = new NodeSessions(app, clientAddress)
    this.#messageLimit = messageLimit
  }

  /**
   * Upgrades a request to a WebSocket.
   *
   * @param refuse sends a refusal of a class, possibly later
   * @returns null after the upgrade or while a class decides, false if the request asks for no WebSocket of the application, else the refusal
   */
  upgrade(req: IncomingMessage, socket: Socket, head: Buffer, refuse: Refuse): HttpResponse | null | false {
    if (req.headers.upgrade?.toLowerCase() !== 'websocket') return false
    const handler = this.#handlerOf(req)
    if (!handler) return this.#sessions.upgrade(req, socket, head, refuse) ? null : false
    if (this.#selectSubprotocol(req) === null) return subprotocolRequired(handler)
    this.#server ??= createWebSocketServer(this.#messageLimit, (req) => this.#selectSubprotocol(req))
    this.#server.handleUpgrade(req, socket, head, (ws) => {
      ws.on('message', (_data, isBinary) => {
        if (!isBinary) ws.close(CLOSE_CODES.unsupportedData)
      })
      handler.open(loadWs().createWebSocketStream(ws), clientAddressOf(req, this.#clientAddress))
    })
    return null
  }

  closeAll(): void {
    for (const ws of this.#server?.clients ?? []) ws.close(CLOSE_CODES.goingAway)
    this.#sessions.closeAll()
  }

  /** Resolves when the classes have finished with every WebSocket. */
  idle(): Promise<void> {
    return this.#sessions.idle()
  }

  terminateAll(): void {
    for (const ws of this.#server?.clients ?? []) ws.terminate()
    this.#sessions.terminateAll()
  }

  #handlerOf(req: IncomingMessage): WebSocketHandler | null {
    return this.#app.socket?.(pathOf(req), { header: (name) => headerOf(req, name) }) ?? null
  }

  #selectSubprotocol(req: IncomingMessage): string | null {
    const handler = this.#handlerOf(req)
    return handler ? selectSubprotocol(handler, req.headers['sec-websocket-protocol']) : null
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] as string
}
