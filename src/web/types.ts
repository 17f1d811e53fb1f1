/** Defines plain types that files of the framework share. Imports nothing, so that no file needs another one for them. */

/** Caller of a request, as `authenticate` of a `_services` file returns it. */
export interface Identity {
  readonly id: string
  readonly roles: readonly string[]
  /** True when role checks are off for this caller, as in a test set-up. */
  readonly unrestricted?: boolean
  /** Id of the API key that proved the identity; absent for another credential. */
  readonly keyId?: number
}

/** Properties of a request beyond the arguments. A handler reads them from `this.call`. */
export interface Call {
  readonly method: string
  /** The path as sent, not decoded. */
  readonly path: string
  /** The query as sent, not decoded, without the question mark. */
  readonly query: string
  readonly identity: Identity | null
  /** Address of the client, valid until the response is sent. Empty if the peer has disconnected. */
  readonly remote: string
  /** Aborts when the peer disconnects before the response is sent. */
  readonly signal: AbortSignal
  /** Headers that the class lists in `static headers`, by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Empty object per request, in which the hooks of folders leave something for the handler. */
  readonly state: Record<string, unknown>
}

/** Head of a request: everything that an adapter knows before it reads the body. */
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
   * @throws {Error} after `route` has returned, because uWebSockets.js frees the request then
   */
  header(name: string): string | undefined
  /**
   * Returns the address of the client, until the response is sent: the peer, or the client that a proxy names. Empty if
   * the peer has disconnected.
   */
  remote(): string
  /** Returns a signal that aborts when the peer disconnects before the response is sent. */
  signal(): AbortSignal
  /** Path of the method that answers, with the names of its arguments. The application sets it if it has observers. */
  route?: string | null
  /** Caller of the request. The application sets it once access is checked. */
  identity?: Identity | null
}

export type Chunk = string | Uint8Array

export interface HttpResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Text (sent as UTF-8), bytes, or a stream, which the adapter reads no faster than the peer does; null for no body. */
  readonly body: Chunk | AsyncIterable<Chunk> | null
  /** Bytes of the body that a response to HEAD omits; null when that body is a stream. Only set with a null body. */
  readonly length?: number | null
  /** Content of an error response, from which the framework makes another form of its body. */
  readonly problem?: ProblemDetails | undefined
  /** Callback that runs exactly once: with true after the operating system took the whole response, with false if the peer left first. */
  readonly onSent?: ((sent: boolean) => void) | undefined
}

/** Headers by name. A list is sent as one line for each value, as `set-cookie` needs. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>

/** Values that the text of an error names. A program that has a text of its own for the code puts them into it. */
export type ErrorParams = Readonly<Record<string, string | number | null>>

export interface HttpErrorOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Additional members of the JSON body. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
  /** Name of the kind of error, for programs: `no-pump`. Callers see it in problem details only (RFC 9457). */
  readonly code?: string | undefined
  /** Values that the text of the error names, such as an id. Callers see them in problem details only. */
  readonly params?: ErrorParams | undefined
}

/** Content of an error, from which both forms of its body are made. */
export interface ProblemDetails extends Pick<HttpErrorOptions, 'code' | 'params' | 'fields'> {
  readonly message: string
}

/** The part of a request that the response to its error depends on. */
export interface FailedRequest extends Pick<RequestHead, 'method' | 'path'> {
  readonly acceptsProblems: boolean
}

/**
 * Returns the address of the client of a request.
 *
 * @param peer address of the connection
 * @param forwardedFor all values of X-Forwarded-For, joined by commas; empty if there is none
 */
export type ClientAddress = (peer: string, forwardedFor: string) => string

/**
 * Receives each exchange once, when its response is ready: before the response is sent, and for a stream before its
 * first part. Must not throw, and must not keep `head`.
 *
 * @param ms time since the head of the request arrived
 */
export type Observe = (head: RequestHead, status: number, ms: number) => void

/** File of a multipart form, as a keyword argument. */
export interface FormFile {
  readonly filename: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Response to a request without a socket, as `inject` returns it. */
export interface Injected {
  readonly status: number
  /** Values by lower-case name. Several values of one name are joined by a comma and a blank. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  /** Returns the values of one header, in their order. */
  all(name: string): readonly string[]
  text(): string
  json(): unknown
}
