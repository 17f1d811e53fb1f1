/** Serves WebSockets of handler classes over node:http. Knows no byte streams. */
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Application } from './http.ts'
import { NodeRequestHead } from './node-request.ts'
import { createWebSocketServer } from './node-ws.ts'
import { OpenSessions } from './open-sessions.ts'
import { SocketSession } from './socket-session.ts'
import type { ClientAddress, HttpResponse } from './types.ts'
import { CLOSE_CODES, SOCKET_LIMITS } from './web-sockets.ts'

export type Refuse = (head: NodeRequestHead, refusal: HttpResponse) => void

/** Maximum bytes read from a client before its upgrade is decided. A client should send none (RFC 6455 section 4.1). */
const MAX_EARLY_BYTES = 65_536

export class NodeSessions {
  readonly #app: Application
  readonly #clientAddress: ClientAddress | undefined
  readonly #open = new OpenSessions()
  readonly #undecided = new Set<Socket>()
  readonly #protocols = new WeakMap<IncomingMessage, string>()
  #server: WebSocketServer | null = null

  constructor(app: Application, clientAddress: ClientAddress | undefined) {
    this.#app = app
    this.#clientAddress = clientAddress
  }

  /** Upgrades a request to a WebSocket. Returns false if no class accepts it. */
  upgrade(req: IncomingMessage, socket: Socket, head: Buffer, refuse: Refuse): boolean {
    if (req.method !== 'GET') return false
    const res = new ServerResponse(req)
    const requestHead = new NodeRequestHead(req, res, this.#clientAddress, this.#app.observe)
    const upgraded = this.#app.upgrade?.(requestHead)
    requestHead.headersClosed = true
    if (!upgraded) return false
    // From now on `res` emits 'close' if the client leaves, which aborts the signal of the head.
    res.assignSocket(socket)
    const stopReading = this.#readEarly(socket, head)
    upgraded
      .then((outcome) => {
        const early = stopReading()
        if (!(outcome instanceof SocketSession)) return refuse(requestHead, outcome)
        res.detachSocket(socket)
        this.#accept(outcome, req, socket, early)
      })
      .catch((error) => {
        this.#app.report(error, `GET ${req.url}`)
        socket.destroy()
      })
    return true
  }

  closeAll(): void {
    this.#open.closeAll()
  }

  terminateAll(): void {
    for (const ws of this.#server?.clients ?? []) ws.terminate()
    for (const socket of this.#undecided) socket.destroy()
  }

  idle(): Promise<void> {
    return this.#open.idle()
  }

  /**
   * Reads while CONNECT runs, because otherwise Node does not notice that a client leaves. Returns a function that
   * stops reading.
   */
  #readEarly(socket: Socket, head: Buffer): () => Buffer {
    const chunks = [head]
    let bytes = 0
    const add = (chunk: Buffer): void => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_EARLY_BYTES) socket.destroy()
    }
    const leave = (): void => void socket.destroy()
    socket.on('data', add).on('end', leave)
    // Without a listener the error would end the process. 'close' follows.
    socket.on('error', leave)
    this.#undecided.add(socket)
    return () => {
      socket.pause()
      socket.off('data', add).off('end', leave)
      this.#undecided.delete(socket)
      return Buffer.concat(chunks)
    }
  }

  #accept(session: SocketSession, req: IncomingMessage, socket: Socket, early: Buffer): void {
    let isOpen = false
    this.#protocols.set(req, session.protocol)
    if (!socket.destroyed) {
      this.#server ??= createWebSocketServer(SOCKET_LIMITS.messageBytes, (req) => this.#protocols.get(req))
      this.#server.handleUpgrade(req, socket, early, (ws) => {
        isOpen = true
        this.#connect(session, ws)
        socket.resume()
      })
    }
    if (isOpen) return
    session.abandon()
    this.#open.add(session)
  }

  #connect(session: SocketSession, ws: WebSocket): void {
    ws.on('message', (data: Buffer, isBinary) => session.onMessage(data, isBinary))
    ws.on('ping', () => session.onPing())
    ws.on('pong', () => session.onPong())
    ws.on('error', ({ code }: NodeJS.ErrnoException) => {
      const isTooBig = code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
      session.onClosed(isTooBig ? CLOSE_CODES.messageTooBig : CLOSE_CODES.abnormal)
    })
    ws.on('close', (code) => session.onClosed(code))
    session.open({
      send: (data) => ws.send(data),
      unreadBytes: () => ws.bufferedAmount,
      ping: () => ws.ping(),
      close: (code) => ws.close(code),
      terminate: () => ws.terminate(),
    })
    this.#open.add(session)
  }
}
