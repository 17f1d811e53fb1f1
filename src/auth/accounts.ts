/** Who may log in, whose token counts, and the first admin. */
import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { ClientList } from './client-list.ts'
import type { ClientRecord, Role } from './clients.ts'
import { TooManyFailures, WrongCredentials } from './errors.ts'
import { matches } from './password.ts'
import type { Tokens } from './token.ts'

/** Failed logins of one client from one address before it has to wait, and for how long they count. */
export const LOGIN_FAILURES = { allowed: 10, windowSec: 60 } as const

/**
 * A credential that was checked is not hashed again for this long after its last use, so that all devices that come back
 * after a failure do not wait for bcrypt. As long as a token is good for by default, which such a login could have had;
 * another password or a deleted client ends it at once.
 */
const CREDENTIAL_TTL_MS = 86_400_000
/** Entries of about 200 bytes. */
const MOST_CREDENTIALS = 50_000

export interface Session {
  readonly deviceId: string
  readonly role: Role
}

export interface Login extends Session {
  readonly token: string
}

export interface AccountsOptions {
  readonly clients: ClientList
  readonly tokens: Tokens
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export class Accounts {
  readonly #clients: ClientList
  readonly #tokens: Tokens
  readonly #now: () => number
  readonly #failures = new RateLimiterMemory({
    points: LOGIN_FAILURES.allowed,
    duration: LOGIN_FAILURES.windowSec,
  })
  /** Tokens whose signature was checked, with what it proved. */
  readonly #verified = new LRUCache<string, { client: ClientRecord; exp: number }>({ max: 10_000 })
  /** Credentials that were checked, under a keyed hash, so that memory holds no password. */
  readonly #credentials = new LRUCache<string, true>({
    max: MOST_CREDENTIALS,
    ttl: CREDENTIAL_TTL_MS,
    updateAgeOnGet: true,
  })
  readonly #credentialKey = randomBytes(32)

  constructor({ clients, tokens, now = Date.now }: AccountsOptions) {
    this.#clients = clients
    this.#tokens = tokens
    this.#now = now
  }

  /**
   * Makes sure that somebody can manage the broker.
   *
   * @param password null: a random one is made
   * @returns the password when a client was made and its password was random
   */
  async ensureAdmin(
    deviceId: string,
    password: string | null,
  ): Promise<{ created: boolean; password: string | null }> {
    if (this.#clients.hasAdmin()) return { created: false, password: null }
    const chosen = password ?? randomBytes(15).toString('base64url')
    await this.#clients.create({ deviceId, password: chosen, role: 'MAN', description: 'first admin' })
    return { created: true, password: password === null ? chosen : null }
  }

  /**
   * @param address where the request comes from; failures are counted by client and address
   * @throws {WrongCredentials}
   * @throws {TooManyFailures}
   */
  async login(deviceId: string, password: string, address: string): Promise<Login> {
    if (!(await this.check(deviceId, password, address))) throw new WrongCredentials()
    const client = this.#clients.byDevice(deviceId)
    if (!client) throw new WrongCredentials()
    // A whole second is the grain of `iat`: one issued in the second of a change must not look older than it.
    const iat = Math.max(Math.floor(this.#now() / 1000), validFromSec(client))
    return { deviceId, role: client.role, token: this.#tokens.issue(deviceId, client.role, iat) }
  }

  /** Whether a client has this password. @throws {TooManyFailures} */
  async check(deviceId: string, password: string, address: string): Promise<boolean> {
    const source = `${address} ${deviceId}`
    const counted = await this.#failures.get(source)
    if (counted && counted.remainingPoints <= 0) throw tooMany(counted)
    const client = this.#clients.byDevice(deviceId)
    const hash = client?.passwordHash ?? null
    const key = createHmac('sha256', this.#credentialKey)
      .update(JSON.stringify([deviceId, password, hash]))
      .digest('base64')
    if (this.#credentials.get(key)) return true
    if (await matches(password, hash)) {
      this.#credentials.set(key, true)
      return true
    }
    await this.#failures.consume(source).catch((refused: unknown) => {
      if (!(refused instanceof RateLimiterRes)) throw refused
      throw tooMany(refused)
    })
    return false
  }

  /** @returns null when there is no such client */
  find(deviceId: string): Session | null {
    return this.#clients.byDevice(deviceId) ?? null
  }

  /** @param listener told of each client that is deleted, or gets another password or role. @returns ends it */
  onChange(listener: (deviceId: string) => void): () => void {
    return this.#clients.onChange(listener)
  }

  /** Who a token stands for; null when it is not valid, or older than its client's last change. */
  session(token: string): Session | null {
    const known = this.#verified.get(token)
    const isCurrent = known && this.#clients.byDevice(known.client.deviceId) === known.client
    const proven = isCurrent ? known : this.#verify(token)
    if (proven && proven.exp * 1000 > this.#now()) return proven.client
    this.#verified.delete(token)
    return null
  }

  #verify(token: string): { client: ClientRecord; exp: number } | null {
    const claims = this.#tokens.verify(token)
    const client = claims && this.#clients.byDevice(claims.sub)
    if (!claims || !client || client.role !== claims.role || claims.iat < validFromSec(client)) return null
    const known = { client, exp: claims.exp }
    this.#verified.set(token, known)
    return known
  }
}

/** The first whole second in which no token from before the client's last change can have been issued. */
function validFromSec({ changedAtMs }: ClientRecord): number {
  return Math.floor(changedAtMs / 1000) + 1
}

function tooMany({ msBeforeNext }: RateLimiterRes): TooManyFailures {
  return new TooManyFailures(Math.max(1, Math.ceil(msBeforeNext / 1000)))
}
