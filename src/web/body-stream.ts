/** Carries a request body from an adapter to a handler that reads it while it arrives. Knows no server. */
import { tooLargeError, webError } from './errors.ts'

/** Maximum time in which no part of a body arrives although the handler waits for one. */
export const BODY_IDLE_MS = 30_000

/** Bytes that wait for the handler before the client is held back. */
const HIGH_WATER_BYTES = 65_536

/** Input of an adapter that can be held back. Either call may be repeated. */
export interface BodySource {
  pause(): void
  resume(): void
}

/** Request body that arrives in parts. An adapter pushes the parts, and the handler reads them. */
export class BodyStream {
  /** Parts for the handler, which ends with an error if the body is incomplete. All readers share this one iterator. */
  readonly parts: AsyncGenerator<Uint8Array, void> = this.#read()
  /** Called once when the body has arrived, or no more of it can come. */
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

  /** Returns the stream of a request without a body. */
  static empty(): BodyStream {
    const body = new BodyStream(0, { pause() {}, resume() {} })
    body.end()
    return body
  }

  /** True until the body is whole, or its rest is refused. */
  get isArriving(): boolean {
    return this.#end === null
  }

  /** False when bytes of the body may still be on the connection, which then cannot be used again. */
  get isWhole(): boolean {
    return this.#end === 'whole'
  }

  /** Error that the handler gets or got; null without one. */
  get failure(): Error | null {
    return this.#end === 'whole' ? null : this.#end
  }

  /** Bytes that have arrived and that the handler has not taken. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  /** Adds a part. @param part is kept, so its memory must not be used again */
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

  /** Ends the body, because all of it has arrived. */
  end(): void {
    if (this.#end !== null) return
    this.#end = 'whole'
    this.onEnd()
    this.#wake?.()
  }

  /** Ends the body with an error for the handler, unless it is whole. Drops the parts that wait. */
  fail(error: Error): void {
    if (this.#end !== null) return
    this.#end = error
    this.onEnd()
    this.#source.pause()
    this.#take()
    this.#wake?.()
  }

  /** Ends the body because no more of it is wanted or can come: the client left, or was answered. */
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

  /** Waits until a part arrives or the body ends. @throws never: a body that stays away fails */
  async #arrival(): Promise<void> {
    const slow = setTimeout(() => {
      this.fail(webError('slow-request', 'The body did not arrive in time. Send it again.'))
    }, BODY_IDLE_MS)
    const arrived = new Promise<void>((resolve) => {
      // The handler continues in the next turn of the event loop: outside of the calls of an adapter's parser, and with all
      // parts that one packet holds.
      this.#wake = () => setImmediate(resolve)
    })
    this.#source.resume()
    await arrived
    this.#wake = null
    clearTimeout(slow)
  }
}
