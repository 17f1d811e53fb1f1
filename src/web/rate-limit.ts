/** Limits the rate at which one caller may use a method. */
import { networkOf } from '../net/address.ts'
import { RuleError } from './by-verb.ts'
import { webError } from './errors.ts'
import type { Call, HttpResponse } from './types.ts'

/** Rule of `static limit` of a class or folder. */
export interface RateLimitOptions {
  /** Maximum requests in a window. */
  readonly requests: number
  /** Length of a window in seconds. A window begins with the first request of a caller. */
  readonly seconds: number
  /**
   * Key by which requests are counted. `'address'` is counted before access is checked; the addresses of an IPv6 /64
   * count as one. `'identity'` is the id of the caller, or the address if the method is public. A function returns its
   * own key. Default: `'address'`.
   */
  readonly by?: 'address' | 'identity' | ((call: Call) => string)
}

/** Maximum callers tracked by one limit. The caller counted longest ago is evicted first. */
export const MAX_CALLERS = 10_000

const MEMBERS = ['requests', 'seconds', 'by']

export interface LimitCount {
  readonly exceeded: boolean
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly waitSec: number
}

interface Window {
  readonly endsAtMs: number
  used: number
}

/** Checked limit, with its counters. Several methods may share one limit and its counters. */
export class RateLimit {
  /** True when callers are counted by address, before access is checked. */
  readonly beforeAccess: boolean
  readonly #requests: number
  readonly #seconds: number
  readonly keyOf: (call: Call) => string
  readonly #policy: readonly [string, string]
  /** Windows by caller, the caller counted longest ago first. */
  readonly #windows = new Map<string, Window>()
  /** Callers to evict, in order. One iterator for all: each new one would skip the entries that V8 has not yet removed. */
  readonly #evictable = this.#windows.keys()

  private constructor({ requests, seconds, by = 'address' }: RateLimitOptions) {
    this.beforeAccess = by === 'address'
    this.#requests = requests
    this.#seconds = seconds
    this.keyOf =
      typeof by === 'function'
        ? by
        : ({ identity, remote }) => (identity ? `id ${identity.id}` : networkOf(remote))
    this.#policy = ['ratelimit-policy', `"default";q=${requests};w=${seconds}`]
  }

  /** Checks a declared limit; `false` disables it. @throws {RuleError} */
  static parse(declared: unknown): RateLimit | false {
    if (declared === false) return false
    const options = declared as RateLimitOptions
    const { requests, seconds, by = 'address' } = options ?? {}
    if (!isCount(requests) || !isCount(seconds)) {
      throw new RuleError('must be false or like { requests: 10, seconds: 60 }')
    }
    const unknown = Object.keys(options).find((name) => !MEMBERS.includes(name))
    if (unknown !== undefined) throw new RuleError(`has "${unknown}". It may have ${MEMBERS.join(', ')}`)
    if (by !== 'address' && by !== 'identity' && typeof by !== 'function') {
      throw new RuleError("needs 'address', 'identity' or a function as by")
    }
    return new RateLimit(options)
  }

  /**
   * Counts one request.
   *
   * @param key from {@link keyOf}, or the address of the peer
   * @param nowMs monotonic time
   */
  count(key: string, nowMs: number): LimitCount {
    let window = this.#windows.get(key)
    if (!window || nowMs >= window.endsAtMs) window = { endsAtMs: nowMs + this.#seconds * 1000, used: 0 }
    // The key moves to the end of the map, which keeps the order of insertion.
    this.#windows.delete(key)
    this.#windows.set(key, window)
    if (this.#windows.size > MAX_CALLERS) this.#windows.delete(this.#evictable.next().value as string)
    const exceeded = window.used >= this.#requests
    if (!exceeded) window.used++
    const waitSec = Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000))
    return { exceeded, remaining: this.#requests - window.used, waitSec }
  }

  /** Returns the headers of every answer (draft-ietf-httpapi-ratelimit-headers-10). */
  headersFor({ remaining, waitSec }: LimitCount): HttpResponse['headers'] {
    return [this.#policy, ['ratelimit', `"default";r=${remaining};t=${waitSec}`]]
  }

  refusal({ waitSec }: LimitCount): Error {
    return webError(
      'too-many-requests',
      `Only ${this.#requests} requests in ${this.#seconds} seconds are allowed. Try again in ${waitSec} seconds.`,
      { 'retry-after': String(waitSec) },
      { seconds: waitSec },
    )
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
