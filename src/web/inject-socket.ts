/** Implements the client side of a WebSocket that `inject.socket` opens. For tests and in-process use. */
import { SocketSession } from './socket-session.ts'
import type { HttpResponse, Injected } from './types.ts'
import type { Upgraded } from './upgrade.ts'
import { CLOSE_CODES } from './web-sockets.ts'

/**
 * Message sent by the class.
 *
 * @example
 * ```ts
 * const message: InjectedMessage = await socket.next()
 * const value = message.isBinary ? message.bytes : message.json()
 * ```
 */
export interface InjectedMessage {
  readonly isBinary: boolean
  readonly bytes: Uint8Array
  text(): string
  json(): unknown
}

/**
 * Client side of a WebSocket opened by `inject.socket`.
 *
 * @example
 * ```ts
 * const socket: InjectedSocket = await inject.socket(app, '/chat/pumps')
 * socket.send({ text: 'hello' })
 * const answer = (await socket.next()).json()
 * await socket.close()
 * ```
 */
export interface InjectedSocket {
  /** Subprotocol that the server selected; empty when there is none. */
  readonly protocol: string
  /** Resolves to the close code after DISCONNECT. */
  readonly closed: Promise<number>
  /** Sends a text or bytes as they are, and an object as JSON. */
  send(message: string | Uint8Array | object): void
  /** Resolves to the next message. Rejects when the connection is closed and all messages were read. */
  next(): Promise<InjectedMessage>
  /** Closes the connection. Resolves after DISCONNECT. */
  close(code?: number): Promise<void>
}

/**
 * Error of `inject.socket` when the server refuses the WebSocket. Its message is the message of the response.
 *
 * @example
 * ```ts
 * await inject.socket(app, '/chat/pumps').catch((error) => {
 *   if (error instanceof UpgradeRefused) assert.equal(error.status, 403)
 * })
 * ```
 */
export class UpgradeRefused extends Error {
  readonly status: number
  readonly answer: Injected

  constructor(answer: Injected) {
    const text = answer.text()
    super(text.startsWith('{') ? String((JSON.parse(text) as { message?: unknown }).message ?? text) : text)
    this.name = 'UpgradeRefused'
    this.status = answer.status
    this.answer = answer
  }
}

/** Connects a client to a session. @throws {UpgradeRefused} */
export async function connectInjected(
  upgraded: Upgraded,
  readAnswer: (response: HttpResponse) => Promise<Injected>,
): Promise<InjectedSocket> {
  if (!(upgraded instanceof SocketSession)) throw new UpgradeRefused(await readAnswer(upgraded))
  return new InjectedConnection(upgraded)
}

interface Reader {
  resolve(message: InjectedMessage): void
  reject(error: Error): void
}

class InjectedConnection implements InjectedSocket {
  readonly protocol: string
  readonly closed: Promise<number>
  readonly #session: SocketSession
  readonly #messages: InjectedMessage[] = []
  readonly #readers: Reader[] = []
  #closeCode: number | null = null

  constructor(session: SocketSession) {
    this.#session = session
    this.protocol = session.protocol
    this.closed = session.ended.then(() => this.#closeCode as number)
    session.open({
      send: (data) => this.#push(data),
      unreadBytes: () => 0,
      ping: () => session.onPong(),
      close: (code) => this.#end(code),
      terminate: () => this.#end(CLOSE_CODES.abnormal),
    })
  }

  send(message: string | Uint8Array | object): void {
    if (this.#closeCode !== null) throw new Error(`The connection is closed with code ${this.#closeCode}.`)
    const isBinary = message instanceof Uint8Array
    const isRaw = typeof message === 'string' || isBinary
    this.#session.onMessage(Buffer.from(isRaw ? (message as string) : JSON.stringify(message)), isBinary)
  }

  next(): Promise<InjectedMessage> {
    const message = this.#messages.shift()
    if (message) return Promise.resolve(message)
    return new Promise((resolve, reject) => {
      if (this.#closeCode !== null) reject(closedError(this.#closeCode))
      else this.#readers.push({ resolve, reject })
    })
  }

  async close(code: number = CLOSE_CODES.normal): Promise<void> {
    this.#end(code)
    this.#session.onClosed(code)
    await this.#session.ended
  }

  #push(data: string | Uint8Array): void {
    const bytes = Buffer.from(data as string)
    const text = (): string => bytes.toString('utf8')
    const message = { isBinary: typeof data !== 'string', bytes, text, json: () => JSON.parse(text()) }
    const reader = this.#readers.shift()
    if (reader) reader.resolve(message)
    else this.#messages.push(message)
  }

  #end(code: number): void {
    this.#closeCode ??= code
    for (const { reject } of this.#readers.splice(0)) reject(closedError(this.#closeCode))
  }
}

function closedError(code: number): Error {
  return new Error(`The connection is closed with code ${code}.`)
}
