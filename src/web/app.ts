/** Routes the head of a request and checks access and arguments. Knows no server and no broker. */
import type { Held } from '../auth/held.ts'
import type { Log } from '../process/log.ts'
import { accessOf, checkAccess, unansweredAccess } from './access.ts'
import type { ApiInfo } from './api-info.ts'
import { KNOWN_METHODS } from './by-verb.ts'
import { isHttpError } from './endpoint.ts'
import { errorResponse, toErrorResponse, unexpectedResponse, WEB_ERRORS, webError } from './errors.ts'
import { type Every, everyInterval } from './every.ts'
import type { Handler } from './handler.ts'
import { type Application, isRouted, STREAM_STALL_MS } from './http.ts'
import { keywordsBesideBody } from './keywords.ts'
import { type Match, match, verbFor } from './match.ts'
import { observeAll } from './observe.ts'
import { type ApiDescription, describeSite } from './openapi.ts'
import { decodeSegments, positionalArguments, splitSegments, unknownPath } from './path.ts'
import { acceptsProblems, asProblem } from './problem.ts'
import { toResponse } from './reply.ts'
import { RouteNames } from './route-names.ts'
import { isPromise, RequestCall, type RequestHost, RoutedRequest } from './routed-request.ts'
import { RuledRequest, RuleRun } from './ruled-request.ts'
import type { Rules } from './rules.ts'
import { TOLERATED_TIMES } from './schema.ts'
import type { MergedModule, Prefix, Site } from './site.ts'
import type { FailedRequest, HttpResponse, Identity, Observe, RequestHead } from './types.ts'
import { type Upgraded, upgradeRequest, upgradeRequired } from './upgrade.ts'
import type { Verb } from './verb.ts'
import type { WebSocketHandler } from './web-sockets.ts'

/**
 * Options of an {@link App}.
 *
 * @example
 * ```ts
 * const options: AppOptions = { site: await readSite(['api']), bodyLimit: 262_144, log: console, problems: true }
 * ```
 */
export interface AppOptions {
  readonly site: Site
  /** Maximum bytes of a request body, for methods without a limit of their own. A larger body gets a 413. */
  readonly bodyLimit: number
  readonly log: Log
  /** Title and version of the API description, used if no `_services` file exports `info`. Default: `API`, `0`. */
  readonly info?: ApiInfo | undefined
  /** Returns the monotonic time in whole milliseconds, for rate limits. Default: `performance.now`. */
  readonly now?: (() => number) | undefined
  /** Calls a function at an interval, for WebSocket pings. Default: a timer that does not keep the process alive. */
  readonly every?: Every | undefined
  /** Observers of each exchange of an adapter. Without observers the adapters measure nothing. */
  readonly observers?: readonly Observe[] | undefined
  /** True answers errors as problem details (RFC 9457) to requests that accept `application/problem+json`. Default: false. */
  readonly problems?: boolean | undefined
  /**
   * Checks each request before routing, upgrade requests included. To refuse the request it throws an {@link
   * HttpError}, or an error whose `code` is in an error table. Synchronous.
   */
  readonly check?: ((head: Pick<RequestHead, 'header'>) => void) | undefined
  /** Counts the errors of an error table that are sent, by their code. Must not throw. */
  readonly refused?: ((code: string) => void) | undefined
}

/**
 * Routes requests to the classes of a site, and turns errors into responses.
 *
 * @example
 * ```ts
 * const app = new App({ site: await readSite(['api']), bodyLimit: 262_144, log: console })
 * const server = await listenNode(app, { host: '127.0.0.1', port: 8080 })
 * ```
 */
export class App implements Application, RequestHost {
  readonly observe: Observe | undefined
  readonly #options: AppOptions
  readonly #now: () => number
  #routeNames: { readonly tree: MergedModule; readonly names: RouteNames } | null = null
  #cachedDescription: { readonly tree: MergedModule; readonly description: ApiDescription } | null = null

  constructor(options: AppOptions) {
    this.#options = options
    this.#now = options.now ?? (() => Math.floor(performance.now()))
    this.observe = observeAll(options.observers ?? [])
  }

  get info(): ApiInfo {
    return this.#options.site.info ?? this.#options.info ?? { title: 'API', version: '0' }
  }

  /** Returns the OpenAPI description of all reachable classes. The object stays the same until a reload. */
  describe(): ApiDescription {
    const { site } = this.#options
    if (this.#cachedDescription?.tree !== site.tree) {
      const description = describeSite(site, this.info, this.#options.problems)
      this.#cachedDescription = { tree: site.tree, description }
    }
    return this.#cachedDescription.description
  }

  route(head: RequestHead): HttpResponse | RoutedRequest {
    try {
      this.#options.check?.(head)
      return this.#route(head)
    } catch (error) {
      return this.#refusal(error, head, null)
    }
  }

  inFormFor(head: RequestHead, response: HttpResponse): HttpResponse {
    return this.acceptsProblems(head) ? asProblem(response) : response
  }

  acceptsProblems(head: RequestHead): boolean {
    return this.#options.problems === true && acceptsProblems(head)
  }

  socket(path: string, head: Pick<RequestHead, 'header'>): WebSocketHandler | null {
    if (!this.#passes(head)) return null
    for (const { module, ownServices } of this.#options.site.prefixes) {
      const handler = ownServices && module.socket?.(ownServices as never, path)
      if (handler) return handler
    }
    return null
  }

  upgrade(head: RequestHead): Promise<Upgraded> | null {
    if (!this.#passes(head)) return null
    const { site, every = everyInterval } = this.#options
    const found = socketClassFor(site, head.path)
    const host = { app: this, site, now: this.#now, every }
    if (found) this.#nameRoute(head, verbFor(found.handler, 'CONNECT'), found.args.length)
    return found && upgradeRequest(host, found, head)
  }

  hold(prefix: Prefix, identity: Identity, end: () => void): Held {
    return this.#options.site.hold(prefix, identity, end)
  }

  hasAccess(prefix: Prefix, identity: Identity): boolean {
    return this.#options.site.hasAccess(prefix, identity)
  }

  /**
   * Returns false for an upgrade that the check refuses. The request is then routed without its upgrade, and refused.
   */
  #passes(head: Pick<RequestHead, 'header'>): boolean {
    try {
      this.#options.check?.(head)
      return true
    } catch {
      return false
    }
  }

  report(error: unknown, what: string): void {
    this.#options.log.error({ err: error, request: what }, 'unexpected error')
  }

  reportStalled(what: string): void {
    const seconds = STREAM_STALL_MS / 1_000
    this.#options.log.warn(
      { request: what },
      `the client took no part of the response for ${seconds} s: the connection was closed`,
    )
  }

  #route(head: RequestHead): HttpResponse | RoutedRequest {
    const { method } = head
    if (!KNOWN_METHODS.has(method)) {
      throw webError(
        'unknown-method',
        `HTTP has no method "${method}". Use one like GET or POST, in upper case.`,
      )
    }
    let segments: string[] | null
    try {
      segments = decodeSegments(head.path)
    } catch (error) {
      return this.#malformed(error, head)
    }
    if (segments === null && method === 'OPTIONS') return { status: 204, headers: [], body: null }
    const { site } = this.#options
    const found = segments && match(site.tree, method, segments)
    if (found === null) return this.#unanswered(head, segments ?? [])
    const { handler } = found
    const verb = verbFor(handler, method)
    this.#nameRoute(head, verb, found.args.length)
    if (method === 'OPTIONS') {
      const response = optionsResponse(handler, verb, head)
      if (response) return response
    }
    const rules = verb ? verb.rules : handler.otherRules
    if (rules !== null) return this.#routeByRules(found, verb, rules, head)
    try {
      return this.#admit(found, verb, head, null)
    } catch (error) {
      return this.#refusal(error, head, found.prefix)
    }
  }

  /** Returns the response to a path that no class answers: 404, or the refusal of its folder. */
  #unanswered(head: RequestHead, segments: readonly string[]): HttpResponse {
    const { site } = this.#options
    for (const { prefix, access } of unansweredAccess(site, head.method, segments)) {
      try {
        head.identity = checkAccess(access, prefix, site, head, null)
      } catch (error) {
        return this.#refusal(error, head, prefix)
      }
    }
    throw unknownPath(head.path)
  }

  /** Returns the response to a malformed path, with the headers of the rules of the class that its segments name. */
  #malformed(error: unknown, head: RequestHead): HttpResponse {
    const response = this.#refusal(error, head, null)
    const found = match(this.#options.site.tree, head.method, splitSegments(head.path))
    if (found === null) return response
    const { rules } = verbFor(found.handler, head.method) ?? { rules: found.handler.otherRules }
    return rules === null ? response : new RuleRun(rules, head, true).finish(response)
  }

  #refusal(error: unknown, head: RequestHead, prefix: Prefix | null): HttpResponse {
    const { method, path } = head
    return this.failure(error, { method, path, acceptsProblems: this.acceptsProblems(head) }, prefix)
  }

  /** Sets `route` of a head, if there is an observer. A reload creates the names again. */
  #nameRoute(head: RequestHead, verb: Verb | undefined, count: number): void {
    if (!this.observe || !verb) return
    const { site } = this.#options
    if (this.#routeNames?.tree !== site.tree) {
      this.#routeNames = { tree: site.tree, names: new RouteNames(site) }
    }
    head.route = this.#routeNames.names.of(verb, count)
  }

  #routeByRules(
    found: Match,
    verb: Verb | undefined,
    rules: Rules,
    head: RequestHead,
  ): HttpResponse | RoutedRequest {
    const access = verb ? verb.access : found.handler.otherAccess
    const run = new RuleRun(rules, head, accessOf(access, this.#options.site) === 'public')
    try {
      run.countAddress(head, this.#now())
      const routed = this.#admit(found, verb, head, run)
      return isRouted(routed) ? routed : run.finish(routed)
    } catch (error) {
      return run.finish(this.#refusal(error, head, found.prefix))
    }
  }

  /** Checks access and arguments. @param run null for a method without rules */
  #admit(
    found: Match,
    verb: Verb | undefined,
    head: RequestHead,
    run: RuleRun | null,
  ): HttpResponse | RoutedRequest {
    const { handler, prefix } = found
    const access = verb ? verb.access : handler.otherAccess
    const identity = checkAccess(access, prefix, this.#options.site, head, run?.rules.cors ?? null)
    head.identity = identity
    if (!verb) {
      if (handler.socket && head.method === 'GET') throw upgradeRequired()
      throw webError('wrong-method', `${head.method} is not available here. Use one of ${handler.allow}.`, {
        allow: handler.allow,
      })
    }
    const args = positionalArguments(found, verb, head.path)
    if (verb.body !== null) args.push(keywordsBesideBody(head, verb))
    const call = new RequestCall(head, handler, identity, this.acceptsProblems(head))
    const bodyLimit = this.#bodyLimit(head, verb)
    if ((head.length ?? 0) > bodyLimit) {
      return new RoutedRequest(this, prefix, handler, verb, args, call, head, bodyLimit).tooLarge()
    }
    if (run === null) return new RoutedRequest(this, prefix, handler, verb, args, call, head, bodyLimit)
    run.countCaller(call, this.#now())
    const early = run.before(call, prefix.services)
    const pending = isPromise(early) ? early : null
    if (pending === null && early !== undefined) return toResponse(early, true, null)
    return new RuledRequest(run, pending, this, prefix, handler, verb, args, call, head, bodyLimit)
  }

  /** Returns the maximum bytes of body to accept from a request; 0 for a request without a body. */
  #bodyLimit({ length }: RequestHead, verb: Verb): number {
    const times = verb.keywords?.tolerated.size ? TOLERATED_TIMES : 1
    return length === 0 ? 0 : (verb.bodyLimit ?? times * this.#options.bodyLimit)
  }

  /**
   * Returns the response to an error: by its status, by its `code` in an error table, else 500 and a log line. Never
   * throws, even if a function of an error table throws or an error has headers that HTTP forbids.
   *
   * @param prefix the prefix whose class the request found; null for an error before that
   */
  failure(error: unknown, request: FailedRequest, prefix: Prefix | null): HttpResponse {
    const response = this.#errorResponse(error, request, prefix)
    return request.acceptsProblems ? asProblem(response) : response
  }

  #errorResponse(error: unknown, { method, path }: FailedRequest, prefix: Prefix | null): HttpResponse {
    let unexpected = error
    try {
      for (const table of this.#options.site.errorTablesFor(prefix)) {
        const response = toErrorResponse(error, table, prefix?.module.bareErrors)
        if (!response) continue
        if (!isHttpError(error)) this.#options.refused?.((error as { readonly code: string }).code)
        return response
      }
    } catch (failed) {
      unexpected = failed
    }
    this.report(unexpected, `${method} ${path}`)
    return unexpectedResponse()
  }
}

/** Answers OPTIONS, unless the class does. A CORS preflight is answered before any class. */
function optionsResponse(handler: Handler, verb: Verb | undefined, head: RequestHead): HttpResponse | null {
  const origin = head.header('origin')
  const requested = head.header('access-control-request-method')
  const rules = requested === undefined ? null : (verbFor(handler, requested)?.rules ?? handler.otherRules)
  const isPreflight = origin !== undefined && rules?.cors
  if (!isPreflight && verb) return null
  const allow = [['allow', handler.allow]] as const
  if (!isPreflight) return { status: 204, headers: allow, body: null }
  const headers = [
    ...allow,
    ['vary', 'Origin'] as const,
    ...rules.cors.preflightHeadersFor(origin, handler.allow),
  ]
  return { status: 204, headers, body: null }
}

function socketClassFor({ tree }: Site, path: string): Match | null {
  try {
    const segments = decodeSegments(path)
    return segments && match(tree, 'CONNECT', segments)
  } catch {
    // The path is malformed. It gets the same answer as any other request.
    return null
  }
}

/** Returns the 503 that adapters send during shutdown. */
export function closingResponse(): HttpResponse {
  return errorResponse(WEB_ERRORS.closing.status, 'The server is shutting down. Try again in a moment.', {
    headers: { 'retry-after': '5' },
    code: 'closing',
  })
}
