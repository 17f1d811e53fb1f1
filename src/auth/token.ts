/** Access tokens: JWT (RFC 7519) signed with HS256 and nothing else. Knows no clients. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'

export interface Claims {
  /** The client's device id. */
  readonly sub: string
  readonly role: string
  /** Seconds since 1970. */
  readonly iat: number
  readonly exp: number
}

/** RFC 7518 section 3.2: a key for HS256 has at least 256 bits. */
export const MIN_SECRET_BYTES = 32

export class Tokens {
  readonly #key: KeyObject
  readonly #lifetimeMs: number

  /** @param secret at least {@link MIN_SECRET_BYTES} bytes of UTF-8 */
  constructor(secret: string, lifetimeMs: number) {
    // A KeyObject: with a string each verification would make one anew, at fifty times the cost.
    this.#key = createSecretKey(secret, 'utf8')
    this.#lifetimeMs = lifetimeMs
  }

  issue(sub: string, role: string, iat: number): string {
    const exp = iat + Math.max(1, Math.round(this.#lifetimeMs / 1000))
    return jwt.sign({ sub, role, iat, exp }, this.#key, { algorithm: 'HS256' })
  }

  /** @returns null when the token is altered, expired, or not one of ours */
  verify(token: string): Claims | null {
    try {
      // Without the list, HS384 and HS512 would pass too.
      const claims = jwt.verify(token, this.#key, { algorithms: ['HS256'] })
      if (typeof claims === 'string' || typeof claims.sub !== 'string') return null
      if (typeof claims.iat !== 'number' || typeof claims.exp !== 'number') return null
      return claims as unknown as Claims
    } catch {
      return null
    }
  }
}
