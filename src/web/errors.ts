/** Lists every error that the framework itself sends, and turns any error into a response. */
import { STATUS_CODES } from 'node:http'
import { type TSchema, Type } from '@sinclair/typebox'
import { HttpError, isHttpError } from './endpoint.ts'
import { checkedHead } from './response-head.ts'
import type { ErrorContent, ErrorParams, HttpResponse, ReplyHeaders } from './types.ts'

/**
 * Response to one code of error.
 *
 * @example
 * ```ts
 * const entry: ErrorEntry = { status: 409, when: 'the pump runs already' }
 * ```
 */
export interface ErrorEntry {
  readonly status: number
  /** Condition of this error, for the docs and the API description. */
  readonly when: string
  /** Names of the values in `params` of the thrown error, for the docs. */
  readonly params?: readonly string[]
  /** Functions that create additional response headers and body members from the thrown error. */
  readonly headers?: (error: never) => Readonly<Record<string, string>>
  readonly fields?: (error: never) => Readonly<Record<string, unknown>>
  /** Schemas of the additional headers and members, for the API description. */
  readonly gives?: {
    readonly headers?: Readonly<Record<string, TSchema>>
    readonly fields?: Readonly<Record<string, TSchema>>
  }
}

/**
 * Error table of a prefix. Maps the `code` of a thrown error to its response.
 *
 * @example
 * ```ts
 * const errors: ErrorTable = { 'pump-runs': { status: 409, when: 'the pump runs already' } }
 * ```
 */
export type ErrorTable = Readonly<Record<string, ErrorEntry>>

/** Schema of the Retry-After header, for errors after which the client should retry (RFC 9110 section 10.2.3). */
export const RETRY_AFTER = {
  headers: {
    'Retry-After': Type.Integer({ minimum: 1, description: 'seconds to wait before the next try' }),
  },
}

export const WEB_ERRORS = {
  'bad-request': { status: 400, when: 'the request is not well-formed HTTP, or frames its body in two ways' },
  'bad-encoding': { status: 400, when: 'a percent-encoding in the path, the query or a form is malformed' },
  'bad-json': { status: 400, when: 'the JSON body does not parse, is not UTF-8 or is no object' },
  'bad-form': { status: 400, when: 'the multipart body does not parse' },
  'bad-keyword': {
    status: 400,
    when: 'a query, form or JSON parameter is missing, of the wrong type, or not known, or a password is in the query',
    params: ['name'],
  },
  'bad-positional': { status: 400, when: 'an argument in the path is of the wrong type', params: ['name'] },
  unauthorized: { status: 401, when: 'the token is missing or not valid' },
  forbidden: { status: 403, when: 'the token lacks the role that the path needs', params: ['roles'] },
  'unknown-path': { status: 404, when: 'no handler answers the path' },
  'wrong-count': { status: 404, when: 'the path has too many or too few segments for its handler' },
  'wrong-method': { status: 405, when: 'the handler lacks the method; `Allow` lists what it has' },
  'slow-request': { status: 408, when: 'the headers or the body did not arrive in time' },
  'too-large': { status: 413, when: 'the body is larger than the limit', params: ['bytes'] },
  'wrong-type': { status: 415, when: 'the body is neither JSON nor a form, or is not in UTF-8' },
  'compressed-body': { status: 415, when: 'the body is compressed' },
  'upgrade-required': { status: 426, when: 'the path takes WebSockets only, of version 13' },
  'too-many-requests': {
    status: 429,
    when: 'the caller exceeded the limit of the path',
    params: ['seconds'],
    gives: RETRY_AFTER,
  },
  'too-many-headers': { status: 431, when: 'request line and headers together are larger than the limit' },
  unexpected: { status: 500, when: 'something that should not happen did; the log has the cause' },
  'unknown-method': { status: 501, when: 'HTTP knows no such method' },
  closing: { status: 503, when: 'the server is shutting down', gives: RETRY_AFTER },
} as const satisfies ErrorTable

export type WebErrorCode = keyof typeof WEB_ERRORS

export function webError(
  code: WebErrorCode,
  message: string,
  headers?: Record<string, string>,
  params?: ErrorParams,
): HttpError {
  return new HttpError(WEB_ERRORS[code].status, message, { headers, code, params })
}

export function tooLargeError(bodyLimit: number): HttpError {
  return webError(
    'too-large',
    `The body is larger than ${bodyLimit} bytes. Send a smaller one.`,
    {},
    { bytes: bodyLimit },
  )
}

/** Statuses of errors whose body is `{ "error": "<reason phrase>" }` alone. */
export type BareErrors = readonly number[]

const NO_BARE_ERRORS: BareErrors = []

/**
 * Returns the response to an {@link HttpError} or to an error whose `code` is in the table; null for any other error.
 */
export function toErrorResponse(
  error: unknown,
  table: ErrorTable,
  bare: BareErrors = NO_BARE_ERRORS,
): HttpResponse | null {
  if (isHttpError(error)) return errorResponse(error.status, error.message, error.options, bare)
  const { code, params } = (error ?? {}) as { code?: unknown; params?: ErrorParams }
  if (!(error instanceof Error) || typeof code !== 'string' || !Object.hasOwn(table, code)) return null
  const entry = table[code] as ErrorEntry
  const headers = entry.headers?.(error as never)
  const fields = entry.fields?.(error as never)
  return errorResponse(entry.status, error.message, { headers, fields, code, params }, bare)
}

/**
 * Creates an error response. Its body has the reason phrase of the status (`error`), the message, and the fields. It
 * forbids storage, because RFC 9111 section 4.2.2 otherwise lets caches keep some errors, such as 404.
 *
 * @param message says what is wrong, then what to do
 * @throws {TypeError} {RangeError} for a status or a header that HTTP forbids
 */
export function errorResponse(
  status: number,
  message: string,
  { headers = {}, fields = {}, code, params }: ErrorContent = {},
  bare: BareErrors = NO_BARE_ERRORS,
): HttpResponse {
  const error = STATUS_CODES[status] ?? 'Error'
  const body = bare.includes(status) ? { error } : { error, message, ...fields }
  // RFC 9110 section 15.5.2: a 401 must name the authentication scheme.
  const challenge: ReplyHeaders = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return {
    status,
    headers: checkedHead(status, { ...ERROR_HEADERS, ...headers, ...challenge }),
    body: JSON.stringify(body),
    problem: { message, code, params, fields },
  }
}

const ERROR_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** Returns the 400 for a request that the parser of an adapter accepted although RFC 9112 forbids it. */
export function malformedResponse(problem: string): HttpResponse {
  return errorResponse(WEB_ERRORS['bad-request'].status, problem, { code: 'bad-request' })
}

/** Returns the 500 for an unexpected error. It reveals nothing of the error. */
export function unexpectedResponse(): HttpResponse {
  return errorResponse(
    WEB_ERRORS.unexpected.status,
    'An unexpected error occurred. The cause is in the server log.',
    { code: 'unexpected' },
  )
}
