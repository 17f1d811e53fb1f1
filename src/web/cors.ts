/** Implements CORS for a method (https://fetch.spec.whatwg.org/#http-cors-protocol). */
import { RuleError } from './by-verb.ts'
import type { HttpResponse } from './types.ts'

/** Rule of `static cors` of a class or folder. */
export interface CorsOptions {
  /** Allowed origins, such as `https://app.example`; `'*'` allows all. */
  readonly origins: '*' | readonly string[]
  /** True lets a page send cookies and HTTP credentials. Default: false. */
  readonly credentials?: boolean
  /** Request headers that a page may set, in addition to Content-Type. Default: none. */
  readonly headers?: readonly string[]
  /** Response headers that a page may read. Default: none. */
  readonly expose?: readonly string[]
  /** Seconds for which a browser may cache the answer to a preflight. Default: 600. */
  readonly maxAge?: number
}

export type CorsHeaders = HttpResponse['headers']

const MEMBERS = ['origins', 'credentials', 'headers', 'expose', 'maxAge']

export class Cors {
  readonly #origins: '*' | ReadonlySet<string>
  readonly #credentials: boolean
  /** Headers of every answer to an allowed origin, without `Access-Control-Allow-Origin`. */
  readonly #answerHeaders: CorsHeaders
  readonly #preflightHeaders: CorsHeaders

  private constructor({
    origins,
    credentials = false,
    headers = [],
    expose = [],
    maxAge = 600,
  }: CorsOptions) {
    this.#origins = origins === '*' ? '*' : new Set(origins)
    this.#credentials = credentials
    const withCredentials: CorsHeaders = credentials ? [['access-control-allow-credentials', 'true']] : []
    this.#answerHeaders =
      expose.length === 0
        ? withCredentials
        : [...withCredentials, ['access-control-expose-headers', expose.join(', ')]]
    this.#preflightHeaders = [
      ...withCredentials,
      ['access-control-allow-headers', ['Content-Type', ...headers].join(', ')],
      ['access-control-max-age', String(maxAge)],
    ]
  }

  /** Checks a declared rule; `false` disables CORS. @throws {RuleError} */
  static parse(declared: unknown): Cors | false {
    if (declared === false) return false
    const options = declared as CorsOptions
    if (typeof declared !== 'object' || declared === null || !('origins' in declared)) {
      throw new RuleError("must be false or have origins: a list like ['https://app.example'], or '*'")
    }
    const unknown = Object.keys(declared).find((name) => !MEMBERS.includes(name))
    if (unknown !== undefined) throw new RuleError(`has "${unknown}". It may have ${MEMBERS.join(', ')}`)
    const { origins, credentials = false, headers = [], expose = [], maxAge = 600 } = options
    if (origins !== '*' && !(isTexts(origins) && origins.every(isOrigin))) {
      throw new RuleError(
        "needs origins like 'https://app.example': scheme, host and port only, or '*' for all",
      )
    }
    if (typeof credentials !== 'boolean') throw new RuleError('needs true or false as credentials')
    if (credentials && origins === '*') {
      throw new RuleError("has credentials for origins '*', which browsers refuse. List the origins")
    }
    if (!isTexts(headers) || !isTexts(expose))
      throw new RuleError('needs lists of header names as headers and expose')
    if (!Number.isInteger(maxAge) || maxAge < 0) throw new RuleError('needs whole seconds as maxAge')
    return new Cors(options)
  }

  allows(origin: string): boolean {
    return this.#origins === '*' || this.#origins.has(origin)
  }

  /** Returns whether pages of an origin may send cookies. */
  allowsCookies(origin: string): boolean {
    return this.#credentials && this.allows(origin)
  }

  /**
   * Returns the CORS headers of a response. @param origin value of the Origin header; undefined when the request has
   * none
   */
  headersFor(origin: string | undefined): CorsHeaders {
    if (origin === undefined || !this.allows(origin)) return []
    return [['access-control-allow-origin', this.#origins === '*' ? '*' : origin], ...this.#answerHeaders]
  }

  /**
   * Returns the headers of the answer to a preflight.
   *
   * @param methods value of the `Allow` header
   */
  preflightHeadersFor(origin: string, methods: string): CorsHeaders {
    if (!this.allows(origin)) return []
    return [
      ['access-control-allow-origin', this.#origins === '*' ? '*' : origin],
      ['access-control-allow-methods', methods],
      ...this.#preflightHeaders,
    ]
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')
}

/**
 * Returns whether a text is an origin in the form that browsers send (RFC 6454 section 6.2): no path, no default port,
 * no pattern.
 */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*')
}

/** Returns whether an origin has the host of the request. The schemes may differ, because a proxy may terminate TLS. */
export function isOwnOrigin(origin: string, host = ''): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host: own } = new URL(origin)
  const base = `${protocol}//${host}`
  return own !== '' && URL.canParse(base) && new URL(base).host === own
}
