/** Encodes server-sent events (HTML standard, section 9.2). Knows no server and no adapter. */
import { Reply } from './endpoint.ts'
import { type Every, everyInterval } from './every.ts'
import { jsonOf } from './json.ts'
import { EVENT_STREAM } from './streamed.ts'
import type { Call } from './types.ts'

/**
 * Event of an {@link EventStream}. An `EventSource` ignores an event without `data`, but takes its `id` and `retry`.
 *
 * @example
 * ```ts
 * const event: ServerSentEvent = { event: 'note', id: 7, data: { text: 'hello' } }
 * ```
 */
export interface ServerSentEvent {
  /** Name for which the page adds a listener. Default: `message`. */
  readonly event?: string
  /** Id, in printable ASCII, that an `EventSource` sends as `Last-Event-ID` when it connects again. */
  readonly id?: string | number
  /** Milliseconds after which an `EventSource` connects again. */
  readonly retry?: number
  /** Text, which is sent as it is, or any other value, which is sent as JSON. */
  readonly data?: unknown
}

/**
 * Options of an {@link EventStream}.
 *
 * @example
 * ```ts
 * const options: EventStreamOptions = { heartbeatMs: 30_000, retry: 5_000 }
 * ```
 */
export interface EventStreamOptions {
  /** Milliseconds between two comments, which keep proxies from closing a silent connection. Default: 15,000. */
  readonly heartbeatMs?: number
  /** Milliseconds after which an `EventSource` connects again. Default: the browser decides. */
  readonly retry?: number
  /** Timer of the heartbeat, for tests. */
  readonly every?: Every
}

const HEARTBEAT_MS = 15_000

/** Headers of the answer. nginx reads `x-accel-buffering`, and would otherwise hold events back. */
const HEADERS = { 'content-type': EVENT_STREAM, 'cache-control': 'no-store', 'x-accel-buffering': 'no' }

/**
 * Reply that sends the events of a source as `text/event-stream`. It ends with its source, when the client leaves, and when
 * the server stops, even if the source is waiting for something. The source is then closed: its `finally` runs
 * when it continues.
 *
 * @example
 * ```ts
 * class Ticks extends Endpoint {
 *   GET() {
 *     return new EventStream(this.call, this.#ticks())
 *   }
 *   async *#ticks() {
 *     for (let id = 1; ; id++) {
 *       yield { id, data: { at: Date.now() } }
 *       await new Promise((resolve) => setTimeout(resolve, 1_000))
 *     }
 *   }
 * }
 * ```
 */
export class EventStream extends Reply {
  constructor(
    call: Pick<Call, 'signal'>,
    source: AsyncIterable<ServerSentEvent>,
    options: EventStreamOptions = {},
  ) {
    super(200, new EncodedEvents(source, call.signal, options), { headers: HEADERS })
  }
}

const OVER: IteratorReturnResult<undefined> = { done: true, value: undefined }
const HEARTBEAT = ':\n\n'

/** Text of an event stream. At most one read of the source is pending, and nothing is read ahead. */
class EncodedEvents implements AsyncIterable<string>, AsyncIterator<string> {
  readonly #source: AsyncIterator<ServerSentEvent>
  readonly #signal: AbortSignal
  readonly #heartbeatMs: number
  readonly #every: Every
  /** Text to send before the next event; empty without any. */
  #due: string
  #isReading = false
  /** Result of the last read; null before it, and after it is sent. */
  #read: (() => IteratorResult<ServerSentEvent>) | null = null
  #isOver = false
  #stopHeartbeat: (() => void) | null = null
  #wake = (): void => {}

  constructor(
    source: AsyncIterable<ServerSentEvent>,
    signal: AbortSignal,
    { heartbeatMs = HEARTBEAT_MS, retry, every = everyInterval }: EventStreamOptions,
  ) {
    this.#source = source[Symbol.asyncIterator]()
    this.#signal = signal
    this.#heartbeatMs = heartbeatMs
    this.#every = every
    this.#due = retry === undefined ? '' : textOf({ retry })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#stopHeartbeat === null) this.#begin()
    if (!this.#isReady() && !this.#isReading) void this.#readSource()
    while (!this.#isReady()) {
      await new Promise<void>((wake) => {
        this.#wake = wake
      })
    }
    if (this.#isOver) return OVER
    const due = this.#due
    this.#due = ''
    if (due !== '') return { done: false, value: due }
    const read = this.#read as () => IteratorResult<ServerSentEvent>
    this.#read = null
    try {
      const { done, value } = read()
      if (!done) return { done: false, value: textOf(value) }
    } catch (error) {
      this.#end()
      this.#closeSource()
      throw error
    }
    this.#end()
    return OVER
  }

  async return(): Promise<IteratorResult<string>> {
    const wasOver = this.#isOver
    this.#end()
    if (!wasOver) await this.#source.return?.()
    return OVER
  }

  #begin(): void {
    this.#stopHeartbeat = this.#every(this.#heartbeatMs, () => {
      this.#due ||= HEARTBEAT
      this.#wake()
    })
    if (this.#signal.aborted) this.#abort()
    else this.#signal.addEventListener('abort', this.#abort, { once: true })
  }

  readonly #abort = (): void => {
    if (this.#isOver) return
    this.#end()
    this.#closeSource()
  }

  #isReady(): boolean {
    return this.#isOver || this.#due !== '' || this.#read !== null
  }

  async #readSource(): Promise<void> {
    this.#isReading = true
    try {
      const result = await this.#source.next()
      this.#read = () => result
    } catch (error) {
      this.#read = () => {
        throw error
      }
    }
    this.#isReading = false
    this.#wake()
  }

  #end(): void {
    this.#isOver = true
    this.#stopHeartbeat?.()
    this.#signal.removeEventListener('abort', this.#abort)
    this.#wake()
  }

  /** Closes the source. Not awaited: `return` of a generator resolves only after the promise that the generator awaits. */
  #closeSource(): void {
    Promise.resolve(this.#source.return?.()).catch(() => {})
  }
}

const MEMBERS = ['event', 'id', 'retry', 'data']
const LINE_BREAK = /\r\n|\r|\n/
/** Matches an id that a browser would not send back unchanged in a header. */
const NO_ID = /[^ -~]/

/** Returns the text of one event. @throws {TypeError} for an event that a client would not understand */
function textOf(given: ServerSentEvent): string {
  const found: unknown = given
  if (typeof found !== 'object' || found === null)
    throw new TypeError(`An event stream yielded ${String(found)}. Yield an object such as { data: … }.`)
  const unknown = Object.keys(found).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined)
    throw new TypeError(`An event has the member "${unknown}". It may have ${MEMBERS.join(', ')}.`)
  const { event, id, retry, data } = given
  let text = ''
  if (event !== undefined) text += `event: ${checked('event', event, LINE_BREAK)}\n`
  if (id !== undefined) text += `id: ${checked('id', String(id), NO_ID)}\n`
  if (retry !== undefined) {
    if (!Number.isSafeInteger(retry) || retry < 0)
      throw new TypeError(`An event has retry ${retry}; it must be whole milliseconds.`)
    text += `retry: ${retry}\n`
  }
  if (data !== undefined) {
    for (const line of (typeof data === 'string' ? data : jsonOf(data)).split(LINE_BREAK))
      text += `data: ${line}\n`
  }
  return `${text}\n`
}

function checked(name: string, value: string, forbidden: RegExp): string {
  if (typeof value === 'string' && !forbidden.test(value)) return value
  throw new TypeError(
    `An event has ${name} ${JSON.stringify(value)}, which has a character that is not allowed.`,
  )
}
