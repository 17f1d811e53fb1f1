/** Tracks the unfinished responses of a node:http connection, and closes the connection. Knows no application. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { BodyStream } from './body-stream.ts'
import { errorResponse, WEB_ERRORS, webError } from './errors.ts'
import type { HttpResponse } from './types.ts'

/** Limits of one connection. The docs list them too. */
export const NODE_LIMITS = {
  /** Maximum time from the first byte to the end of the headers. */
  headersTimeoutMs: 10_000,
  /** Maximum time from the first byte to the end of the body. A streamed body may take longer. */
  requestTimeoutMs: 30_000,
  /**
   * Maximum idle time between two requests. It exceeds the 60 s after which common proxies close an idle connection: if
   * the server closed first, it might close just as a request arrives. A polling device keeps its connection.
   */
  keepAliveTimeoutMs: 65_000,
  /** Maximum bytes of request line and headers together. */
  headerBytes: 16_384,
  /** Interval at which Node checks these times. */
  checkIntervalMs: 1_000,
  /** Time for which a refused body is read and dropped, so that the client receives the refusal before the close. */
  lingerMs: 1_000,
} as const

export type NodeLimits = { readonly [Name in keyof typeof NODE_LIMITS]: number }

/*
 *            the parser fails or detaches
 *            before all responses are finished
 *   open ───────────────────────────────────▶ draining
 *     │                                          │
 *     │ a response with                          │ a response with
 *     │ Connection: close                        │ Connection: close
 *     ▼                                          │
 *   ending ◀─────────────────────────────────────┘
 *
 * open      The server reads and answers requests. If the parser fails while no response is unfinished, the refusal is
 *           written to the raw socket.
 * draining  The parser has detached. The connection closes after its last unfinished response.
 * ending    The response that closes the connection was written. Further input may not be a request, and is ignored.
 */
export type HttpConnectionState = 'open' | 'draining' | 'ending'

/**
 * State of one connection: its responses, tracked so that a refusal by the parser never overtakes or duplicates one.
 */
export interface HttpConnection {
  state: HttpConnectionState
  /** Responses that could not be written at once, oldest first. Some may be finished, see {@link unfinishedResponses}. */
  responses: ServerResponse[]
  /** Response whose request body is still arriving. It is in `responses` too if it is queued. */
  awaitingBody: ServerResponse | null
  streamedBody: BodyStream | null
  latest: ServerResponse | null
}

const CONNECTION = Symbol('connection')
type Tracked = Socket & { [CONNECTION]: HttpConnection }

/** Returns the state that {@link attachConnection} gave to a socket. */
export function connectionOf(socket: Socket): HttpConnection {
  return (socket as Tracked)[CONNECTION]
}

/** Returns the responses of a connection that are neither sent nor cut off. */
export function openResponses({ latest, responses }: HttpConnection): ServerResponse[] {
  return [latest, ...responses].filter((res) => res !== null && !res.closed) as ServerResponse[]
}

export function attachConnection(socket: Socket): void {
  if (CONNECTION in socket) return
  const connection: HttpConnection = {
    state: 'open',
    responses: [],
    awaitingBody: null,
    streamedBody: null,
    latest: null,
  }
  ;(socket as Tracked)[CONNECTION] = connection
  // Node emits 'close' only on the response that is assigned to the socket. The others need the event too.
  socket.once('close', () => {
    const left = unfinishedResponses(connection)
    connection.responses = []
    for (const res of left) if (res.socket === null) res.emit('close')
  })
}

/** Closes a connection on which Node's parser failed, after its unfinished responses. */
export function onParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!(CONNECTION in socket)) {
    // The TLS handshake failed.
    socket.destroy()
    return
  }
  const connection = connectionOf(socket)
  const { streamedBody } = connection
  if (streamedBody?.isArriving) {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return
    streamedBody.fail(webError('bad-request', NOT_WELL_FORMED))
  }
  if (unfinishedResponses(connection).some((res) => res !== connection.awaitingBody))
    closeAfterLastResponse(connection)
  else if (connection.state === 'ending') socket.destroySoon()
  else refuseRequest(error, socket)
}

/**
 * Returns the unfinished tracked responses. The first is assigned to the socket; the others are queued. A response that
 * was written at once is never tracked.
 */
export function unfinishedResponses({ responses }: HttpConnection): ServerResponse[] {
  return responses.filter((res) => !res.closed)
}

/**
 * Tracks a response that cannot be written at once. A later call removes finished responses; a 'close' listener per
 * response would cost some percent of a request.
 */
export function trackResponse(res: ServerResponse): void {
  const connection = connectionOf(res.req.socket)
  const { responses } = connection
  if (responses.includes(res)) return
  while (responses[0]?.closed) responses.shift()
  responses.push(res)
  if (connection.state === 'draining') res.on('close', onResponseClose)
}

/** Closes the connection after its last unfinished response. Call it after the parser has detached. */
export function closeAfterLastResponse(connection: HttpConnection): void {
  if (connection.state === 'open') connection.state = 'draining'
  for (const res of unfinishedResponses(connection)) res.on('close', onResponseClose)
}

/** Closes the connection after the response that the caller is about to write. */
export function closeAfterNextResponse(socket: Socket): void {
  connectionOf(socket).state = 'ending'
  linger(socket)
}

/** Runs when a response was sent or cut off. `this` is the response. */
function onResponseClose(this: ServerResponse): void {
  const { socket } = this.req
  if (unfinishedResponses(connectionOf(socket)).length === 0) socket.destroySoon()
}

/**
 * Makes the socket close in two steps (RFC 9112 section 9.6): it ends its own side, then reads and drops input for a
 * while. Closing with unread bytes would make the kernel send a reset, which can destroy the response in transit.
 */
function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end()
    socket.resume()
    const cut = setTimeout(() => socket.destroy(), NODE_LIMITS.lingerMs)
    socket.once('close', () => clearTimeout(cut))
  }
}

/** Error of Node's parser, with the packet and the position of the refused character. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~]+ HTTP\/1\.[01]\r\n/

/**
 * Returns whether a packet has a well-formed request line around a position in its method. The parser reports an
 * invalid method for garbage too, such as the start of a TLS handshake.
 */
function hasRequestLine({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  const text = rawPacket?.toString('latin1') ?? ''
  let start = bytesParsed
  while (/\w/.test(text[start - 1] ?? '')) start--
  return REQUEST_LINE.test(text.slice(start))
}

const NOT_WELL_FORMED = 'The request is not well-formed HTTP/1.1.'

const PARSER_ERRORS: Record<string, { code: keyof typeof WEB_ERRORS; message: string }> = {
  HPE_INVALID_METHOD: {
    code: 'unknown-method',
    message: 'HTTP has no such method. Use one like GET or POST.',
  },
  HPE_HEADER_OVERFLOW: {
    code: 'too-many-headers',
    message: `Request line and headers are larger than ${NODE_LIMITS.headerBytes} bytes. Send less.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'slow-request',
    message: 'The request did not arrive in time. Send it again.',
  },
}

/** Answers a request that the parser refused, on the raw socket. */
function refuseRequest(error: ParserError, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const isGarbage = error.code === 'HPE_INVALID_METHOD' && !hasRequestLine(error)
  const known = isGarbage ? undefined : PARSER_ERRORS[error.code ?? '']
  const status = WEB_ERRORS[known?.code ?? 'bad-request'].status
  writeRawResponse(socket, errorResponse(status, known?.message ?? NOT_WELL_FORMED))
}

/** Writes the last response to a socket whose parser has detached, then closes the socket. */
export function writeRawResponse(socket: Socket, { status, headers, body }: HttpResponse): void {
  const lines = [
    ...headers,
    ['content-length', String(Buffer.byteLength(body as string))],
    ['connection', 'close'],
  ]
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body as string}`)
  linger(socket)
  socket.destroySoon()
}
