/** One request of uWebSockets.js, from its head to its answer: what is read of it, and what the engine should have refused. */
import type * as Uws from 'uWebSockets.js'
import type { RequestHead } from './http.ts'

/*
 * The headers of the request that the engine is calling for, which is one at a time: name, value, name, value. Read in one
 * pass, as each call into the engine costs more than the search here, and by what is built in: the engine calls a
 * function of ours at twice the cost.
 */
const headers: string[] = []
const addHeader: (name: string, value: string) => unknown = headers.push.bind(headers)

/** One request, from its head to its answer. */
export class Exchange implements RequestHead {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly res: Uws.HttpResponse
  /** Known once {@link check} found no problem. */
  length: number | null = 0
  /** No header may be read any more. */
  closed = false
  /** The peer left, or everything was sent: `res` must not be touched any more. */
  finished = false
  /** Called when the peer leaves. */
  onAborted: (() => void) | null = null
  /** Its index among the requests that wait for their answer; -1: it is none of them. */
  index = -1

  constructor(res: Uws.HttpResponse, req: Uws.HttpRequest, method: string) {
    this.method = method
    this.path = req.getUrl()
    this.query = req.getQuery() ?? ''
    this.res = res
    headers.length = 0
    req.forEach(addHeader)
  }

  get request(): string {
    return `${this.method} ${this.path}`
  }

  header(name: string): string | undefined {
    if (this.closed) throw new Error('A header was read after route.')
    for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1] || undefined
    return undefined
  }

  remote(): string {
    return this.finished ? '' : Buffer.from(this.res.getRemoteAddressAsText()).toString('latin1')
  }

  /**
   * What the engine lets through though RFC 9112 (sections 3.2, 5, 6) calls for a refusal; null: nothing. What it
   * would not refuse may be read in another way by a proxy before it, which is how requests are smuggled.
   */
  check(): string | null {
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
    if (hosts > 1) return 'The request has more than one Host header.'
    if (framings > 1) return 'The request frames its body twice (Content-Length, Transfer-Encoding).'
    if (coding !== null && coding !== 'chunked') {
      return `The transfer coding "${coding}" is not understood, only chunked.`
    }
    if (framings > 0 && !/^\d+$/.test(length)) return 'The Content-Length is no number.'
    if (NOT_IN_TARGET.test(this.path) || (this.query !== '' && NOT_IN_TARGET.test(this.query))) {
      return 'The request target has a character that must be percent-encoded.'
    }
    this.length = coding === null ? Number(length) : null
    return null
  }
}

/** RFC 3986 section 2: anything but visible ASCII is percent-encoded. */
const NOT_IN_TARGET = /[^!-~]/
