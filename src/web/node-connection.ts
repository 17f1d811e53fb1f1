/** One connection of node:http: the answers that are under way on it, and how it ends. Knows no application. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorResponse, WEB_ERRORS } from './errors.ts'
import type { HttpResponse } from './http.ts'

/** Limits of one connection; the README's table of limits has them too. */
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

/** What is under way on one connection, so that a refusal by the parser never overtakes or doubles an answer. */
export interface Connection {
  /** The answers that were not handed to it at once, oldest first; some may be over, see {@link openOn}. */
  begun: ServerResponse[]
  /** The one whose body is still arriving; among them only when it waits. */
  reading: ServerResponse | null
  /** The parser has given up; close when all are answered. */
  broken: boolean
  /** The answer that ends it was given: what the parser still finds on it may be no request. */
  ended: boolean
  /** The answer that was begun last. */
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
    begun: [],
    reading: null,
    broken: false,
    ended: false,
    latest: null,
  }
  ;(socket as Tracked)[CONNECTION] = connection
  // Node tells of the end only the answer that has the connection.
  socket.once('close', () => {
    const left = openOn(connection)
    connection.begun = []
    for (const res of left) if (res.socket === null) res.emit('close')
  })
}

/** What to do when node's parser gives up on a connection: answers that are under way come first. */
export function giveUp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!(CONNECTION in socket)) {
    // A handshake that failed.
    socket.destroy()
    return
  }
  const connection = connectionOf(socket)
  if (openOn(connection).some((res) => res !== connection.reading)) endAfterOpen(connection)
  else if (connection.ended) socket.destroySoon()
  else refuse(error, socket)
}

/**
 * The answers that are not over yet; the first of them has the connection, the others wait behind it. One that is
 * handed to the connection at once is never among them.
 */
export function openOn({ begun }: Connection): ServerResponse[] {
  return begun.filter((res) => !res.closed)
}

/** Notes an answer that is not handed to the connection at once. No listener waits for its end: each would cost some percent of a request. */
export function track(res: ServerResponse): void {
  const connection = connectionOf(res.req.socket)
  const { begun } = connection
  if (begun.includes(res)) return
  while (begun[0]?.closed) begun.shift()
  begun.push(res)
  if (connection.broken) res.on('close', onOver)
}

/** The parser has left the connection: it ends with the last of the answers that are under way on it. */
export function endAfterOpen(connection: Connection): void {
  connection.broken = true
  for (const res of openOn(connection)) res.on('close', onOver)
}

/** For an answer that is over, sent or not; `this` is the answer. */
function onOver(this: ServerResponse): void {
  const { socket } = this.req
  if (openOn(connectionOf(socket)).length === 0) socket.destroySoon()
}

/**
 * Closing with unread bytes makes the kernel send a reset, which can destroy the answer on its way (RFC 9112
 * section 9.6): end our side, then read and drop for a while what still comes.
 */
export function linger(socket: Socket): void {
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

/** What the parser refused, answered on the bare socket. */
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
