/** Encodes the items of a streamed response. The first item decides the media type. Knows no server and no handler. */
import { Readable } from 'node:stream'
import { isRawJson, isReply, Reply } from './endpoint.ts'
import { jsonOf } from './json.ts'
import type { Call, Chunk } from './types.ts'

/** Media types by the kind of the items. */
export const STREAM_TYPES = {
  bytes: 'application/octet-stream',
  text: 'text/plain; charset=utf-8',
  values: 'application/x-ndjson',
} as const

/** Media type of a stream that cannot be incomplete. */
export const EVENT_STREAM = 'text/event-stream'

type Kind = keyof typeof STREAM_TYPES

/** Returns whether a value is a stream, such as the generator of `async *GET()`. */
export function isStream<T = unknown>(value: unknown): value is AsyncIterable<T> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/**
 * Reads the first item of a stream without a media type, and returns a reply whose type follows from the item. Returns
 * any other result unchanged. HEAD reads no stream, so its response then has no type.
 *
 * The promise rejects with an error before the first item, so the error is answered like any error of the handler.
 *
 * @param media media type that the class declares; null for none
 */
export function typedByFirstItem<T>(result: T, media: string | null, call: Call): T | Promise<Reply> {
  const value = isReply(result) ? result.value : result
  if (!isStream(value) || media !== null || call.method === 'HEAD') return result
  const reply = isReply(result) ? result : new Reply(200, value)
  const names = Object.keys(reply.options.headers ?? {})
  const hasBody = reply.status !== 204 && reply.status !== 304
  if (!hasBody || names.some((name) => name.toLowerCase() === 'content-type')) return result
  return openedReply(reply, StreamBody.of(value), call.signal)
}

async function openedReply(
  { status, options }: Reply,
  body: StreamBody,
  signal: AbortSignal,
): Promise<Reply> {
  const kind = await body.readFirst(signal)
  if (kind === 'none') return new Reply(status, undefined, options)
  // The peer left before the first item. The adapter closes this stream like any other.
  if (kind === 'unknown') return new Reply(status, body, options)
  const headers = { 'content-type': STREAM_TYPES[kind], ...options.headers }
  return new Reply(status, body, { ...options, headers })
}

/** Closes the stream of a result that is not sent, if the stream was opened. */
export function closeUnsent(result: unknown): void {
  const value = isReply(result) ? result.value : result
  if (value instanceof StreamBody) value.return().catch(() => {})
}

/**
 * Body of a streamed response. Bytes and text are sent unchanged; any other item becomes a line of JSON. After {@link
 * readFirst} all items must be of one kind.
 */
export class StreamBody implements AsyncIterable<Chunk>, AsyncIterator<Chunk> {
  readonly #source: AsyncIterable<unknown>
  #iterator: AsyncIterator<unknown> | null = null
  /** Encoded first item, between its read and its write. */
  #first: Chunk | null = null
  /** Kind of all items; null if a content type was declared, so that bytes and text may alternate. */
  #kind: Kind | null = null

  private constructor(source: AsyncIterable<unknown>) {
    this.#source = source
  }

  static of(source: AsyncIterable<unknown>): StreamBody {
    return source instanceof StreamBody ? source : new StreamBody(source)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /**
   * Reads the first item. Returns its kind, `none` for a stream without items, and `unknown` if the peer leaves before it.
   *
   * @param signal aborts when the peer leaves
   */
  async readFirst(signal: AbortSignal): Promise<Kind | 'none' | 'unknown'> {
    if (this.#kind !== null) return this.#kind
    const next = await untilAbort(() => this.#opened().next(), signal)
    if (next === null) return 'unknown'
    if (next.done) return 'none'
    this.#kind = kindOf(next.value)
    try {
      this.#first = this.#encode(next.value)
    } catch (error) {
      closeUnsent(this)
      throw error
    }
    return this.#kind
  }

  async next(): Promise<IteratorResult<Chunk>> {
    if (this.#first !== null) {
      const value = this.#first
      this.#first = null
      return { done: false, value }
    }
    const { done, value } = await this.#opened().next()
    return done ? { done: true, value: undefined } : { done: false, value: this.#encode(value) }
  }

  async return(): Promise<IteratorResult<Chunk>> {
    // The iterator of a Node stream destroys the stream only after a first read, and an open file would leak.
    if (this.#source instanceof Readable && this.#iterator === null)
      this.#source.on('error', () => {}).destroy()
    await this.#opened().return?.()
    return { done: true, value: undefined }
  }

  #opened(): AsyncIterator<unknown> {
    this.#iterator ??= this.#source[Symbol.asyncIterator]()
    return this.#iterator
  }

  #encode(item: unknown): Chunk {
    const kind = kindOf(item)
    if (this.#kind !== null && kind !== this.#kind) {
      throw new TypeError(
        `A stream began with ${this.#kind} and continues with ${kind}. Yield one kind, or set a content-type.`,
      )
    }
    return kind === 'values' ? lineOf(item) : (item as Chunk)
  }
}

/** Returns the result of a read, or null when the signal aborts first. */
async function untilAbort<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null
  let leave = (): void => {}
  const left = new Promise<null>((resolve) => {
    leave = () => resolve(null)
  })
  signal.addEventListener('abort', leave)
  try {
    return await Promise.race([read(), left])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

function kindOf(item: unknown): Kind {
  if (typeof item === 'string') return 'text'
  return item instanceof Uint8Array ? 'bytes' : 'values'
}

/** Returns a value as a line of JSON. In valid JSON a line break is only ever white space between tokens. */
function lineOf(item: unknown): string {
  const text = jsonOf(item)
  return `${isRawJson(item) ? text.replace(/[\r\n]+/g, ' ') : text}\n`
}
