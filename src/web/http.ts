/** Defines the contract between an HTTP server (an adapter) and the application. Knows no server and no handler. */
import type { RoutedRequest } from './routed-request.ts'
import type { ClientAddress, HttpResponse, Observe, RequestHead } from './types.ts'
import type { Upgraded } from './upgrade.ts'
import type { WebSocketHandler } from './web-sockets.ts'

/** Application that an adapter serves. */
export interface Application {
  /**
   * Does everything that needs no body: routing, access, declared length. Returns a response, or a request that waits for
   * its body. Synchronous. Never throws.
   */
  route(head: RequestHead): HttpResponse | RoutedRequest
  /** Returns the WebSocket handler of a path; null when there is none, so that the adapter ignores the upgrade. */
  socket?(path: string, head: Pick<RequestHead, 'header'>): WebSocketHandler | null
  /**
   * Starts the upgrade of a request to a WebSocket that a class serves. Returns null when no class serves one there. Reads
   * the head before it returns. Never throws and never rejects.
   */
  upgrade?(head: RequestHead): Promise<Upgraded> | null
  /** Receives each exchange whose request can be read, but no accepted WebSocket. */
  readonly observe?: Observe | undefined
  /**
   * Returns an error response of the adapter in the form that the request accepts. Without it the response stays as it is.
   *
   * @param head its headers must still be readable
   */
  inFormFor?(head: RequestHead, response: HttpResponse): HttpResponse
  /** Logs an unexpected error. The adapter then answers 500. */
  report(error: unknown, what: string): void
  /** Logs that a response was cut, because the client took no part of it for {@link STREAM_STALL_MS}. */
  reportStalled?(what: string): void
}

/** Maximum time in which a client takes no part of a streamed response. */
export const STREAM_STALL_MS = 60_000

/** Waits until a client takes the next part of a stream. @returns false if that takes longer than {@link STREAM_STALL_MS} */
export async function waitForClient(...events: readonly Promise<unknown>[]): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const stalled = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, STREAM_STALL_MS, false)
  })
  const taken = await Promise.race([...events.map((event) => event.then(() => true)), stalled])
  clearTimeout(timer)
  return taken
}

/** Listening HTTP server. */
export interface Server {
  readonly host: string
  /** Actual port, even if 0 was requested. */
  readonly port: number
  /** Stops accepting connections, waits at most `graceMs` for running requests, then closes every connection. */
  close(graceMs: number): Promise<void>
}

/** Certificate that may change while the server runs. */
export interface Tls {
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer }
  /** Passes each new certificate to the server. Returns a function that stops this. */
  subscribe(server: { setSecureContext(certificate: Tls['certificate']): void }): () => void
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Certificate for HTTPS. The adapter to uWebSockets.js ignores it. */
  readonly tls?: Tls | null
  /** Names the client of a request behind a proxy. By default the peer is the client. */
  readonly clientAddress?: ClientAddress | undefined
  /** Maximum bytes of a WebSocket message. */
  readonly messageLimit?: number
  /** Limit of connections at a time; by default there is none. */
  readonly limit?: ConnectionsAtATime
}

/** Limit of connections at a time. uWebSockets.js reports WebSockets only, so its adapter limits only those. */
export interface ConnectionsAtATime {
  readonly maximum: number
  /** Records a connection that the limit closed. */
  onClosed(): void
}

export const DEFAULT_MESSAGE_LIMIT = 1_048_576

export type Listen = (app: Application, options: ListenOptions) => Promise<Server>

/** Calls `onSent` of a response. Logs an error of the callback, because the request is already answered. */
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

/** Returns the response without its body if the method is HEAD (RFC 9110 section 9.3.2). */
export function omitBodyForHead(
  app: Pick<Application, 'report'>,
  method: string,
  target: string,
  response: HttpResponse,
): HttpResponse {
  const { body } = response
  if (method !== 'HEAD' || body === null) return response
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return { ...response, body: null, length: Buffer.byteLength(body) }
  }
  // HEAD never reads the stream, so close the iterator at once to release its resources.
  Promise.resolve(body[Symbol.asyncIterator]().return?.()).catch((error) =>
    app.report(error, `${method} ${target}`),
  )
  return { ...response, body: null, length: null }
}

export function isRouted(routed: HttpResponse | RoutedRequest): routed is RoutedRequest {
  return 'run' in routed
}

/** Returns `length` of {@link RequestHead}. The parser has checked that Content-Length, if present, is a number. */
export function bodyLengthOf(headers: {
  readonly 'content-length'?: string | undefined
  readonly 'transfer-encoding'?: string | undefined
}): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null
}

/** Maximum bytes of a refused body that the server reads and drops to keep the connection usable. */
const MAX_DROPPED_BYTES = 65_536

/**
 * Returns whether a body that the application refused is too long to drop, or of unknown length. The connection must then
 * close after the response.
 */
export function exceedsDropLimit(length: RequestHead['length']): boolean {
  return length === null || length > MAX_DROPPED_BYTES
}

export const NO_BODY = new Uint8Array(0)
