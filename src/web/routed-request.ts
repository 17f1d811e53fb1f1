/**
 * Calls the handler of a routed request when the body has arrived, and creates the response. Knows no server and no
 * tree.
 */
import { inspect } from 'node:util'
import type { Held } from '../auth/held.ts'
import { unauthorized } from './access.ts'
import { BodyStream } from './body-stream.ts'
import { cookiesOf } from './cookies.ts'
import { isReply, Reply } from './endpoint.ts'
import { toErrorResponse, tooLargeError } from './errors.ts'
import type { Handler } from './handler.ts'
import { HeldStream } from './held-stream.ts'
import { keywordsOf } from './keywords.ts'
import { asProblem } from './problem.ts'
import { toResponse } from './reply.ts'
import type { Prefix } from './site.ts'
import { closeUnsent, EVENT_STREAM, isStream, typedByFirstItem } from './streamed.ts'
import type { Call, Cookies, FailedRequest, HttpResponse, Identity, RequestHead } from './types.ts'
import type { Keywords } from './validators.ts'
import type { Verb } from './verb.ts'

/** Parts of an app that its requests and WebSockets need. */
export interface RequestHost {
  /** Returns whether the errors of a request are answered as problem details. Reads the headers of the request. */
  acceptsProblems(head: RequestHead): boolean
  /**
   * Returns the response to an error. Never throws.
   *
   * @param prefix the prefix whose class the request found; null for an error before that
   */
  failure(error: unknown, request: FailedRequest, prefix: Prefix | null): HttpResponse
  /** Registers something that outlives the check of a caller. @param end called once when the access has ended */
  hold(prefix: Prefix, identity: Identity, end: () => void): Held
  hasAccess(prefix: Prefix, identity: Identity): boolean
  report(error: unknown, what: string): void
}

/**
 * Request that passed routing and access checks and waits for its body. It holds the arguments of its handler. One
 * object per request and no closure keep the cost of a request low.
 */
export class RoutedRequest {
  /** Maximum bytes of body to accept. 0 means no body, so the request can run at once. */
  readonly bodyLimit: number
  /** True when {@link run} accepts the body while it arrives. */
  readonly streamsBody: boolean
  readonly query: string
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  protected readonly app: RequestHost
  protected readonly prefix: Prefix
  protected readonly call: RequestCall
  protected readonly verb: Verb
  readonly #handler: Handler
  readonly #args: unknown[]

  constructor(
    app: RequestHost,
    prefix: Prefix,
    handler: Handler,
    verb: Verb,
    args: unknown[],
    call: RequestCall,
    head: RequestHead,
    bodyLimit: number,
  ) {
    this.app = app
    this.prefix = prefix
    this.#handler = handler
    this.verb = verb
    this.#args = args
    this.call = call
    this.query = head.query
    this.bodyLimit = bodyLimit
    this.streamsBody = verb.body === 'stream'
    this.contentType = bodyLimit === 0 ? undefined : head.header('content-type')
    this.contentEncoding = bodyLimit === 0 ? undefined : head.header('content-encoding')
  }

  /**
   * Calls the handler. Never throws and never rejects: an error becomes a response.
   *
   * @param body bytes are not used after this method returns, so the adapter may reuse their memory
   */
  run(body: Uint8Array | BodyStream): HttpResponse | Promise<HttpResponse> {
    try {
      const { identity } = this.call
      // The body may have taken long to arrive.
      if (identity !== null && this.bodyLimit > 0) this.#checkAgain(identity, body)
      const result = this.#callHandler(body)
      if (!isPromise(result)) return this.#respondTo(result)
      // One reaction. Each `await` would cost a request another promise and another microtask.
      return Promise.resolve(result).then(
        (value) => this.#respondTo(value),
        (error) => this.fail(error),
      )
    } catch (error) {
      return this.fail(error)
    }
  }

  /**
   * Returns the 413 that an adapter sends for a body over {@link bodyLimit}. The class is notified, as of other refused
   * keyword arguments. The answer does not wait for it, because the rest of the body may be on its way.
   */
  tooLarge(): HttpResponse {
    const error = tooLargeError(this.bodyLimit)
    if (this.verb.signature.keywords !== null && this.verb.body === null) void this.#notify(error)
    const response = toErrorResponse(error, {}) as HttpResponse
    return this.call.acceptsProblems ? asProblem(response) : response
  }

  /**
   * Returns the response to the handler's result. Only a method that needs a token has an identity; its responses are
   * confidential.
   *
   * @throws {TypeError} {RangeError} for a value that cannot be sent
   */
  protected respond(result: unknown): HttpResponse | Promise<HttpResponse> {
    return toResponse(result, this.call.identity !== null, this.verb.media)
  }

  protected fail(error: unknown): HttpResponse | Promise<HttpResponse> {
    return this.failure(error)
  }

  /** Returns the response to an error. A thrown value that is no object, such as undefined, has no text of its own. */
  protected failure(error: unknown): HttpResponse {
    if (typeof error === 'object' && error !== null) return this.app.failure(error, this.call, this.prefix)
    const { file, name } = this.#handler
    const text = `${file}: class ${name}, ${this.call.method}: ${inspect(error)} was thrown. Throw an Error.`
    return this.app.failure(new TypeError(text), this.call, this.prefix)
  }

  #callHandler(body: Uint8Array | BodyStream): unknown {
    const { signature, keywords: validator, body: form } = this.verb
    if (signature.keywords === null) return this.#invoke()
    if (form !== null) {
      const keywords = this.#args.at(-1) as Keywords
      keywords.body = form === 'raw' ? Uint8Array.from(body as Uint8Array) : partsOf(body)
      return this.#invoke()
    }
    let keywords: Keywords | Promise<Keywords>
    try {
      keywords = keywordsOf(this, body as Uint8Array, signature, validator)
    } catch (error) {
      return this.#refuse(error)
    }
    if (!(keywords instanceof Promise)) return this.#invoke(keywords)
    return keywords.then(
      (ready) => this.#invoke(ready),
      (error) => this.#refuse(error),
    )
  }

  /** Notifies the class that its keyword arguments are refused. @throws the reason */
  #refuse(error: unknown): unknown {
    const instance = new this.#handler.endpoint(this.prefix.services, this.call)
    const handled = instance.onRefusal(error, ...this.#args)
    if (!isPromise(handled)) throw error
    return handled.then(() => {
      throw error
    })
  }

  /** Notifies the class of a refusal that is answered already. Never rejects. */
  async #notify(refusal: unknown): Promise<void> {
    try {
      await this.#refuse(refusal)
    } catch (error) {
      if (error !== refusal) this.failure(error)
    }
  }

  #invoke(keywords?: Keywords): unknown {
    const instance = new this.#handler.endpoint(this.prefix.services, this.call)
    if (keywords !== undefined) this.#args.push(keywords)
    return this.verb.method.apply(instance, this.#args)
  }

  /**
   * Checks the access of the caller again. If the access ends while the body arrives, the body fails. @throws
   * {HttpError} 401
   */
  #checkAgain(identity: Identity, body: Uint8Array | BodyStream): void {
    if (!this.app.hasAccess(this.prefix, identity)) throw unauthorized()
    if (!(body instanceof BodyStream)) return
    const held = this.app.hold(this.prefix, identity, () => body.fail(unauthorized()))
    body.onEnd = () => held.release()
  }

  /** Notifies the adapter of a stream, which then ends with the access of the caller. Returns any other result unchanged. */
  #held(result: unknown): unknown {
    const { identity } = this.call
    const value = isReply(result) ? result.value : result
    if (!isStream(value)) return result
    this.call.beginStream()
    if (identity === null) return result
    const hold = (end: () => void): Held => this.app.hold(this.prefix, identity, end)
    if (!isReply(result)) return new HeldStream(value, hold, false)
    const type = result.options.headers?.['content-type']
    return new Reply(result.status, new HeldStream(value, hold, type === EVENT_STREAM), result.options)
  }

  /** Returns the response to the handler's result. Never throws and never rejects. */
  #respondTo(result: unknown): HttpResponse | Promise<HttpResponse> {
    try {
      const typed = typedByFirstItem(this.#held(result), this.verb.media, this.call)
      return isPromise(typed) ? this.#respondToStream(typed) : this.respond(typed)
    } catch (error) {
      return this.fail(error)
    }
  }

  async #respondToStream(opening: PromiseLike<unknown>): Promise<HttpResponse> {
    let result: unknown
    try {
      result = await opening
      return await this.respond(result)
    } catch (error) {
      closeUnsent(result)
      return this.fail(error)
    }
  }
}

/** Returns the parts of a body. A request without a body has empty bytes. */
function partsOf(body: Uint8Array | BodyStream): AsyncIterable<Uint8Array> {
  return (body instanceof BodyStream ? body : BodyStream.empty()).parts
}

/**
 * Request as seen by its handler. The peer's address is read on demand, because it is expensive and few handlers use
 * it.
 */
export class RequestCall implements Call {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly identity: Identity | null
  readonly headers: Call['headers']
  readonly acceptsProblems: boolean
  #cookies: Cookies | null = null
  #state: Record<string, unknown> | null = null
  readonly #head: RequestHead

  constructor(head: RequestHead, handler: Handler, identity: Identity | null, acceptsProblems: boolean) {
    this.method = head.method
    this.path = head.path
    this.query = head.query
    this.identity = identity
    this.headers = handler.headers.length === 0 ? NO_HEADERS : headersOf(head, handler.headers)
    this.acceptsProblems = acceptsProblems
    this.#head = head
  }

  get remote(): string {
    return this.#head.remote()
  }

  get signal(): AbortSignal {
    return this.#head.signal()
  }

  beginStream(): void {
    this.#head.beginStream?.()
  }

  get cookies(): Cookies {
    if (!Object.hasOwn(this.headers, 'cookie'))
      throw new TypeError(
        `this.call.cookies of ${this.path} was read. List "cookie" in static headers of the class.`,
      )
    this.#cookies ??= cookiesOf(this.headers.cookie)
    return this.#cookies
  }

  get state(): Record<string, unknown> {
    this.#state ??= {}
    return this.#state
  }
}

const NO_HEADERS: Call['headers'] = Object.freeze({})

function headersOf(head: RequestHead, names: readonly string[]): Call['headers'] {
  const headers: Record<string, string | undefined> = {}
  for (const name of names) headers[name] = head.header(name)
  return headers
}

export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
