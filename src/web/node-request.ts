/** A request of node:http: what an application reads of its head, and what node's parser should have refused. */
import type { IncomingMessage } from 'node:http'
import { endsConnection, lengthOf, type RequestHead } from './http.ts'

export class NodeRequestHead implements RequestHead {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly length: number | null
  readonly #req: IncomingMessage
  closed = false

  constructor(req: IncomingMessage) {
    const target = req.url as string
    const at = target.indexOf('?')
    this.#req = req
    this.method = req.method as string
    this.path = at < 0 ? target : target.slice(0, at)
    this.query = at < 0 ? '' : target.slice(at + 1)
    this.length = lengthOf(req.headers)
  }

  header(name: string): string | undefined {
    if (this.closed) throw new Error('A header was read after route.')
    const value = this.#req.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  remote(): string {
    return this.#req.socket.remoteAddress ?? ''
  }
}

/** What the parser lets through though RFC 9112 (sections 2.3, 3.2, 6.1) calls for a refusal; null: nothing. */
export function problemOf({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Only HTTP/1.1 is spoken here.'
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return 'The request has more than one Host header.'
  if (hosts === 0 && httpVersion === '1.1') return 'The request has no Host header.'
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.toLowerCase() === 'chunked') return null
  return `The transfer coding "${coding}" is not understood, only chunked.`
}

/** Node keeps the first in silence. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && endsConnection(lengthOf(headers))
}

/** The request as it was but for its wish to upgrade. */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!/^upgrade$/i.test(rawHeaders[i] as string)) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
