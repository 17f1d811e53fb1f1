/** Defines the classes that an endpoint file imports: base class, replies and errors. Knows neither servers nor the tree. */
import type { Call, ErrorContent, HttpErrorOptions, ReplyHeaders } from './types.ts'

/*
 * Brands recognise these classes. `instanceof` would fail for a drop-in file that imports a second copy of this package.
 * The brands are registered symbols, which both copies share and no JSON body can contain.
 */
const ENDPOINT = Symbol.for('waybill.endpoint')
const REPLY = Symbol.for('waybill.reply')
const HTTP_ERROR = Symbol.for('waybill.http-error')
const RAW_JSON = Symbol.for('waybill.raw-json')

/**
 * Access rule of a class or folder. `'public'`: no token. `'any'`: any valid token. Any other text: the required role.
 * A list: the caller needs one of the roles. An object: a rule by verb.
 *
 * @example
 * ```ts
 * class Notes extends Endpoint {
 *   static access: Access = { GET: 'any', ANY: ['MAN', 'EDITOR'] }
 * }
 * ```
 */
export type Access = string | readonly string[] | { readonly [verb: string]: string | readonly string[] }

const NO_CALL: Call = {
  method: '',
  path: '',
  query: '',
  identity: null,
  remote: '',
  signal: new AbortController().signal,
  headers: {},
  cookies: new Map<string, string>(),
  state: {},
}

/**
 * WebSocket of one connection. The class has it as `this.socket`, and may keep it between messages.
 *
 * @example
 * ```ts
 * class Echo extends Endpoint {
 *   CONNECT() {}
 *   MESSAGE(message: unknown) {
 *     this.socket.send(message)
 *   }
 * }
 * ```
 */
export interface EndpointSocket {
  /** Subprotocol that the server selected, out of `static subprotocols`; empty without one. */
  readonly protocol: string
  /**
   * Sends bytes as a binary message, and any other value as JSON text. A value sent in CONNECT waits for the upgrade.
   * On a closed connection it does nothing.
   *
   * @throws {TypeError} for a value that JSON cannot represent
   */
  send(value: unknown): void
  /** Sends a text message without encoding it as JSON. */
  sendText(text: string): void
  /**
   * Closes the connection.
   *
   * @param code a close code of RFC 6455, such as 1000, or 3000 to 4999. Default: 1000
   */
  close(code?: number): void
}

function noSocket(): never {
  throw new Error(
    'this.socket belongs to a WebSocket, and there is none. In a test, give one: new Chat(services, call, socket). A constructor of a class passes all its arguments to super.',
  )
}

const NO_SOCKET: EndpointSocket = { protocol: '', send: noSocket, sendText: noSocket, close: noSocket }

/**
 * Base of every handler class. A method named after an HTTP method answers requests with that method. Path segments are
 * its positional arguments. Query, form and JSON fields are the keys of an object pattern, which is its last parameter.
 *
 * A class with one of the methods CONNECT, MESSAGE and DISCONNECT takes WebSockets. Each connection has an instance of its
 * own, whose methods are called one at a time. CONNECT runs before the upgrade, with the arguments and the access of GET.
 *
 * Static members, all optional:
 * - `access`: see {@link Access}
 * - `keywords`: TypeBox object schemas by verb, which validate, convert and default the keyword arguments
 * - `positionals`: lists of TypeBox schemas by verb, one schema per positional argument
 * - `headers`: names (lower case) of the request headers that `this.call.headers` holds
 * - `signature`: by verb `[positionals, keywords]`, for a method whose parameters cannot be parsed
 * - `media`: media type of the strings that the class returns, or one type per verb; they are sent as they are
 * - `body`: `'raw'` or `'stream'`, or one by verb: the body is the keyword argument `body`, as bytes or as an async iterable
 * - `bodyLimit`: maximum bytes of a body, or one number by verb
 * - `member`: number of positional arguments before the segment of the class: 1 for `/jobs/{id}/cancel`
 * - `segment`: false for a class that answers the paths of its module, beside `Default`: one for a list, one for an item
 * - `directory`: path of the files of a class that extends `Files`
 * - `described`: false for a class that the API description leaves out
 * - `operationId`: for the API description, by verb, the name of the function in generated clients
 * - `subprotocols`: names of the subprotocols of its WebSockets; the first that the client offers is selected
 * - `summary`: a line for the API description, or one line per verb
 * - `responses`: for the API description, by verb, the schema of the result, or `{ 201: schema, 204: null }`
 * - `replyHeaders`: for the API description, by verb, schemas of the headers that a reply may have
 * - `errors`: for the API description, by verb, the codes of all errors that the method may throw
 * - a handler class: it answers one path segment below this class
 *
 * A test needs no server: `await new Greeting({ db: fake }).GET('Ada')`.
 *
 * @typeParam S the services that the class uses, out of those that `_services` files opened
 *
 * @example
 * ```ts
 * class Greeting extends Endpoint {
 *   GET(name: string, { polite = false }: { polite?: boolean } = {}) {
 *     return polite ? `Good day, ${name}` : `Hi ${name}`
 *   }
 * }
 * ```
 */
export class Endpoint<S extends object = object> {
  static readonly [ENDPOINT] = true
  readonly services: S
  readonly call: Call
  /** WebSocket of the connection. Its methods throw in requests that are no WebSocket. */
  readonly socket: EndpointSocket

  constructor(services: S, call: Call = NO_CALL, socket: EndpointSocket = NO_SOCKET) {
    this.services = services
    this.call = call
    this.socket = socket
  }

  /**
   * Called before the answer when the keyword arguments of a request are refused. Does nothing by default.
   *
   * @param _error the reason, with the text of the answer
   * @param _args the positional arguments
   */
  onRefusal(_error: unknown, ..._args: unknown[]): void | Promise<void> {}
}

export type EndpointClass = (new (
  services: object,
  call: Call,
  socket?: EndpointSocket,
) => Endpoint) & { readonly [member: string]: unknown }

/** Returns true for a class that extends {@link Endpoint} of any copy of this package; false for Endpoint itself. */
export function isEndpointClass(value: unknown): value is EndpointClass {
  return typeof value === 'function' && ENDPOINT in value && !Object.hasOwn(value, ENDPOINT)
}

/**
 * JSON as text. The framework sends it byte for byte, without parsing and serialising it again.
 *
 * @example
 * ```ts
 * class Settings extends Endpoint {
 *   GET() {
 *     return new RawJson('{"limit":1.0}')
 *   }
 * }
 * ```
 */
export class RawJson {
  readonly [RAW_JSON] = true
  readonly text: string

  /** @param text one valid JSON value. It is not checked. */
  constructor(text: string) {
    this.text = text
  }

  /** Returns the parsed value, for a RawJson nested in another value. Numbers beyond 2^53 lose digits. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

export function isRawJson(value: unknown): value is RawJson {
  return typeof value === 'object' && value !== null && RAW_JSON in value
}

/**
 * Options of a {@link Reply}.
 *
 * @example
 * ```ts
 * const options: ReplyOptions = { headers: { location: '/notes/1' }, onSent: (sent) => log.debug({ sent }, 'replied') }
 * ```
 */
export interface ReplyOptions {
  readonly headers?: ReplyHeaders | Headers | undefined
  /**
   * Callback that runs exactly once: with true after the operating system took the whole reply, with false if the peer
   * left first.
   */
  readonly onSent?: ((sent: boolean) => void) | undefined
}

/**
 * Return value of a handler that sets status and headers.
 *
 * @example
 * ```ts
 * class Notes extends Endpoint {
 *   POST() {
 *     return new Reply(201, { id: 1 }, { headers: { location: '/notes/1' } })
 *   }
 * }
 * ```
 */
export class Reply {
  readonly [REPLY] = true
  readonly status: number
  readonly value: unknown
  /** The options, with the headers of a `Headers` object by name. */
  readonly options: ReplyOptions & { readonly headers?: ReplyHeaders | undefined }

  /**
   * @param status 200 to 599
   * @param value anything that a handler may return directly
   */
  constructor(status: number, value?: unknown, options: ReplyOptions = {}) {
    this.status = status
    this.value = value
    this.options = withPlainHeaders(options)
  }

  /** Returns a copy with additional headers, which replace headers of the same names. */
  with(headers: ReplyHeaders | Headers): Reply {
    const { options } = this
    const added = isHeaders(headers) ? headersByName(headers) : headers
    return new Reply(this.status, this.value, { ...options, headers: { ...options.headers, ...added } })
  }
}

/** Returns whether headers are a `Headers` object, of this or another implementation of fetch. Its names are no properties. */
function isHeaders(headers: ReplyHeaders | Headers | undefined): headers is Headers {
  return typeof (headers as Headers | undefined)?.getSetCookie === 'function'
}

/** Returns options whose headers are given by name. Most options are returned as they are. */
function withPlainHeaders<O extends { readonly headers?: ReplyHeaders | Headers | undefined }>(
  options: O,
): O & { readonly headers?: ReplyHeaders | undefined } {
  const { headers } = options
  if (isHeaders(headers)) return { ...options, headers: headersByName(headers) }
  return options as O & { readonly headers?: ReplyHeaders | undefined }
}

function headersByName(headers: Headers): ReplyHeaders {
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) }
}

export function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && REPLY in value
}

/**
 * Error that a handler throws to answer with an error status.
 *
 * @example
 * ```ts
 * class Pump extends Endpoint {
 *   GET(id: string) {
 *     if (id !== 'pump-1') throw new HttpError(404, `There is no pump ${id}. List the pumps with GET /pumps.`)
 *     return { id }
 *   }
 * }
 * ```
 */
export class HttpError extends Error {
  readonly [HTTP_ERROR] = true
  readonly status: number
  readonly options: ErrorContent

  /**
   * @param status 400 to 599
   * @param message says what is wrong, then what to do; the client reads it
   * @throws {RangeError} for another status
   */
  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(
        `An HttpError has status ${JSON.stringify(status)}; it must be an integer of 400 to 599. Return a Reply for other statuses.`,
      )
    }
    super(message)
    this.name = 'HttpError'
    this.status = status
    this.options = withPlainHeaders(options)
  }
}

export function isHttpError(value: unknown): value is HttpError {
  return typeof value === 'object' && value !== null && HTTP_ERROR in value
}
