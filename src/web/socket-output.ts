/** Sends the values of a handler class over its WebSocket. Knows no handler and no server. */
import { type EndpointSocket, isReply } from './endpoint.ts'
import { jsonOf } from './json.ts'
import { isStream } from './streamed.ts'
import { CLOSE_CODES, isCloseCode, SOCKET_LIMITS, type WebSocketConnection } from './web-sockets.ts'

/** Output of one WebSocket, from CONNECT on. Values sent before the upgrade are queued. */
export class SocketOutput implements EndpointSocket {
  readonly protocol: string
  readonly #onEnd: (code: number) => void
  #connection: WebSocketConnection | null = null
  #early: (string | Uint8Array)[] = []
  #earlyBytes = 0
  #closeCode: number | null = null

  /** @param onEnd called once, when either side begins to close */
  constructor(protocol: string, onEnd: (code: number) => void) {
    this.protocol = protocol
    this.#onEnd = onEnd
  }

  send(value: unknown): void {
    this.#write(value instanceof Uint8Array ? value : messageOf(value))
  }

  sendText(text: string): void {
    if (typeof text !== 'string') throw new TypeError('sendText takes a text. Use send for other values.')
    this.#write(text)
  }

  close(code: number = CLOSE_CODES.normal): void {
    if (!isCloseCode(code)) {
      throw new RangeError(
        `${code} is no close code that may be sent. Use 1000, or one of 3000 to 4999 of your own.`,
      )
    }
    this.end(code)
  }

  /** Sends the values queued before the upgrade. */
  open(connection: WebSocketConnection): void {
    this.#connection = connection
    for (const data of this.#early) connection.send(data)
    this.#early = []
    if (this.#closeCode !== null) connection.close(this.#closeCode)
  }

  end(code: number): void {
    if (this.#closeCode === null) this.#connection?.close(code)
    this.onClosed(code)
  }

  terminate(): void {
    this.#connection?.terminate()
    this.onClosed(CLOSE_CODES.abnormal)
  }

  onClosed(code: number): void {
    if (this.#closeCode !== null) return
    this.#closeCode = code
    this.#onEnd(code)
  }

  checkUnread(): void {
    const bytes = this.#connection?.unreadBytes() ?? this.#earlyBytes
    if (bytes > SOCKET_LIMITS.unreadBytes) this.end(CLOSE_CODES.tryAgainLater)
  }

  #write(data: string | Uint8Array): void {
    if (this.#closeCode === null) this.checkUnread()
    if (this.#closeCode !== null) return
    if (this.#connection) {
      this.#connection.send(data)
      return
    }
    this.#early.push(data)
    this.#earlyBytes += data.length
  }
}

function messageOf(value: unknown): string {
  if (!isReply(value) && !isStream(value)) return jsonOf(value)
  throw new TypeError('A WebSocket sends bytes or JSON, no Reply and no stream. Send each value by itself.')
}
