/** Defines the contract between an HTTP server (an adapter) and the application. Knows no server and no handler. */
import type { RoutedRequest } from './routed-request.ts'
import type { ClientAddress, HttpResponse, Observe, RequestHead } from './types.ts'
import type { Upgraded } from './upgrade.ts'
import type { WebSocketHandler } from './web-sockets.ts'

/**
 * Application that an adapter serves.
 *
 * @example
 * ```ts
 * const listen = (app: Application) => listenNode(app, { host: '127.0.0.1', port: 0 })
 * ```
 */
export interface Application {
  /**
   * Performs every step that needs no body: routing, access, declared length. Returns a response, or a request that
   * waits for its body. Synchronous. Never throws.
   */
  route(head: RequestHead): HttpResponse | RoutedRequest
  /** Returns the WebSocket handler of a path. Null makes the adapter ignore the upgrade. */
  socket?(path: string, head: Pick<RequestHead, 'header'>): WebSocketHandler | null
  /**
   * Starts the upgrade of a request to a WebSocket of a class. Returns null if no class of the path accepts WebSockets.
   * Reads the head before it returns. Never throws and never rejects.
   */
  upgrade?(head: RequestHead): Promise<Upgraded> | null
  /** Receives each exchange with a readable request, except accepted WebSockets. */
  readonly observe?: Observe | undefined
  /**
   * Converts an error response of the adapter to the form that the request accepts. Without this method the response is
   * unchanged.
   *
   * @param head its headers must still be readable
   */
  inFormFor?(head: RequestHead, response: HttpResponse): HttpResponse
  /** Logs an unexpected error. The adapter then answers 500. */
  report(error: unknown, what: string): void
  /** Logs that a response was cut because the client read nothing for {@link STREAM_STALL_MS}. */
  reportStalled?(what: string): void
}

/** Time after which a streamed response is cut if the client reads nothing. */
export const STREAM_STALL_MS = 60_000

/** Waits until a client reads the next part of a stream. @returns false after {@link STREAM_STALL_MS} */
export async function waitForClient(...events: readonly Promise<unknown>[]): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const stalled = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, STREAM_STALL_MS, false)
  })
  const taken = await Promise.race([...events.map((event) => event.then(() => true)), stalled])
  clearTimeout(timer)
  return taken
}

/**
 * Listening HTTP server.
 *
 * @example
 * ```ts
 * const server: Server = await listenNode(app, { host: '127.0.0.1', port: 0 })
 * console.log(`http://${server.host}:${server.port}`)
 * await server.close(10_000)
 * ```
 */
export interface Server {
  readonly host: string
  /** Actual port, even if 0 was requested. */
  readonly port: number
  /** Stops accepting connections, waits at most `graceMs` for running requests, then closes every connection. */
  close(graceMs: number): Promise<void>
}

/** Certificate that may be replaced while the server runs. */
export interface Tls {
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer }
  /** Passes each new certificate to the server. Returns a function that unsubscribes. */
  subscribe(server: { setSecureContext(certificate: Tls['certificate']): void }): () => void
}

/**
 * Options of {@link listenNode} and {@link listenUws}.
 *
 * @example
 * ```ts
 * const options: ListenOptions = { host: '0.0.0.0', port: 8080, limit: { maximum: 1_000, onClosed() {} } }
 * ```
 */
export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Certificate for HTTPS. The adapter to uWebSockets.js ignores it. */
  readonly tls?: Tls | null
  /** Determines the client of a request behind a proxy. By default the peer is the client. */
  readonly clientAddress?: ClientAddress | undefined
  /** Maximum bytes of a WebSocket message. */
  readonly messageLimit?: number
  /** Limit of simultaneous connections. Default: none. */
  readonly limit?: ConnectionsAtATime
}

/** Limit of simultaneous connections. uWebSockets.js reports WebSockets only, so its adapter limits only WebSockets. */
export interface ConnectionsAtATime {
  readonly maximum: number
  /** Counts a connection that the limit closed. */
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

/** Removes the body of a response to HEAD (RFC 9110 section 9.3.2). */
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

/** Returns `length` of {@link RequestHead}. The parser has already checked that Content-Length is a number. */
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
