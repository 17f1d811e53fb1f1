/** Adapts a request of node:http to the application, and performs the checks that Node's parser omits. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyLengthOf, exceedsDropLimit } from './http.ts'
import { ObservedHead } from './observe.ts'
import type { ClientAddress, Observe, RequestHead } from './types.ts'

/** Head of a node:http request, with the request and its response. */
export class NodeRequestHead extends ObservedHead implements RequestHead {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly method: string
  readonly path: string
  readonly query: string
  readonly length: number | null
  readonly #clientAddress: ClientAddress | undefined
  readonly #streams: Set<NodeRequestHead> | undefined
  #aborted: AbortController | null = null
  /** True after `route` has returned: headers can no longer be read. */
  headersClosed = false

  /** @param streams requests of the server whose answers are streams; absent for a WebSocket */
  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    clientAddress: ClientAddress | undefined,
    observe: Observe | undefined,
    streams?: Set<NodeRequestHead>,
  ) {
    super(observe)
    const target = req.url as string
    const at = target.indexOf('?')
    this.req = req
    this.res = res
    this.#clientAddress = clientAddress
    this.#streams = streams
    this.method = req.method as string
    this.path = at < 0 ? target : target.slice(0, at)
    this.query = at < 0 ? '' : target.slice(at + 1)
    this.length = bodyLengthOf(req.headers)
  }

  /** Method and target of the request, for log messages. */
  get request(): string {
    return `${this.method} ${this.req.url}`
  }

  header(name: string): string | undefined {
    if (this.headersClosed) throw new Error('A header was read after route.')
    return headerOf(this.req, name)
  }

  remote(): string {
    return clientAddressOf(this.req, this.#clientAddress)
  }

  signal(): AbortSignal {
    this.#aborted ??= this.#abortOnClose(new AbortController())
    return this.#aborted.signal
  }

  beginStream(): void {
    this.#streams?.add(this)
    this.res.once('close', () => this.#streams?.delete(this))
  }

  /** Aborts the signal although the peer is connected. */
  stop(): void {
    this.signal()
    this.#aborted?.abort()
  }

  #abortOnClose(controller: AbortController): AbortController {
    const { req, res } = this
    if (req.socket.destroyed && !res.writableFinished) controller.abort()
    else
      res.once('close', () => {
        if (!res.writableFinished) controller.abort()
      })
    return controller
  }
}

/** Returns the value of a header, or undefined. @param name in lower case */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Returns the address of the client of a request. Empty if the peer has disconnected. */
export function clientAddressOf(
  { socket: { remoteAddress: peer = '' }, headers }: IncomingMessage,
  clientAddress: ClientAddress | undefined,
): string {
  if (!clientAddress || peer === '') return peer
  return clientAddress(peer, String(headers['x-forwarded-for'] ?? ''))
}

/**
 * Returns the reason for which RFC 9112 (sections 2.3, 3.2, 6.1) forbids a request that Node's parser accepted; null
 * for a valid request.
 */
export function findRequestProblem({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return 'The HTTP version is not supported. Use HTTP/1.1.'
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return 'The request has more than one Host header. Send one.'
  if (hosts === 0 && httpVersion === '1.1') return 'The request has no Host header. Send one.'
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.toLowerCase() === 'chunked') return null
  return `The transfer coding "${coding}" is not understood. Use chunked.`
}

/** Counts the Host headers. `req.headers` has only the first. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/** Returns whether the request has an unread body that is too long to drop, or of unknown length. */
export function hasLongUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && exceedsDropLimit(bodyLengthOf(headers))
}

export function serializeWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!/^upgrade$/i.test(rawHeaders[i] as string)) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
