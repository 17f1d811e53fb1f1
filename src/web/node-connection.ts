/** One connection of node:http: the answers that are under way on it, and how it ends. Knows no application. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorResponse, WEB_ERRORS } from './errors.ts'
import type { HttpResponse } from './http.ts'

/** Limits of one connection; the table of limits in docs/operate.md has them too. */
export const NODE_LIMITS = {
  /** From the first byte to the end of the headers. */
  headersTimeoutMs: 10_000,
  /** From the first byte to the end of the body. */
  requestTimeoutMs: 30_000,
  /** Between two requests. */
  keepAliveTimeoutMs: 5_000,
  /** Request line and headers. */
  headerBytes: 16_384,
  /** How often the times above are looked at. */
  checkEveryMs: 1_000,
  /** How long a refused body is read and thrown away, so that the refusal arrives before the connection is cut. */
  lingerMs: 1_000,
} as const

export type NodeLimits = { readonly [Name in keyof typeof NODE_LIMITS]: number }

/*
 *            the parser gives up or leaves
 *            while answers are under way
 *   open ───────────────────────────────────▶ draining
 *     │                                          │
 *     │ an answer with                           │ an answer with
 *     │ Connection: close                        │ Connection: close
 *     ▼                                          │
 *   ending ◀─────────────────────────────────────┘
 *
 * open      Requests are read and answered. If the parser gives up without an answer under way, the refusal is
 *           written to the bare socket.
 * draining  The parser has left. The connection closes with the last answer that is under way.
 * ending    The answer that ends the connection was given. What the parser still finds may be no request, and is
 *           ignored.
 */
export type ConnectionState = 'open' | 'draining' | 'ending'

/** The answers under way on one connection, so that a refusal by the parser never overtakes or doubles one of them. */
export interface Connection {
  state: ConnectionState
  /** Answers that were not handed to the connection at once, oldest first. Some may be finished, see {@link underWayOn}. */
  answers: ServerResponse[]
  /** The answer whose request body is still arriving. Only one that waits for its turn is among `answers` too. */
  reading: ServerResponse | null
  /** The answer to the latest request. */
  latest: ServerResponse | null
}

const CONNECTION = Symbol('connection')
type Tracked = Socket & { [CONNECTION]: Connection }

export function connectionOf(socket: Socket): Connection {
  return (socket as Tracked)[CONNECTION]
}

/** Begins to keep account of a connection; does nothing for one that is known. */
export function open(socket: Socket): void {
  if (CONNECTION in socket) return
  const connection: Connection = {
    state: 'open',
    answers: [],
    reading: null,
    latest: null,
  }
  ;(socket as Tracked)[CONNECTION] = connection
  // Node emits 'close' only on the answer that has the connection.
  socket.once('close', () => {
    const left = underWayOn(connection)
    connection.answers = []
    for (const res of left) if (res.socket === null) res.emit('close')
  })
}

/** Ends a connection on which node's parser has given up, after the answers that are under way. */
export function giveUp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!(CONNECTION in socket)) {
    // A handshake that failed.
    socket.destroy()
    return
  }
  const connection = connectionOf(socket)
  if (underWayOn(connection).some((res) => res !== connection.reading)) drain(connection)
  else if (connection.state === 'ending') socket.destroySoon()
  else refuse(error, socket)
}

/**
 * Returns the answers that are not finished yet. The first of them has the connection, the others wait for their turn.
 * An answer that is handed to the connection at once is never among them.
 */
export function underWayOn({ answers }: Connection): ServerResponse[] {
  return answers.filter((res) => !res.closed)
}

/** Notes an answer that is not handed to the connection at once. No listener waits for its end: each would cost some percent of a request. */
export function track(res: ServerResponse): void {
  const connection = connectionOf(res.req.socket)
  const { answers } = connection
  if (answers.includes(res)) return
  while (answers[0]?.closed) answers.shift()
  answers.push(res)
  if (connection.state === 'draining') res.on('close', onAnswerClose)
}

/** The parser has left: the connection ends with the last of the answers that are under way on it. */
export function drain(connection: Connection): void {
  if (connection.state === 'open') connection.state = 'draining'
  for (const res of underWayOn(connection)) res.on('close', onAnswerClose)
}

/** The connection ends with an answer that is now given. */
export function end(socket: Socket): void {
  connectionOf(socket).state = 'ending'
  linger(socket)
}

/** Runs when an answer has been sent or was cut off; `this` is the answer. */
function onAnswerClose(this: ServerResponse): void {
  const { socket } = this.req
  if (underWayOn(connectionOf(socket)).length === 0) socket.destroySoon()
}

/**
 * Closing with unread bytes makes the kernel send a reset, which can destroy the answer on its way (RFC 9112
 * section 9.6): end our side, then read and drop for a while what still comes.
 */
function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end()
    socket.resume()
    const cut = setTimeout(() => socket.destroy(), NODE_LIMITS.lingerMs)
    socket.once('close', () => clearTimeout(cut))
  }
}

const PARSER_ERRORS: Record<string, { code: keyof typeof WEB_ERRORS; message: string }> = {
  HPE_INVALID_METHOD: { code: 'unknown-method', message: 'HTTP has no such method.' },
  HPE_HEADER_OVERFLOW: {
    code: 'too-many-headers',
    message: `Request line and headers are larger than ${NODE_LIMITS.headerBytes} bytes.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'slow-request', message: 'The request did not arrive in time.' },
}

/** Answers a request that the parser refused, on the bare socket. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const known = PARSER_ERRORS[error.code ?? '']
  const status = WEB_ERRORS[known?.code ?? 'bad-request'].status
  answerBare(socket, errorResponse(status, known?.message ?? 'The request is not well-formed HTTP/1.1.'))
}

/** The last answer on a connection that the parser has left. */
export function answerBare(socket: Socket, { status, headers, body }: HttpResponse): void {
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
