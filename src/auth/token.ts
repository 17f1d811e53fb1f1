/** Issues and verifies access tokens: JWT (RFC 7519) signed with HS256 only. Knows no clients. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'

export interface Claims {
  readonly sub: string
  readonly role: string
  /** Time of issue, in seconds since 1970. */
  readonly iat: number
  /** Expiry, in seconds since 1970. */
  readonly exp: number
}

/** Minimum bytes of a key for HS256 (RFC 7518 section 3.2). */
export const MIN_SECRET_BYTES = 32

/** Returns the device id that a token claims; null without one. It may be forged, so it is only for the log. */
export function claimedDeviceId(token: string): string | null {
  try {
    const claims = jwt.decode(token)
    return typeof claims === 'object' && typeof claims?.sub === 'string' ? claims.sub : null
  } catch {
    return null
  }
}

export class Tokens {
  readonly #key: KeyObject
  readonly #lifetimeMs: number

  /** @param secret at least {@link MIN_SECRET_BYTES} bytes of UTF-8 */
  constructor(secret: string, lifetimeMs: number) {
    // A string would be converted to a KeyObject at each verification, which makes it fifty times as slow.
    this.#key = createSecretKey(secret, 'utf8')
    this.#lifetimeMs = lifetimeMs
  }

  issue(sub: string, role: string, iat: number): string {
    const exp = iat + Math.max(1, Math.round(this.#lifetimeMs / 1000))
    return jwt.sign({ sub, role, iat, exp }, this.#key, { algorithm: 'HS256' })
  }

  /** Returns the claims of a token; null for a token that is altered, expired, signed with another key, or extended. */
  verify(token: string): Claims | null {
    try {
      // Without this list, HS384 and HS512 would be accepted too.
      const { header, payload: claims } = jwt.verify(token, this.#key, {
        algorithms: ['HS256'],
        complete: true,
      })
      // RFC 7515 section 4.1.11: a token with a critical extension that the recipient does not support is invalid.
      if ('crit' in header) return null
      if (typeof claims === 'string' || typeof claims.sub !== 'string') return null
      if (typeof claims.iat !== 'number' || typeof claims.exp !== 'number') return null
      return claims as unknown as Claims
    } catch {
      return null
    }
  }
}
