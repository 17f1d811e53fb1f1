/** Calls the methods of a handler class for one WebSocket, one at a time. Knows no server and no tree. */
import { type Endpoint, type EndpointClass, isHttpError } from './endpoint.ts'
import { errorResponse, webError } from './errors.ts'
import type { Handler } from './handler.ts'
import { messageKeywords } from './keywords.ts'
import { isPromise, type RequestCall, type RequestHost } from './routed-request.ts'
import { SocketOutput } from './socket-output.ts'
import type { Verb } from './verb.ts'
import { CLOSE_CODES, SOCKET_LIMITS, type WebSocketConnection } from './web-sockets.ts'

interface Message {
  readonly data: Uint8Array
  readonly isBinary: boolean
}

/** Bytes that a queued message counts in addition to its size, because an empty message needs memory too. */
const MESSAGE_OVERHEAD_BYTES = 128

/** Calls a function at an interval. Returns a function that stops the calls. */
export type Every = (intervalMs: number, run: () => void) => () => void

/**
 * WebSocket connection of a handler class. An adapter gets it after CONNECT has run, and then calls either `open` or
 * `abandon`.
 */
export class SocketSession {
  /** Selected subprotocol; empty when there is none. */
  readonly protocol: string
  /** Resolves after DISCONNECT. */
  readonly ended: Promise<void>
  readonly #app: Pick<RequestHost, 'report'>
  readonly #handler: Handler
  readonly #call: RequestCall
  readonly #every: Every
  readonly #instance: Endpoint
  readonly #output: SocketOutput
  #waiting: Message[] = []
  #waitingBytes = 0
  /** True while a method runs, CONNECT included. */
  #isBusy = true
  #unansweredPings = 0
  #endPings = (): void => {}
  #closeCode: number | null = null
  #onEnded = (): void => {}

  /** @param onClose called when either side begins to close */
  constructor(
    app: Pick<RequestHost, 'report'>,
    handler: Handler,
    services: object,
    call: RequestCall,
    protocol: string,
    every: Every,
    onClose: () => void,
  ) {
    this.#app = app
    this.#handler = handler
    this.#call = call
    this.protocol = protocol
    this.#every = every
    this.#output = new SocketOutput(protocol, (code) => {
      this.#onClose(code)
      onClose()
    })
    this.#instance = new (handler.endpoint as EndpointClass)(services, call, this.#output)
    this.ended = new Promise((resolve) => {
      this.#onEnded = resolve
    })
  }

  connect(args: readonly unknown[]): unknown {
    return (this.#handler.verbs.get('CONNECT') as Verb).method.apply(this.#instance, [...args])
  }

  open(connection: WebSocketConnection): void {
    if (this.#closeCode === null)
      this.#endPings = this.#every(SOCKET_LIMITS.pingIntervalMs, () => this.#ping(connection))
    this.#output.open(connection)
    void this.#work()
  }

  /** Ends a session whose peer left before the upgrade. */
  abandon(): void {
    this.#output.onClosed(CLOSE_CODES.abnormal)
    void this.#work()
  }

  /** Queues a message for MESSAGE, which handles one at a time. */
  onMessage(data: Uint8Array, isBinary: boolean): void {
    this.#unansweredPings = 0
    if (this.#closeCode !== null) return
    this.#waitingBytes += data.length + MESSAGE_OVERHEAD_BYTES
    this.#waiting.push({ data, isBinary })
    if (data.length > SOCKET_LIMITS.messageBytes) this.close(CLOSE_CODES.messageTooBig)
    else if (this.#waitingBytes > SOCKET_LIMITS.waitingBytes) this.close(CLOSE_CODES.tryAgainLater)
    else if (!this.#isBusy) void this.#work()
  }

  /** Records a ping, which the adapter answers. */
  onPing(): void {
    this.#output.checkUnread()
  }

  onPong(): void {
    this.#unansweredPings = 0
  }

  /** Records that the peer closed the connection. Messages that arrived earlier are still handled. */
  onClosed(code: number): void {
    this.#output.onClosed(code)
  }

  /** Closes the connection and drops queued messages. */
  close(code: number): void {
    this.#waiting = []
    this.#output.end(code)
  }

  #onClose(code: number): void {
    this.#closeCode = code
    this.#endPings()
    if (!this.#isBusy) void this.#work()
  }

  #ping(connection: WebSocketConnection): void {
    if (this.#unansweredPings++ >= SOCKET_LIMITS.unansweredPings) this.#output.terminate()
    else connection.ping()
  }

  /** Handles the queued messages, then calls DISCONNECT if the connection is closed. */
  async #work(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#waitingBytes -= next.data.length + MESSAGE_OVERHEAD_BYTES
      const pending = this.#handle(next)
      if (pending) await pending
    }
    this.#isBusy = false
    if (this.#closeCode !== null) await this.#disconnect(this.#closeCode)
  }

  async #disconnect(code: number): Promise<void> {
    this.#isBusy = true
    try {
      await this.#handler.socket?.disconnect?.method.apply(this.#instance, [code])
    } catch (error) {
      this.#app.report(error, `DISCONNECT ${this.#call.path}`)
    }
    this.#onEnded()
  }

  /** Calls MESSAGE. Returns a promise if MESSAGE does. */
  #handle(message: Message): Promise<void> | undefined {
    try {
      const args = this.#argumentsOf(message)
      if (args === null) return undefined
      const result = this.#handler.socket?.message?.method.apply(this.#instance, args)
      if (isPromise(result)) return this.#awaitAnswer(result)
      this.#answer(result)
    } catch (error) {
      this.#fail(error)
    }
    return undefined
  }

  async #awaitAnswer(result: PromiseLike<unknown>): Promise<void> {
    try {
      this.#answer(await result)
    } catch (error) {
      this.#fail(error)
    }
  }

  #answer(value: unknown): void {
    if (value !== undefined) this.#output.send(value)
  }

  #fail(error: unknown): void {
    this.#app.report(error, `MESSAGE ${this.#call.path}`)
    this.close(CLOSE_CODES.unexpected)
  }

  /** Returns the arguments of MESSAGE. Answers a bad message itself and returns null. */
  #argumentsOf({ data, isBinary }: Message): unknown[] | null {
    try {
      const verb = this.#handler.socket?.message
      if (!verb) throw webError('bad-request', 'This WebSocket takes no messages. Only read from it.')
      const { signature, keywords: validator } = verb
      if (signature.keywords === null) return [isBinary ? data : Buffer.from(data).toString('utf8')]
      if (isBinary) throw webError('bad-json', 'The message is binary. Send JSON as text.')
      return [messageKeywords(data, signature, validator)]
    } catch (error) {
      if (!isHttpError(error)) throw error
      this.#output.sendText(errorResponse(error.status, error.message).body as string)
      return null
    }
  }
}
