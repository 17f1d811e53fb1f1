/** The contract between an HTTP server (an adapter) and the application. Knows no server and no handler. */

import type { Duplex } from 'node:stream'
import type { RoutedRequest } from './routed-request.ts'

/** What an adapter tells of a request before its body is read. */
export interface RequestHead {
  /** The method as sent, case kept (RFC 9110 section 9.1: methods are case-sensitive). */
  readonly method: string
  /** The request target's path, not decoded, without the query. */
  readonly path: string
  /** The raw query, without its question mark; empty when there is none. */
  readonly query: string
  /** Bytes of the body, as declared; 0: it has none; null: it comes in chunks. */
  readonly length: number | null
  /**
   * The value of the header `name` (lower case), or undefined.
   * Throws once `route` has returned: uWebSockets.js frees the request then, and node behaves alike.
   */
  header(name: string): string | undefined
  /** The peer's address as text, while the request waits for its answer; empty when the peer has left. */
  remote(): string
}

export type Chunk = string | Uint8Array

export interface HttpResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Text (sent as UTF-8), bytes, nothing, or a stream that the adapter reads no faster than the peer does. */
  readonly body: Chunk | AsyncIterable<Chunk> | null
  /** Only with a null body: the length of the body that HEAD leaves out; null when that is a stream. */
  readonly length?: number | null
  /** Called exactly once: true when the whole response went to the operating system, false when the peer left before. */
  readonly onSent?: ((sent: boolean) => void) | undefined
}

/** What serves a WebSocket (RFC 6455): its binary messages are one stream of bytes each way. Text ends it. */
export interface WebSocketHandler {
  /** The subprotocols it speaks; a client must offer one. */
  readonly protocols: readonly string[]
  /** @param remote the peer's address */
  open(stream: Duplex, remote: string): void
}

/** The application as an adapter sees it. */
export interface Application {
  /** Decides everything that needs no body: routing, access, declared length. Synchronous; never throws. */
  route(head: RequestHead): HttpResponse | RoutedRequest
  /** What serves WebSockets on this path, for an application that has any; an upgrade elsewhere is a plain request. */
  socket?(path: string): WebSocketHandler | null
  /** Says in the log what should never happen, before the adapter answers 500. */
  report(error: unknown, what: string): void
}

/** A listening server. */
export interface Server {
  readonly host: string
  /** The port in use, also when 0 was asked for. */
  readonly port: number
  /** Stops accepting, lets running requests finish for at most `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>
}

/** A certificate, which may change while the server runs. */
export interface Tls {
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer }
  /** Hands the server every new certificate. @returns ends it */
  follow(server: { setSecureContext(certificate: Tls['certificate']): void }): () => void
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** HTTPS, where the adapter has it. */
  readonly tls?: Tls | null
  /** Bytes of the largest WebSocket message. */
  readonly messageLimit?: number
}

export const DEFAULT_MESSAGE_LIMIT = 1_048_576

export type Listen = (app: Application, options: ListenOptions) => Promise<Server>

/** Calls a response's `onSent`. An error in the callback is logged, as the request has its answer already. */
export function reportSent(app: Application, { onSent }: HttpResponse, sent: boolean, request: string): void {
  if (!onSent) return
  const failed = (error: unknown): void => app.report(error, request)
  try {
    const result: unknown = onSent(sent)
    if (result instanceof Promise) result.catch(failed)
  } catch (error) {
    failed(error)
  }
}

/** HEAD is answered as GET, without the body (RFC 9110 section 9.3.2), whoever made the answer. */
export function answerTo(method: string, response: HttpResponse): HttpResponse {
  const { body } = response
  if (method !== 'HEAD' || body === null) return response
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return { ...response, body: null, length: Buffer.byteLength(body) }
  }
  // A stream that nobody reads is told so, for what it holds open.
  void body[Symbol.asyncIterator]().return?.()
  return { ...response, body: null, length: null }
}

export function isRouted(routed: HttpResponse | RoutedRequest): routed is RoutedRequest {
  return 'run' in routed
}

/** The length of {@link RequestHead}, from headers of which the length, where there is one, is a number. */
export function lengthOf(headers: {
  readonly 'content-length'?: string | undefined
  readonly 'transfer-encoding'?: string | undefined
}): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null
}

/** A refused body of at most this many bytes is read and dropped, so that the connection can be used again. */
const DROPPED_BYTES = 65_536

/** Whether the connection must end with an answer that does not wait for the body: it is long, or of unknown length. */
export function endsConnection(length: RequestHead['length']): boolean {
  return length === null || length > DROPPED_BYTES
}

export const NO_BODY = new Uint8Array(0)
