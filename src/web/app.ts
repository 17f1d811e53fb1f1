/** From a request's head to its response: route, access, arguments, call. Knows no server and no broker. */
import { checkAccess } from './access.ts'
import type { Keywords } from './contract.ts'
import type { Call, Identity } from './endpoint.ts'
import { errorResponse, fail, toErrorResponse, unexpected, WEB_ERRORS } from './errors.ts'
import { type Handler, KNOWN_METHODS, type Verb } from './handler.ts'
import type { Application, Head, HttpResponse, Plan } from './http.ts'
import { keywordsOf, type Source } from './keywords.ts'
import type { Prefix, Prefixes } from './prefix.ts'
import { toResponse } from './reply.ts'
import { find } from './tree.ts'

/** The part of a pino logger that the framework uses. */
export interface Log {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}

export interface AppOptions {
  /** Looked up in this order. */
  readonly prefixes: Prefixes
  /** Bytes of request body; a larger one is 413. */
  readonly bodyLimit: number
  readonly log: Log
}

interface Target {
  readonly prefix: Prefix
  readonly handler: Handler
  readonly rest: readonly string[]
}

export class App implements Application {
  readonly #options: AppOptions

  constructor(options: AppOptions) {
    this.#options = options
  }

  begin(head: Head): HttpResponse | Plan {
    try {
      return this.#plan(head)
    } catch (error) {
      return this.#failure(error, `${head.method} ${head.path}`, null)
    }
  }

  report(error: unknown, what: string): void {
    this.#options.log.error({ err: error, request: what }, 'unexpected error')
  }

  #plan(head: Head): HttpResponse | Plan {
    const { method } = head
    if (!KNOWN_METHODS.has(method)) {
      throw fail('unknown-method', `HTTP has no method "${method}".`)
    }
    const segments = segmentsOf(head.path)
    if (segments === null && method === 'OPTIONS') return { status: 204, headers: [], body: null }
    const target = segments && this.#find(segments)
    if (!target) {
      throw fail('unknown-path', `Nothing answers ${head.path}. "waybill routes" lists what there is.`)
    }
    const { handler, prefix } = target
    const verb = verbFor(handler, method)
    if (!verb && method === 'OPTIONS') {
      return { status: 204, headers: [['allow', handler.allow]], body: null }
    }
    const identity = checkAccess(handler, prefix, this.#options.prefixes, head)
    if (!verb) {
      throw fail('wrong-method', `${method} is not available here, only ${handler.allow}.`, {
        allow: handler.allow,
      })
    }
    const args = positionals(verb, target.rest)
    const call = callOf(head, handler, identity)
    const source = {
      query: head.query,
      contentType: head.header('content-type'),
      contentEncoding: head.header('content-encoding'),
    }
    const bodyLimit = this.#bodyLimit(head)
    return {
      bodyLimit,
      run: (body) => this.#run(target, verb, args, call, source, body),
    }
  }

  #find(segments: readonly string[]): Target | null {
    for (const prefix of this.#options.prefixes.all) {
      const found = find(prefix.tree, segments)
      if (found) return { prefix, handler: found.handler, rest: found.rest }
    }
    return null
  }

  /** @throws {HttpError} 413 when the declared length is over the limit */
  #bodyLimit(head: Head): number {
    const { bodyLimit } = this.#options
    const length = head.header('content-length')
    if (length !== undefined && Number(length) > bodyLimit) throw tooLarge(bodyLimit)
    const hasBody = head.header('transfer-encoding') !== undefined || Number(length ?? 0) > 0
    return hasBody ? bodyLimit : 0
  }

  #run(
    target: Target,
    verb: Verb,
    args: unknown[],
    call: Call,
    source: Source,
    body: Uint8Array,
  ): HttpResponse | Promise<HttpResponse> {
    const failed = (error: unknown): HttpResponse =>
      this.#failure(error, `${call.method} ${call.path}`, target.prefix)
    const invoke = (keywords: Keywords | null): unknown => {
      const instance = new target.handler.endpoint(target.prefix.services, call)
      return verb.method.apply(instance, keywords === null ? args : [...args, keywords])
    }
    try {
      const { signature, keywords: contract } = verb
      const keywords = signature.keywords === null ? null : keywordsOf(source, body, signature, contract)
      const value = isPromise(keywords) ? keywords.then(invoke) : invoke(keywords)
      if (isPromise(value)) return value.then((result) => toResponse(result, call.method)).catch(failed)
      return toResponse(value, call.method)
    } catch (error) {
      return failed(error)
    }
  }

  /** @param prefix where the error comes from; null: it was not known yet */
  #failure(error: unknown, request: string, prefix: Prefix | null): HttpResponse {
    for (const table of this.#options.prefixes.errorsOf(prefix)) {
      const response = toErrorResponse(error, table)
      if (response) return response
    }
    this.report(error, request)
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
  const segments = local.split('/').filter((segment) => segment !== '')
  if (!local.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    throw fail('bad-encoding', 'A percent-encoding in the path is malformed. Encode "%" itself as %25.')
  }
}

export function verbFor(handler: Handler, method: string): Verb | undefined {
  const { verbs } = handler
  return verbs.get(method) ?? (method === 'HEAD' ? verbs.get('GET') : undefined) ?? verbs.get('ANY')
}

/** @throws {HttpError} 404 wrong number, 400 wrong type */
export function positionals(verb: Verb, segments: readonly string[]): unknown[] {
  const { positionals: declared, rest, keywords } = verb.signature
  const required = declared.filter(({ optional }) => !optional).length
  if (segments.length < required || (rest === null && segments.length > declared.length)) {
    const most = rest !== null ? ' or more' : declared.length > required ? ` to ${declared.length}` : ''
    throw fail('wrong-count', `The path has ${segments.length} arguments; expected ${required}${most}.`)
  }
  const contracts = verb.positionals
  const args: unknown[] = segments.map((segment, i) => {
    const at = Math.min(i, declared.length)
    return contracts?.[at] ? contracts[at].value(declared[at]?.name ?? (rest as string), segment) : segment
  })
  // Keyword arguments come last: what stands before them and is missing is passed as undefined, its default applies.
  while (keywords !== null && args.length < declared.length) args.push(undefined)
  return args
}

function callOf(head: Head, handler: Handler, identity: Identity | null): Call {
  const headers: Record<string, string | undefined> = {}
  for (const name of handler.headers) headers[name] = head.header(name)
  return { method: head.method, path: head.path, identity, remote: head.remote(), headers }
}

function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
