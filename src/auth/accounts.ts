/** Checks credentials and tokens of clients, and creates the first admin. */
import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { ClientList } from './client-list.ts'
import type { ClientRecord, Role } from './clients.ts'
import { TooManyFailures, WrongCredentials } from './errors.ts'
import { matches } from './password.ts'
import type { Tokens } from './token.ts'

/** Limit of failed logins of one device id from one address: their number, and the time window in which they count. */
export const LOGIN_FAILURES = { allowed: 10, windowSec: 60 } as const

/**
 * Time that a checked credential is cached after its last use, so that devices that reconnect after a failure need not
 * wait for bcrypt. It is the default lifetime of a token. A changed password or a deleted client ends the entry at once.
 */
const CREDENTIAL_TTL_MS = 86_400_000
/** Maximum cached credentials, of about 200 bytes each. */
const MAX_CREDENTIALS = 50_000

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
  /** Returns the time in milliseconds since 1970. */
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
  /** Tokens with a valid signature, with their client and expiry. */
  readonly #verified = new LRUCache<string, { client: ClientRecord; exp: number }>({ max: 10_000 })
  /** Checked credentials, by a keyed hash, so that memory holds no password. */
  readonly #credentials = new LRUCache<string, true>({
    max: MAX_CREDENTIALS,
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
   * Creates an admin if no client is one.
   *
   * @param password null for a random password
   * @returns whether the admin was created, and its password if it is random
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
   * Logs a client in and issues a token.
   *
   * @param address address of the peer; failures are counted by device id and address
   * @throws {WrongCredentials}
   * @throws {TooManyFailures}
   */
  async login(deviceId: string, password: string, address: string): Promise<Login> {
    if (!(await this.check(deviceId, password, address))) throw new WrongCredentials()
    const client = this.#clients.byDevice(deviceId)
    if (!client) throw new WrongCredentials()
    // `iat` has whole seconds. A token that is issued in the second of a change must not look older than the change.
    const iat = Math.max(Math.floor(this.#now() / 1000), validFromSec(client))
    return { deviceId, role: client.role, token: this.#tokens.issue(deviceId, client.role, iat) }
  }

  /** Tells whether a client has this password. @throws {TooManyFailures} */
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
    // The client may have changed meanwhile: its device id may be that of another client now.
    if ((await matches(password, hash)) && this.#clients.byDevice(deviceId)?.passwordHash === hash) {
      this.#credentials.set(key, true)
      return true
    }
    await this.#failures.consume(source).catch((refused: unknown) => {
      if (!(refused instanceof RateLimiterRes)) throw refused
      throw tooMany(refused)
    })
    return false
  }

  /** Returns the device id and role of a client; null when it does not exist. */
  find(deviceId: string): Session | null {
    return this.#clients.byDevice(deviceId) ?? null
  }

  /** Calls a listener when a client is deleted or gets another device id, password or role. @returns unsubscribes */
  onChange(listener: (deviceId: string) => void): () => void {
    return this.#clients.onChange(listener)
  }

  /** Returns the client of a token; null when the token is invalid or older than the last change of its client. */
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

/** Returns the first second (since 1970) that is later than every token from before the last change of a client. */
function validFromSec({ changedAtMs }: ClientRecord): number {
  return Math.floor(changedAtMs / 1000) + 1
}

function tooMany({ msBeforeNext }: RateLimiterRes): TooManyFailures {
  return new TooManyFailures(Math.max(1, Math.ceil(msBeforeNext / 1000)))
}
