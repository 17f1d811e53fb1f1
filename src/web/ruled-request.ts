/**
 * Calls a handler with the rules of its class and folders: hooks, CORS, limit, cache. Methods without rules bypass this
 * file.
 */
import { networkOf } from '../net/address.ts'
import { BodyStream } from './body-stream.ts'
import { type CachePolicy, withETag } from './cache.ts'
import { isReply, Reply } from './endpoint.ts'
import type { LimitCount, RateLimit } from './rate-limit.ts'
import { toReply, toResponse } from './reply.ts'
import { isPromise, RoutedRequest } from './routed-request.ts'
import type { Rules } from './rules.ts'
import { closeUnsent, isStream, typedByFirstItem } from './streamed.ts'
import type { Call, HttpResponse, RequestHead } from './types.ts'

/** Rules of a method, applied to one request. Copies what it needs from the head while the head can be read. */
export class RuleRun {
  readonly rules: Rules
  readonly #isPublic: boolean
  readonly #origin: string | undefined
  readonly #ifNoneMatch: string | undefined
  #counted: LimitCount | null = null

  /** @param isPublic whether callers need no token */
  constructor(rules: Rules, head: RequestHead, isPublic: boolean) {
    this.rules = rules
    this.#isPublic = isPublic
    this.#origin = rules.cors ? head.header('origin') : undefined
    this.#ifNoneMatch = rules.cache?.etag ? head.header('if-none-match') : undefined
  }

  /** Counts the request by the address of its peer, if the limit is by address. @throws {HttpError} 429 */
  countAddress(head: RequestHead, nowMs: number): void {
    const { limit } = this.rules
    if (limit?.beforeAccess) this.#count(limit, networkOf(head.remote()), nowMs)
  }

  /** Counts the request by its caller, unless the limit is by address. @throws {HttpError} 429 */
  countCaller(call: Call, nowMs: number): void {
    const { limit } = this.rules
    if (limit && !limit.beforeAccess) this.#count(limit, limit.keyOf(call), nowMs)
  }

  #count(limit: RateLimit, key: string, nowMs: number): void {
    this.#counted = limit.count(key, nowMs)
    if (this.#counted.exceeded) throw limit.refusal(this.#counted)
  }

  /** Calls the hooks of the folders before the handler. Returns the first reply that ends the request. */
  before(call: Call, services: object): Reply | undefined | Promise<Reply | undefined> {
    const { before } = this.rules
    for (let i = 0; i < before.length; i++) {
      const given = before[i]?.(call, services as never)
      if (isPromise(given)) return this.#awaitBefore(given, i + 1, call, services)
      if (given !== undefined) return typedByFirstItem(checkedReply(given, 'before'), null, call)
    }
    return undefined
  }

  async #awaitBefore(
    first: PromiseLike<Reply | undefined>,
    next: number,
    call: Call,
    services: object,
  ): Promise<Reply | undefined> {
    let given = await first
    for (const hook of this.rules.before.slice(next)) {
      if (given !== undefined) break
      given = await hook(call, services as never)
    }
    return given === undefined ? undefined : typedByFirstItem(checkedReply(given, 'before'), null, call)
  }

  after(call: Call, reply: Reply, services: object): Reply | Promise<Reply> {
    let last = reply
    const { after } = this.rules
    for (let i = 0; i < after.length; i++) {
      const given = after[i]?.(call, last, services as never)
      if (isPromise(given)) return this.#awaitAfter(given, i + 1, last, call, services)
      if (given !== undefined) last = checkedReply(given, 'after')
    }
    return last
  }

  async #awaitAfter(
    first: PromiseLike<Reply | undefined>,
    next: number,
    reply: Reply,
    call: Call,
    services: object,
  ): Promise<Reply> {
    const adopt = (given: Reply | undefined, last: Reply) =>
      given === undefined ? last : checkedReply(given, 'after')
    let last = adopt(await first, reply)
    for (const hook of this.rules.after.slice(next))
      last = adopt(await hook(call, last, services as never), last)
    return last
  }

  /** Adds the headers of the rules to any response of the method, including a refusal. */
  finish(response: HttpResponse): HttpResponse {
    const { cors, limit, cache } = this.rules
    const tagged = cache?.etag ? withETag(response, this.#ifNoneMatch) : response
    const headers = [
      ...tagged.headers,
      ...(cors ? [['vary', 'Origin'] as const, ...cors.headersFor(this.#origin)] : []),
      ...(limit && this.#counted ? limit.headersFor(this.#counted) : []),
      ...(cache ? this.#cacheHeaders(cache, tagged) : []),
    ]
    return { ...tagged, headers }
  }

  #cacheHeaders(cache: CachePolicy, { headers }: HttpResponse): HttpResponse['headers'] {
    // Errors set the header, and so may the reply of a handler.
    if (headers.some(([name]) => name === 'cache-control')) return []
    return cache.headersFor(this.#isPublic)
  }
}

export class RuledRequest extends RoutedRequest {
  readonly #run: RuleRun
  /** Result of the hooks before the handler; null when they finished at once. */
  readonly #pending: Promise<Reply | undefined> | null

  constructor(
    run: RuleRun,
    pending: Promise<Reply | undefined> | null,
    ...args: ConstructorParameters<typeof RoutedRequest>
  ) {
    super(...args)
    this.#run = run
    this.#pending = pending
    // The body may arrive long after a rejection, or never. Until `run` awaits the promise, the rejection must not end
    // the process.
    pending?.catch(() => {})
  }

  override run(body: Uint8Array | BodyStream): HttpResponse | Promise<HttpResponse> {
    const response =
      this.#pending === null
        ? super.run(body)
        : this.#runLater(this.#pending, body instanceof BodyStream ? body : Buffer.from(body))
    if (isPromise(response)) return response.then((ready) => this.#run.finish(ready))
    return this.#run.finish(response)
  }

  async #runLater(pending: Promise<Reply | undefined>, body: Uint8Array | BodyStream): Promise<HttpResponse> {
    try {
      const early = await pending
      return early === undefined ? await super.run(body) : toResponse(early, true, null)
    } catch (error) {
      return this.failure(error)
    }
  }

  protected override respond(result: unknown): HttpResponse | Promise<HttpResponse> {
    return this.#afterwards(isReply(result) ? result : new Reply(result === undefined ? 204 : 200, result))
  }

  protected override fail(error: unknown): HttpResponse | Promise<HttpResponse> {
    return this.#afterwards(toReply(this.failure(error)))
  }

  /**
   * Calls the hooks after the handler. An error of a hook is answered like an error of the handler, but without calling
   * hooks again.
   */
  #afterwards(reply: Reply): HttpResponse | Promise<HttpResponse> {
    const failed = (error: unknown): HttpResponse => {
      closeUnsent(reply)
      return this.failure(error)
    }
    try {
      const last = this.#run.after(this.call, reply, this.prefix.services)
      const typed = isPromise(last)
        ? last.then((ready) => this.#typed(ready, reply))
        : this.#typed(last, reply)
      return isPromise(typed)
        ? typed.then((ready) => this.#toResponse(ready)).catch(failed)
        : this.#toResponse(typed)
    } catch (error) {
      return failed(error)
    }
  }

  /** Opens a stream that a hook returned. Closes the stream of the handler if the last reply does not send it. */
  #typed(last: Reply, reply: Reply): Reply | Promise<Reply> {
    if (!isStream(last.value)) closeUnsent(reply)
    return typedByFirstItem(last, this.verb.media, this.call)
  }

  #toResponse(last: Reply): HttpResponse {
    // A cache rule replaces the default for methods that need a token.
    const isConfidential = this.call.identity !== null && this.#run.rules.cache === null
    return toResponse(last, isConfidential, this.verb.media)
  }
}

function checkedReply(given: unknown, hook: string): Reply {
  if (isReply(given)) return given
  throw new TypeError(
    `${hook} of a _folder file returned a ${typeof given}. It may return a Reply, or nothing.`,
  )
}
