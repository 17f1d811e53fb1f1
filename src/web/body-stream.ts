/** Carries a request body from an adapter to a handler while the body arrives. Knows no server. */
import { tooLargeError, webError } from './errors.ts'

/** Maximum time between two parts of a body while the handler waits for one. */
export const BODY_IDLE_MS = 30_000

/** Unread bytes at which the client is paused. */
const HIGH_WATER_BYTES = 65_536

/** Input of an adapter that can be paused and resumed. Repeated calls are harmless. */
export interface BodySource {
  pause(): void
  resume(): void
}

/** Request body that arrives in parts. An adapter pushes the parts, and the handler reads them. */
export class BodyStream {
  /** Parts for the handler. The iterator throws if the body is incomplete. All readers share it. */
  readonly parts: AsyncGenerator<Uint8Array, void> = this.#read()
  /** Called once when the body has ended, complete or not. */
  onEnd: () => void = () => {}
  readonly #limit: number
  readonly #source: BodySource
  #queue: Uint8Array[] = []
  #queuedBytes = 0
  #length = 0
  /** Null while the body is arriving. */
  #end: 'whole' | Error | null = null
  #wake: (() => void) | null = null

  /** @param limit maximum bytes */
  constructor(limit: number, source: BodySource) {
    this.#limit = limit
    this.#source = source
  }

  static empty(): BodyStream {
    const body = new BodyStream(0, { pause() {}, resume() {} })
    body.end()
    return body
  }

  /** True until the body is complete or refused. */
  get isArriving(): boolean {
    return this.#end === null
  }

  /** True if the body is complete. Otherwise the connection may still carry bytes of it, and cannot be reused. */
  get isWhole(): boolean {
    return this.#end === 'whole'
  }

  /** Error of the body for the handler; null without an error. */
  get failure(): Error | null {
    return this.#end === 'whole' ? null : this.#end
  }

  /** Bytes that have arrived and that the handler has not read. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  /** Adds a part. @param part is kept, so the caller must not reuse its memory */
  push(part: Uint8Array): void {
    if (this.#end !== null || part.length === 0) return
    this.#length += part.length
    if (this.#length > this.#limit) {
      this.fail(tooLargeError(this.#limit))
      return
    }
    this.#queue.push(part)
    this.#queuedBytes += part.length
    if (this.#queuedBytes >= HIGH_WATER_BYTES) this.#source.pause()
    this.#wake?.()
  }

  end(): void {
    if (this.#end !== null) return
    this.#end = 'whole'
    this.onEnd()
    this.#wake?.()
  }

  /** Ends the body with an error for the handler, unless it is complete. Drops the unread parts. */
  fail(error: Error): void {
    if (this.#end !== null) return
    this.#end = error
    this.onEnd()
    this.#source.pause()
    this.#take()
    this.#wake?.()
  }

  /** Ends the body early: the client left, or the response is complete. */
  close(): void {
    if (this.#end === null) this.fail(webError('bad-request', 'The request ended before its body was read.'))
  }

  async *#read(): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        if (this.#queuedBytes > 0) yield this.#take()
        else if (this.#end === 'whole') return
        else if (this.#end !== null) throw this.#end
        else await this.#arrival()
      }
    } finally {
      this.close()
    }
  }

  #take(): Uint8Array {
    const parts = this.#queue
    this.#queue = []
    this.#queuedBytes = 0
    return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
  }

  /** Waits until a part arrives or the body ends. @throws never: a timeout fails the body instead */
  async #arrival(): Promise<void> {
    const slow = setTimeout(() => {
      this.fail(webError('slow-request', 'The body did not arrive in time. Send it again.'))
    }, BODY_IDLE_MS)
    const arrived = new Promise<void>((resolve) => {
      // Resume the handler in the next turn of the event loop: outside the callbacks of an adapter's parser, and with
      // all parts of one packet.
      this.#wake = () => setImmediate(resolve)
    })
    this.#source.resume()
    await arrived
    this.#wake = null
    clearTimeout(slow)
  }
}
