/**
 * Defines the plain types that files of the framework share. Imports nothing, so that no file imports another for its
 * types alone.
 */

/**
 * Caller of a request, as returned by `authenticate` of a `_services` file.
 *
 * @example
 * ```ts
 * const ada: Identity = { id: 'ada', roles: ['MAN'] }
 * ```
 */
export interface Identity {
  readonly id: string
  readonly roles: readonly string[]
  /** True when role checks are off for this caller, as in a test set-up. */
  readonly unrestricted?: boolean
  /** Id of the API key that authenticated the caller; absent for other credentials. */
  readonly keyId?: number
}

/**
 * Properties of a request beyond the arguments. A handler has them as `this.call`.
 *
 * @example
 * ```ts
 * const before = ({ identity, method, path }: Call) => log.info({ caller: identity?.id ?? null }, `${method} ${path}`)
 * ```
 */
export interface Call {
  readonly method: string
  /** The path as sent, not decoded. */
  readonly path: string
  /** The query as sent, not decoded, without the question mark. */
  readonly query: string
  readonly identity: Identity | null
  /** Address of the client, valid until the response is sent. Empty if the peer has disconnected. */
  readonly remote: string
  /**
   * Aborts when the peer disconnects before the response is sent. The signal of a streamed answer also aborts when the
   * server stops.
   */
  readonly signal: AbortSignal
  /** Headers that the class lists in `static headers`, by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Cookies of the request. Throws unless the class lists `cookie` in `static headers`. */
  readonly cookies: Cookies
  /** Empty object per request, in which hooks of folders may store values for the handler. */
  readonly state: Record<string, unknown>
}

/**
 * Cookies of a request. A `Map` serves in tests.
 *
 * @example
 * ```ts
 * const themeOf = (cookies: Cookies) => cookies.get('theme') ?? 'light'
 * ```
 */
export interface Cookies {
  /** Returns the value of a cookie, percent-decoded; undefined if the request has none of this name. */
  get(name: string): string | undefined
}

/**
 * Parts of a request that may prove its caller: the third argument of `authenticate` of a `_services` file. The members
 * are read on demand, and only until `authenticate` returns.
 *
 * @example
 * ```ts
 * const session = new Cookie('session')
 * const authenticate = (
 *   { sessions }: { sessions: Map<string, Identity> },
 *   _authorization: string | undefined,
 *   { cookies }: CallerCredentials,
 * ) => sessions.get(session.read(cookies) ?? '') ?? null
 * ```
 */
export interface CallerCredentials {
  /** Value of the Authorization header. For a WebSocket also the token of its subprotocols. */
  readonly authorization: string | undefined
  readonly cookies: Cookies
  /** Address of the client, as `this.call.remote`. Empty if the client has disconnected. */
  readonly peer: string
  readonly method: string
  /** The path as sent, not decoded. */
  readonly path: string
}

/** Head of a request: everything an adapter knows before it reads the body. */
export interface RequestHead {
  /** Method as sent. Methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string
  /** Path of the request target, not decoded, without the query. */
  readonly path: string
  /** Query of the request target, not decoded, without the question mark; empty when there is none. */
  readonly query: string
  /** Declared bytes of the body. 0: the request has no body. Null: the body arrives in chunks. */
  readonly length: number | null
  /**
   * Returns the value of a header, or undefined.
   *
   * @param name in lower case
   * @throws {Error} after `route` has returned, because uWebSockets.js then frees the request
   */
  header(name: string): string | undefined
  /**
   * Returns the address of the client, until the response is sent: the peer, or the client that a proxy names. Empty if
   * the peer has disconnected.
   */
  remote(): string
  /** Returns a signal that aborts when the peer disconnects before the response is sent. */
  signal(): AbortSignal
  /** Called when the answer is a stream. From then on the signal also aborts when the server stops. */
  beginStream?(): void
  /** Path of the matched method, with argument names. The application sets it if it has observers. */
  route?: string | null
  /** Caller of the request. The application sets it after the access check. */
  identity?: Identity | null
}

export type Chunk = string | Uint8Array

export interface HttpResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /**
   * Text (sent as UTF-8), bytes, or a stream, which the adapter reads no faster than the peer does; null for no body.
   */
  readonly body: Chunk | AsyncIterable<Chunk> | null
  /** Bytes of the body that a response to HEAD omits; null if that body is a stream. Only set with a null body. */
  readonly length?: number | null
  /** Content of an error response, from which the framework creates other forms of the body. */
  readonly problem?: ProblemDetails | undefined
  /** Callback that runs exactly once: with true after the operating system took the whole response, with false if the peer left first. */
  readonly onSent?: ((sent: boolean) => void) | undefined
}

/** Headers by name. A list is sent as one line per value, as `Set-Cookie` needs. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>

/** Values in the text of an error. A program with a translation for the code inserts them. */
export type ErrorParams = Readonly<Record<string, string | number | null>>

/**
 * Options of an {@link HttpError}.
 *
 * @example
 * ```ts
 * const options: HttpErrorOptions = { code: 'no-pump', params: { id: 'pump-9' }, headers: { 'retry-after': '5' } }
 * throw new HttpError(503, 'The pump is away. Try again later.', options)
 * ```
 */
export interface HttpErrorOptions {
  readonly headers?: ReplyHeaders | Headers | undefined
  readonly fields?: Readonly<Record<string, unknown>> | undefined
  /** Kind of the error, for programs: `no-pump`. Callers see it in problem details only (RFC 9457). */
  readonly code?: string | undefined
  /** Values in the text of the error, such as an id. Callers see them in problem details only. */
  readonly params?: ErrorParams | undefined
}

/** Options of an error, with the headers of a `Headers` object by name. */
export interface ErrorContent extends Omit<HttpErrorOptions, 'headers'> {
  readonly headers?: ReplyHeaders | undefined
}

/** Content of an error, for both forms of its body. */
export interface ProblemDetails extends Pick<HttpErrorOptions, 'code' | 'params' | 'fields'> {
  readonly message: string
}

/** Parts of a request that the response to its error depends on. */
export interface FailedRequest extends Pick<RequestHead, 'method' | 'path'> {
  readonly acceptsProblems: boolean
}

/**
 * Returns the address of the client of a request.
 *
 * @param peer address of the connection
 * @param forwardedFor all values of X-Forwarded-For, joined by commas; empty without any
 */
export type ClientAddress = (peer: string, forwardedFor: string) => string

/**
 * Receives each exchange once, when its response is ready: before the response is sent, and for a stream before its
 * first part. Must not throw, and must not keep `head`.
 *
 * @param ms time since the head of the request arrived
 */
export type Observe = (head: RequestHead, status: number, ms: number) => void

/**
 * File of a multipart form, passed as a keyword argument.
 *
 * @example
 * ```ts
 * const store = ({ filename, bytes }: FormFile) => writeFile(`uploads/${filename.replace(/\W/g, '_')}`, bytes)
 * ```
 */
export interface FormFile {
  readonly filename: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/**
 * Response of `inject`.
 *
 * @example
 * ```ts
 * const answer: Injected = await inject(app, 'GET', '/notes')
 * const cookies = answer.all('set-cookie')
 * ```
 */
export interface Injected {
  readonly status: number
  /** Values by lower-case name. Several values of one name are joined by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  all(name: string): readonly string[]
  text(): string
  json(): unknown
}
