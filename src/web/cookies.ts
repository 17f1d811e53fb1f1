/** Reads the cookies of a request, and sets and signs cookies of a response (RFC 6265). Knows no server. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Cookies } from './types.ts'

/** Returns the cookies of a request by name. Of several cookies with one name the first counts. */
export function cookiesOf(header: string | undefined): Cookies {
  return new Map(Object.entries(parseCookie(header ?? '')) as [string, string][])
}

/**
 * Options of a {@link Cookie}.
 *
 * @example
 * ```ts
 * const options: CookieOptions = { maxAge: 3_600, sameSite: 'strict' }
 * ```
 */
export interface CookieOptions {
  /**
   * Secret of at least 32 characters, with which the cookie is signed. Of a list, the first secret signs, and each is
   * accepted. Without a secret the cookie is not signed.
   */
  readonly secret?: string | readonly string[] | undefined
  /** Seconds for which the browser keeps the cookie, and for which a signature is valid. Default: until the browser ends. */
  readonly maxAge?: number
  /** Path below which the browser sends the cookie. Default: `/`. */
  readonly path?: string
  /** Domain whose hosts get the cookie. Default: only the host that set the cookie. */
  readonly domain?: string
  /** False lets scripts of the page read the cookie. Default: true. */
  readonly httpOnly?: boolean
  /** False lets the browser send the cookie over plain HTTP. Default: true. */
  readonly secure?: boolean
  /** Requests of other sites that have the cookie. `'lax'`: links that the user follows. Default: `'lax'`. */
  readonly sameSite?: 'strict' | 'lax' | 'none'
}

const MIN_SECRET_CHARACTERS = 32

/** Maximum bytes of name and value that browsers accept (RFC 6265bis section 5.6). They ignore a longer cookie. */
const MAX_BYTES = 4_096

/**
 * Cookie with its attributes. The object that sets the cookie also reads it, so that an unsigned text is never taken
 * for a signed one.
 *
 * @example
 * ```ts
 * const session = new Cookie('session', { maxAge: 3_600 })
 *
 * class Login extends Endpoint {
 *   static headers = ['cookie']
 *   GET() {
 *     return session.read(this.call.cookies)
 *   }
 *   POST() {
 *     return new Reply(204, undefined, { headers: { 'set-cookie': session.set('id-of-ada') } })
 *   }
 * }
 * ```
 */
export class Cookie {
  readonly name: string
  readonly #secrets: readonly string[]
  readonly #attributes: Omit<CookieOptions, 'secret'>
  readonly #now: () => number

  /**
   * @param now wall clock in milliseconds, for tests
   * @throws {TypeError} {RangeError} for a name or an attribute that browsers refuse, and for a short secret
   */
  constructor(name: string, options: CookieOptions = {}, now: () => number = Date.now) {
    const { secret, ...attributes } = options
    this.name = name
    this.#secrets = secretsOf(name, options)
    this.#attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'lax', ...attributes }
    this.#now = now
    if (attributes.sameSite === 'none' && attributes.secure === false) {
      throw new TypeError(`Cookie "${name}" has sameSite 'none' without secure, which browsers refuse.`)
    }
    try {
      this.set('')
    } catch (error) {
      throw new TypeError(`Cookie "${name}" cannot be set: ${(error as Error).message}.`)
    }
  }

  /**
   * Returns the value of the cookie. Null if the request has no such cookie, or its signature is wrong or has expired.
   *
   * @param cookies `cookies` of the credentials or of `this.call`
   */
  read(cookies: Cookies): string | null {
    const text = cookies.get(this.name)
    if (text === undefined) return null
    return this.#secrets.length === 0 ? text : this.#verified(text)
  }

  /**
   * Returns the value of a `Set-Cookie` header.
   *
   * @throws {RangeError} for a value that is too long for browsers
   */
  set(value: string): string {
    const header = this.#header(this.#secrets.length === 0 ? value : this.#signed(value))
    const [pair = ''] = header.split(';', 1)
    if (pair.length > MAX_BYTES) {
      throw new RangeError(
        `Cookie "${this.name}" has ${pair.length} bytes. Browsers ignore more than ${MAX_BYTES}: store an id in it instead.`,
      )
    }
    return header
  }

  /** Returns the value of a `Set-Cookie` header that removes the cookie. */
  clear(): string {
    return this.#header('', 0)
  }

  #header(value: string, maxAge = this.#attributes.maxAge): string {
    const timed = maxAge === undefined ? {} : { maxAge }
    return stringifySetCookie({ ...this.#attributes, ...timed, name: this.name, value })
  }

  /** Returns `VALUE.EXPIRES.SIGNATURE`, with the time in seconds; 0 for a cookie without a maximum age. */
  #signed(value: string): string {
    const { maxAge } = this.#attributes
    const expires = maxAge === undefined ? 0 : Math.floor(this.#now() / 1_000) + maxAge
    const content = `${value}.${expires}`
    return `${content}.${this.#signature(this.#secrets[0] as string, content)}`
  }

  #verified(text: string): string | null {
    const [, content, value, expires, given] = /^((.*)\.(\d+))\.([\w-]+)$/s.exec(text) ?? []
    if (content === undefined || value === undefined || given === undefined) return null
    const isSigned = this.#secrets.some((secret) => isEqual(this.#signature(secret, content), given))
    const isCurrent = expires === '0' || Number(expires) * 1_000 > this.#now()
    return isSigned && isCurrent ? value : null
  }

  /** Returns the signature of a content. The name is part of it, so that one cookie is not accepted as another. */
  #signature(secret: string, content: string): string {
    return createHmac('sha256', secret).update(`${this.name}=${content}`).digest('base64url')
  }
}

/** Returns the secrets of a cookie. An option that is undefined, such as a variable that is not set, is a mistake. */
function secretsOf(name: string, options: CookieOptions): readonly string[] {
  if (!('secret' in options)) return []
  const secrets: readonly unknown[] = [options.secret].flat()
  const isLong = (secret: unknown) => typeof secret === 'string' && secret.length >= MIN_SECRET_CHARACTERS
  if (secrets.length > 0 && secrets.every(isLong)) return secrets as string[]
  throw new RangeError(
    `The secret of cookie "${name}" must have at least ${MIN_SECRET_CHARACTERS} characters. Make one with "openssl rand -base64 32".`,
  )
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
