/** What an endpoint file imports: the base class, replies and errors. Knows neither servers nor the tree. */

/*
 * Brands, not instanceof: a drop-in file may have got a second copy of this package, and its classes must be
 * recognised all the same. Registered symbols, since those no JSON can carry.
 */
const ENDPOINT = Symbol.for('waybill.endpoint')
const REPLY = Symbol.for('waybill.reply')
const HTTP_ERROR = Symbol.for('waybill.http-error')
const RAW_JSON = Symbol.for('waybill.raw-json')

/** Who sent a request, as the tree's authenticator found. */
export interface Identity {
  readonly id: string
  readonly roles: readonly string[]
  /** True: no role is asked for, as in a test set-up that switched access checks off. */
  readonly unrestricted?: boolean
}

/** `'public'`: anyone. `'any'`: any valid token. Anything else: the role that the caller must have. */
export type Access = string

/** What a handler may know of its request beyond its arguments: `this.call`. */
export interface Call {
  readonly method: string
  /** The path as sent, not decoded. */
  readonly path: string
  readonly identity: Identity | null
  /** The peer's address, while the request waits for its answer; empty when the peer has left. */
  readonly remote: string
  /** The headers that the class names in `static headers`, by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

const NO_CALL: Call = { method: '', path: '', identity: null, remote: '', headers: {} }

/**
 * Base of every handler class. A method named after an HTTP verb answers it: path segments are its positional
 * arguments, query, form and JSON fields the keys of one object pattern in last place.
 *
 * Static members, all optional:
 * - `access`: see {@link Access}
 * - `keywords`: TypeBox object schema by verb, which validates, converts and defaults the keyword arguments
 * - `positionals`: list of TypeBox schemas by verb, one for each positional argument
 * - `headers`: request headers (lower case) to be found in `this.call.headers`
 * - `signature`: by verb `[positionals, keywords]`, for a method whose parameters cannot be read
 * - `member`: how many positional arguments stand in front of its own segment: 1 for `/jobs/{id}/cancel`
 * - `summary`: a line for the API description, or one by verb
 * - `responses`: by verb, for the API description, the schema of what is returned, or `{ 201: schema, 204: null }`
 * - `replyHeaders`: by verb, for the API description, schemas of the headers that a reply may have
 * - `errors`: by verb, for the API description, the codes (of its prefix's table) of all errors it lets through
 * - a handler class: it answers one path segment below this one
 *
 * Testable without a server: `await new Greeting({ db: fake }).GET('Ada')`.
 *
 * @typeParam S what it uses of the services which its tree's `_services` file opened
 */
export class Endpoint<S extends object = object> {
  static readonly [ENDPOINT] = true
  readonly services: S
  readonly call: Call

  constructor(services: S, call: Call = NO_CALL) {
    this.services = services
    this.call = call
  }
}

export type EndpointClass = (new (
  services: object,
  call: Call,
) => Endpoint) & { readonly [member: string]: unknown }

/** True for classes that extend {@link Endpoint}; false for Endpoint itself, of whichever copy. */
export function isEndpointClass(value: unknown): value is EndpointClass {
  return typeof value === 'function' && ENDPOINT in value && !Object.hasOwn(value, ENDPOINT)
}

/** JSON as text, sent and handed over byte for byte, never parsed and printed again. */
export class RawJson {
  readonly [RAW_JSON] = true
  readonly text: string

  /** @param text one JSON value; the caller vouches that it is one */
  constructor(text: string) {
    this.text = text
  }
}

export function isRawJson(value: unknown): value is RawJson {
  return typeof value === 'object' && value !== null && RAW_JSON in value
}

export interface ReplyOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called exactly once: true when the whole reply went to the operating system, false when the peer left before. */
  readonly onSent?: ((sent: boolean) => void) | undefined
}

/** A return value with a status and headers of its own. */
export class Reply {
  readonly [REPLY] = true
  readonly status: number
  readonly value: unknown
  readonly options: ReplyOptions

  /**
   * @param status 200 to 599
   * @param value what a handler may return without a Reply
   */
  constructor(status: number, value?: unknown, options: ReplyOptions = {}) {
    this.status = status
    this.value = value
    this.options = options
  }
}

export function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && REPLY in value
}

export interface HttpErrorOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Further members of the error's JSON body. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

/** Thrown by a handler to answer with an error status. */
export class HttpError extends Error {
  readonly [HTTP_ERROR] = true
  readonly status: number
  readonly options: HttpErrorOptions

  /**
   * @param status 400 to 599
   * @param message what is wrong and how to mend it; the client reads it
   */
  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    super(message)
    this.name = 'HttpError'
    this.status = status
    this.options = options
  }
}

export function isHttpError(value: unknown): value is HttpError {
  return typeof value === 'object' && value !== null && HTTP_ERROR in value
}
