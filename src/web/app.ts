/** From a request's head to its response: route, access, arguments, call. Knows no server and no broker. */
import { checkAccess } from './access.ts'
import type { HttpError } from './endpoint.ts'
import { type BareErrors, errorResponse, fail, toErrorResponse, unexpected, WEB_ERRORS } from './errors.ts'
import { KNOWN_METHODS, type Verb } from './handler.ts'
import type { Application, HttpResponse, RequestHead, WebSocketHandler } from './http.ts'
import { type Match, type ModuleNode, match, takes, verbFor } from './match.ts'
import { type Description, describeSite, type Info } from './openapi.ts'
import { RequestCall, RoutedRequest } from './routed-request.ts'
import type { Prefix, Site } from './site.ts'

/** The part of a pino logger that the framework uses. */
export interface Log {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}

export interface AppOptions {
  /** What answers which path. */
  readonly site: Site
  /** Bytes of request body; a larger one is 413. */
  readonly bodyLimit: number
  readonly log: Log
  /** Title and version of the app's description. Default: `API`, `0`. */
  readonly info?: Info | undefined
  /**
   * Statuses of errors whose body is `{ "error": "<reason phrase>" }` alone, for a protocol that fixes it so. Default:
   * none, as a `message` says what to do.
   */
  readonly bareErrors?: readonly number[] | undefined
}

export class App implements Application {
  readonly #options: AppOptions
  readonly #bareErrors: BareErrors
  #described: { readonly tree: ModuleNode; readonly description: Description } | null = null

  constructor(options: AppOptions) {
    this.#options = options
    this.#bareErrors = new Set(options.bareErrors)
  }

  /** Describes what requests can reach, in OpenAPI. Returns the same object until a tree is read again. */
  describe(): Description {
    const { site, info = { title: 'API', version: '0' } } = this.#options
    if (this.#described?.tree !== site.tree) {
      this.#described = { tree: site.tree, description: describeSite(site, info, this.#bareErrors) }
    }
    return this.#described.description
  }

  route(head: RequestHead): HttpResponse | RoutedRequest {
    try {
      return this.#route(head)
    } catch (error) {
      return this.failure(error, head, null)
    }
  }

  socket(path: string): WebSocketHandler | null {
    for (const { module, ownServices } of this.#options.site.prefixes) {
      const handler = ownServices && module.socket?.(ownServices as never, path)
      if (handler) return handler
    }
    return null
  }

  report(error: unknown, what: string): void {
    this.#options.log.error({ err: error, request: what }, 'unexpected error')
  }

  #route(head: RequestHead): HttpResponse | RoutedRequest {
    const { method } = head
    if (!KNOWN_METHODS.has(method)) {
      throw fail('unknown-method', `HTTP has no method "${method}".`)
    }
    const segments = segmentsOf(head.path)
    if (segments === null && method === 'OPTIONS') return { status: 204, headers: [], body: null }
    const { site } = this.#options
    const found = segments && match(site.tree, method, segments)
    if (found === null) throw nothingAnswers(head.path)
    const { handler, prefix } = found
    const verb = verbFor(handler, method)
    if (!verb && method === 'OPTIONS') {
      return { status: 204, headers: [['allow', handler.allow]], body: null }
    }
    const identity = checkAccess(handler, prefix, site, head)
    if (!verb) {
      throw fail('wrong-method', `${method} is not available here, only ${handler.allow}.`, {
        allow: handler.allow,
      })
    }
    const args = positionals(found, verb, head.path)
    const call = new RequestCall(head, handler, identity)
    return new RoutedRequest(this, prefix, handler, verb, args, call, head, this.#bodyLimit(head))
  }

  /** @throws {HttpError} 413 when the declared length is over the limit */
  #bodyLimit({ length }: RequestHead): number {
    const { bodyLimit } = this.#options
    if (length !== null && length > bodyLimit) throw tooLarge(bodyLimit)
    return length === 0 ? 0 : bodyLimit
  }

  /** @param prefix where the error comes from; null: it was not known yet */
  failure(
    error: unknown,
    { method, path }: Pick<RequestHead, 'method' | 'path'>,
    prefix: Prefix | null,
  ): HttpResponse {
    for (const table of this.#options.site.errorTablesFor(prefix)) {
      const response = toErrorResponse(error, table, this.#bareErrors)
      if (response) return response
    }
    this.report(error, `${method} ${path}`)
    return unexpected()
  }
}

export function tooLarge(bodyLimit: number): Error {
  return fail('too-large', `The body is larger than ${bodyLimit} bytes.`)
}

/** What adapters answer while they close. */
export function closing(): HttpResponse {
  return errorResponse(WEB_ERRORS.closing.status, 'The server is shutting down. Try again in a moment.', {
    'retry-after': '5',
  })
}

/**
 * The path's segments, each decoded on its own after the split, empty ones left out; null for `*`
 * (RFC 9110 section 9.3.7).
 *
 * @throws {HttpError} 400 malformed encoding
 */
export function segmentsOf(path: string): string[] | null {
  if (path === '*') return null
  // RFC 9112 section 3.2.2: a server accepts the absolute form too.
  const local = path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  const segments: string[] = []
  for (let start = 0; start < local.length; ) {
    const slash = local.indexOf('/', start)
    const end = slash < 0 ? local.length : slash
    if (end > start) segments.push(local.slice(start, end))
    start = end + 1
  }
  if (!local.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    throw fail('bad-encoding', 'A percent-encoding in the path is malformed. Encode "%" itself as %25.')
  }
}

/**
 * Turns the segments of a match into the positional arguments of a method, in place.
 *
 * @throws {HttpError} 404 wrong number, 400 wrong type
 */
export function positionals({ handler, args: segments }: Match, verb: Verb, path: string): unknown[] {
  if (!takes(verb, segments.length)) {
    // `Default` was not named by the path, so that a number of arguments would explain nothing.
    throw handler.name === 'Default' ? nothingAnswers(path) : wrongCount(verb, segments.length)
  }
  const { positionals: validators } = verb
  const { positionals: declared, rest, keywords } = verb.signature
  const args: unknown[] = segments
  for (let i = 0; validators !== null && i < args.length; i++) {
    const at = Math.min(i, declared.length)
    args[i] = validators[at]?.value(declared[at]?.name ?? (rest as string), args[i] as string)
  }
  // Keyword arguments come last: what stands before them and is missing is passed as undefined, its default applies.
  while (keywords !== null && args.length < declared.length) args.push(undefined)
  return args
}

function nothingAnswers(path: string): HttpError {
  return fail('unknown-path', `Nothing answers ${path}. "waybill routes" lists what there is.`)
}

function wrongCount(
  { required, signature: { positionals: declared, rest } }: Verb,
  count: number,
): HttpError {
  const most = rest !== null ? ' or more' : declared.length > required ? ` to ${declared.length}` : ''
  return fail('wrong-count', `The path has ${count} arguments; expected ${required}${most}.`)
}
