/** Ends a streamed response when the access of its reader ends. Knows no adapter and no credentials. */
import { Readable } from 'node:stream'
import type { Held } from '../auth/held.ts'

/** Error of a stream whose reader lost access. The adapters cut the connection and log nothing. */
export class AccessEnded extends Error {
  constructor() {
    super('The access of the reader has ended.')
    this.name = 'AccessEnded'
  }
}

/**
 * Stream that lasts as long as the access of its reader. When the access ends, an event stream ends; any other stream
 * fails, so that the reader does not take the received part for the whole.
 */
export class HeldStream implements AsyncIterable<unknown>, AsyncIterator<unknown> {
  readonly #source: AsyncIterable<unknown>
  readonly #hold: (end: () => void) => Held
  readonly #endsWell: boolean
  readonly #ended: Promise<'ended'>
  #iterator: AsyncIterator<unknown> | null = null
  #held: Held | null = null
  #end!: () => void

  /** @param endsWell true for an event stream, which cannot be incomplete */
  constructor(source: AsyncIterable<unknown>, hold: (end: () => void) => Held, endsWell: boolean) {
    this.#source = source
    this.#hold = hold
    this.#endsWell = endsWell
    this.#ended = new Promise((resolve) => {
      this.#end = () => {
        resolve('ended')
        // A slow reader would otherwise keep the source open.
        this.return().catch(() => {})
      }
    })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<unknown>> {
    this.#held ??= this.#hold(this.#end)
    this.#iterator ??= this.#source[Symbol.asyncIterator]()
    const next = await Promise.race([this.#iterator.next(), this.#ended])
    if (next === 'ended' || !this.#held.holds()) return this.#over()
    if (next.done) this.#held.release()
    return next
  }

  async return(): Promise<IteratorResult<unknown>> {
    this.#held?.release()
    // The iterator of a Node stream destroys the stream only after a first read, and an open file would leak.
    if (this.#source instanceof Readable && this.#iterator === null)
      this.#source.on('error', () => {}).destroy()
    this.#iterator ??= this.#source[Symbol.asyncIterator]()
    await this.#iterator.return?.()
    return { done: true, value: undefined }
  }

  #over(): IteratorResult<unknown> {
    // Not awaited: `return` of a generator resolves only after the promise that the generator awaits.
    this.return().catch(() => {})
    if (this.#endsWell) return { done: true, value: undefined }
    throw new AccessEnded()
  }
}
