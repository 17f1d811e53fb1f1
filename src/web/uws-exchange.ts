/** Adapts a request of uWebSockets.js to the application, and performs the checks that its parser omits. */
import type * as Uws from 'uWebSockets.js'
import type { BodyStream } from './body-stream.ts'
import { ObservedHead } from './observe.ts'
import type { ClientAddress, Observe, RequestHead } from './types.ts'

/*
 * Headers of the current request: name, value, name, value. uWebSockets.js reports one request at a time, so one list is
 * enough. All headers are read in one pass, because a call into the engine per header costs more than a search in this
 * list. The callback is a bound built-in, because a function written here doubles the cost.
 */
const headers: string[] = []
const addHeader: (name: string, value: string) => unknown = headers.push.bind(headers)

export class Exchange extends ObservedHead implements RequestHead {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly res: Uws.HttpResponse
  /** Valid after {@link validate} found no problem. */
  length: number | null = 0
  /** True after `route` has returned: headers can no longer be read. */
  headersClosed = false
  /** True after the peer has disconnected or the response was sent. uWebSockets.js then forbids any use of `res`. */
  finished = false
  /** True after the last byte of the body. */
  isBodyRead = false
  /** Streamed body; null for a request without one. */
  streamedBody: BodyStream | null = null
  /** True while a streamed response waits for the client to read. */
  waitsForClient = false
  /** True when the answer is a stream. */
  isStream = false
  /** Called once when the peer has disconnected. */
  onGone: (() => void) | null = null
  #aborted: AbortController | null = null
  readonly #clientAddress: ClientAddress | undefined
  readonly #forwardedFor: string
  /** Index in the server's list of open exchanges; -1 if it is not in the list. */
  index = -1

  constructor(
    res: Uws.HttpResponse,
    req: Uws.HttpRequest,
    method: string,
    clientAddress: ClientAddress | undefined,
    observe: Observe | undefined,
  ) {
    super(observe)
    this.method = method
    this.path = req.getUrl()
    this.query = req.getQuery() ?? ''
    this.res = res
    // Setting the length to 0 would cost a call of V8's runtime, and the memory of the list.
    while (headers.length > 0) headers.pop()
    req.forEach(addHeader)
    this.#clientAddress = clientAddress
    this.#forwardedFor = clientAddress ? forwardedForOf(req) : ''
  }

  get request(): string {
    return `${this.method} ${this.path}`
  }

  header(name: string): string | undefined {
    if (this.headersClosed) throw new Error('A header was read after route.')
    for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1] || undefined
    return undefined
  }

  remote(): string {
    if (this.finished) return ''
    const peer = Buffer.from(this.res.getRemoteAddressAsText()).toString('latin1')
    return this.#clientAddress?.(peer, this.#forwardedFor) ?? peer
  }

  signal(): AbortSignal {
    this.#aborted ??= new AbortController()
    return this.#aborted.signal
  }

  beginStream(): void {
    this.isStream = true
  }

  /** Aborts the signal although the peer is connected. */
  stop(): void {
    this.#aborted ??= new AbortController()
    this.#aborted.abort()
  }

  /** Called when the peer has disconnected. */
  abort(): void {
    this.stop()
    this.onGone?.()
  }

  /**
   * Returns the reason for which RFC 9112 (sections 3.2, 5, 6) forbids a request that the parser accepted; null for a
   * valid request. A proxy in front may read an invalid request differently, which permits request smuggling. Sets
   * `length`.
   */
  validate(): string | null {
    let hosts = 0
    let framings = 0
    let coding: string | null = null
    let length = '0'
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i]
      if (name === 'host') hosts++
      else if (name === 'content-length') {
        framings++
        length = headers[i + 1] as string
      } else if (name === 'transfer-encoding') {
        framings++
        coding = (headers[i + 1] as string).toLowerCase()
      }
    }
    if (hosts > 1) return 'The request has more than one Host header. Send one.'
    if (framings > 1)
      return 'The request has two framings of its body. Send one of Content-Length and Transfer-Encoding.'
    if (coding !== null && coding !== 'chunked') {
      return `The transfer coding "${coding}" is not understood. Use chunked.`
    }
    if (framings > 0 && !/^\d+$/.test(length))
      return 'The Content-Length is no number. Send the bytes of the body.'
    if (NEEDS_ENCODING.test(this.path) || (this.query !== '' && NEEDS_ENCODING.test(this.query))) {
      return 'The request target has a character that is not allowed. Percent-encode it.'
    }
    this.length = coding === null ? Number(length) : null
    return null
  }
}

/** Returns all values of X-Forwarded-For, joined by commas. `getHeader` would return only one. */
export function forwardedForOf(req: Uws.HttpRequest): string {
  const values: string[] = []
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') values.push(value)
  })
  return values.join(',')
}

/** Matches a character that must be percent-encoded: all but visible ASCII (RFC 3986 section 2). */
const NEEDS_ENCODING = /[^!-~]/
