/** Sets Cache-Control and ETag, and answers 304 (RFC 9110 section 13, RFC 9111). */
import { createHash } from 'node:crypto'
import { RuleError } from './by-verb.ts'
import type { HttpResponse } from './types.ts'

/** Rule of `static cache` of a class or folder. */
export interface CacheOptions {
  /** Seconds for which a cache may reuse an answer without revalidation, 0 to 31,536,000. Default: 0. */
  readonly maxAge?: number
  /** True adds a weak ETag to answers with status 200 and a body of text or bytes up to 1 MiB. Default: false. */
  readonly etag?: boolean
}

const MAX_AGE = 31_536_000
/** Maximum bytes of a body with an ETag. An ETag costs one SHA-256 of the body. */
const MAX_ETAG_BYTES = 1_048_576

const NO_STORE = [['cache-control', 'no-store']] as const

export class CachePolicy {
  readonly etag: boolean
  readonly #forAll: HttpResponse['headers']
  readonly #forOne: HttpResponse['headers']

  private constructor(options: CacheOptions | false) {
    this.etag = options !== false && (options.etag ?? false)
    const maxAge = options === false ? 0 : (options.maxAge ?? 0)
    this.#forAll = options === false ? NO_STORE : [['cache-control', `max-age=${maxAge}`]]
    this.#forOne = options === false ? NO_STORE : [['cache-control', `private, max-age=${maxAge}`]]
  }

  /** Checks a declared rule; `false` forbids all storage. @throws {RuleError} */
  static parse(declared: unknown): CachePolicy {
    if (declared === false) return new CachePolicy(false)
    const isObject = typeof declared === 'object' && declared !== null
    const { maxAge = 0, etag = false, ...others } = (isObject ? declared : { others: 1 }) as CacheOptions
    const isAge = Number.isInteger(maxAge) && maxAge >= 0 && maxAge <= MAX_AGE
    if (!isAge || typeof etag !== 'boolean' || Object.keys(others).length > 0) {
      throw new RuleError(
        `must be false or like { maxAge: 60, etag: true }, with maxAge from 0 to ${MAX_AGE} seconds`,
      )
    }
    return new CachePolicy({ maxAge, etag })
  }

  /**
   * Returns the Cache-Control header.
   *
   * @param isPublic false adds `private`, so that shared caches do not store a response for one caller
   */
  headersFor(isPublic: boolean): HttpResponse['headers'] {
    return isPublic ? this.#forAll : this.#forOne
  }
}

/**
 * Adds an ETag to a response that can have one. Returns a 304 if the client already has the same body.
 *
 * @param ifNoneMatch value of the If-None-Match header
 */
export function withETag(response: HttpResponse, ifNoneMatch: string | undefined): HttpResponse {
  const { status, body } = response
  if (status !== 200 || !(typeof body === 'string' || body instanceof Uint8Array)) return response
  const own = response.headers.find(([name]) => name === 'etag')?.[1]
  if (own === undefined && Buffer.byteLength(body) > MAX_ETAG_BYTES) return response
  const etag = own ?? `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  const headers = own === undefined ? [...response.headers, ['etag', etag] as const] : response.headers
  if (!matchesETag(ifNoneMatch, etag)) return { ...response, headers }
  // RFC 9110 section 15.4.5: a 304 has the headers that the 200 would have, but no content.
  return {
    ...response,
    status: 304,
    body: null,
    headers: headers.filter(([name]) => name !== 'content-type'),
  }
}

/** Returns whether a list of ETags contains an ETag. The comparison is weak (RFC 9110 section 13.1.2). */
export function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.match(/"[^"]*"/g)?.includes(opaque) ?? false
}
