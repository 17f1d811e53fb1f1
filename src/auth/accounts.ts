/** Checks credentials and tokens of clients. */
import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import { networkOf } from '../net/address.ts'
import type { AccessControl } from './access.ts'
import type { ClientList } from './client-list.ts'
import type { ClientRecord, Role } from './clients.ts'
import { Starting, TooManyFailures, WrongCredentials } from './errors.ts'
import type { Grant } from './grant.ts'
import { isKey, type KeyList } from './key-list.ts'
import type { LoginTimes } from './login-times.ts'
import { comparePassword, hashQueue, isTooLong } from './password.ts'
import type { Tokens } from './token.ts'

/** Limit of failed logins for one device id from one network: number, and length of the time window. */
export const LOGIN_FAILURES = { allowed: 10, windowSec: 60 } as const

/**
 * Time for which a checked credential is cached after its last use, so that devices that reconnect after a failure need
 * not wait for bcrypt. Equal to the default lifetime of a token. A changed password or a deleted client ends the entry
 * at once.
 */
const CREDENTIAL_TTL_MS = 86_400_000
/** Maximum cached credentials, of about 200 bytes each. A client has one entry for itself and one per network. */
const MAX_CREDENTIALS = 100_000

/** Key of the check of oversized credentials. They match no client, so one hash serves all of a network. */
const TOO_LONG = 'too long'
/** Maximum UTF-16 units of a client's device id: 255 characters. A longer id would only use memory. */
const MAX_ID_UNITS = 510

/** Characters of a signature of HS256: 32 bytes in base64url. */
const SIGNATURE_LENGTH = 43

export interface Login {
  readonly deviceId: string
  readonly role: Role
  readonly token: string
}

interface SourcedLogin {
  readonly deviceId: string
  readonly password: string
  /** Key of device id and network, under which failures are counted. */
  readonly source: string
}

interface VerifiedToken {
  readonly token: string
  readonly grant: Grant
}

export interface AccountsOptions {
  readonly clients: ClientList
  readonly tokens: Tokens
  readonly access: AccessControl
  /** API keys; undefined if none is valid. */
  readonly keys?: Pick<KeyList, 'prove'> | undefined
  /** Stores the times of logins; undefined to store none. */
  readonly logins?: Pick<LoginTimes, 'record'> | undefined
  readonly now?: () => number
}

export class Accounts {
  readonly #clients: ClientList
  readonly #tokens: Tokens
  readonly #access: AccessControl
  readonly #keys: AccountsOptions['keys']
  readonly #now: () => number
  readonly #logins: AccountsOptions['logins']
  readonly #failures = new RateLimiterMemory({
    points: LOGIN_FAILURES.allowed,
    duration: LOGIN_FAILURES.windowSec,
  })
  /**
   * Tokens with a valid signature, by their signature. V8 hashes the key of each look-up, and a whole token is much
   * longer.
   */
  readonly #verified = new LRUCache<string, VerifiedToken>({ max: 10_000 })
  readonly #credentials = new LRUCache<string, true>({
    // Each entry has size 1: with `max`, the cache would allocate the memory of all entries at once, which is 4 MB.
    maxSize: MAX_CREDENTIALS,
    sizeCalculation: () => 1,
    ttl: CREDENTIAL_TTL_MS,
    updateAgeOnGet: true,
  })
  readonly #credentialKey = randomBytes(32)
  /** Listeners for the next login of a client, by device id. */
  readonly #nextLogins = new Map<string, () => unknown>()
  #hasAdmin = false

  constructor({ clients, tokens, access, keys, logins, now = Date.now }: AccountsOptions) {
    this.#logins = logins
    this.#clients = clients
    this.#tokens = tokens
    this.#access = access
    this.#keys = keys
    this.#now = now
  }

  /**
   * Logs a client in and issues a token.
   *
   * @param address address of the peer; failures are counted by device id and network
   * @param signal aborts when the peer has disconnected
   * @throws {Starting} before the first admin exists
   * @throws {WrongCredentials}
   * @throws {TooManyFailures}
   * @throws {TooManyLogins}
   */
  async login(deviceId: string, password: string, address: string, signal?: AbortSignal): Promise<Login> {
    const grant = await this.provePassword(deviceId, password, address, signal)
    const client = this.#clients.byDevice(deviceId)
    if (!grant || !client || !this.#access.isProven(grant)) throw new WrongCredentials()
    // `iat` has whole seconds. A token issued in the second of a change must not look older than the change.
    const iat = Math.max(Math.floor(this.#now() / 1000), validFromSec(client))
    return { deviceId, role: client.role, token: this.#tokens.issue(deviceId, client.role, iat) }
  }

  /** Returns whether a password is the client's. @throws as `provePassword` does */
  async check(deviceId: string, password: string, address: string, signal?: AbortSignal): Promise<boolean> {
    return (await this.provePassword(deviceId, password, address, signal)) !== null
  }

  /**
   * Returns the grant of a client with this password; null for a wrong password. Credentials that succeeded earlier
   * from the same network bypass a lock-out, so that other clients' failures there do not lock the client out.
   *
   * @throws {Starting} before the first admin exists
   * @throws {TooManyFailures}
   * @throws {TooManyLogins}
   */
  async provePassword(
    deviceId: string,
    password: string,
    address: string,
    signal?: AbortSignal,
  ): Promise<Grant | null> {
    // The last admin cannot be removed, so the search through all clients ends once there is an admin.
    this.#hasAdmin ||= this.#clients.hasAdmin()
    if (!this.#hasAdmin) throw new Starting()
    const share = networkOf(address)
    if (isTooLong(password) || deviceId.length > MAX_ID_UNITS) {
      await hashQueue.login({ share, key: TOO_LONG, signal }, () => comparePassword('', null))
      return null
    }
    const fromHere = (): string => this.#keyOf(deviceId, password, this.#hashOf(deviceId), share)
    if (this.#credentials.get(fromHere())) return this.#loggedIn(deviceId)
    const login = { deviceId, password, source: this.#keyOf(share, deviceId) }
    const turn = { share, key: this.#keyOf(deviceId, password), signal }
    const isRight =
      (await this.#isCached(login)) || (await hashQueue.login(turn, () => this.#checkInTurn(login)))
    // The client may have changed since the check, and the grant must match the checked credentials.
    if (isRight && this.#isKnown(deviceId, password)) {
      this.#credentials.set(fromHere(), true)
      this.#nextLogins.get(deviceId)?.()
      this.#nextLogins.delete(deviceId)
      return this.#loggedIn(deviceId)
    }
    await this.#failures.consume(login.source).catch((refused: unknown) => {
      if (!(refused instanceof RateLimiterRes)) throw refused
      throw tooMany(refused)
    })
    return null
  }

  #loggedIn(deviceId: string): Grant {
    const client = this.#clients.byDevice(deviceId) as ClientRecord
    this.#logins?.record(client.id)
    return this.#access.grant(client)
  }

  /** Calls a listener once, at the client's next correct password. */
  onNextLogin(deviceId: string, listener: () => unknown): void {
    this.#nextLogins.set(deviceId, listener)
  }

  /**
   * Returns the grant of a token or an API key. Null for a token that is invalid or older than the last change of its
   * client, and for an unknown or expired key.
   */
  prove(token: string): Grant | null {
    if (isKey(token)) return this.#proveKey(token)
    const found = this.#verified.get(signatureOf(token))
    const known = found?.token === token ? found : undefined
    if (known && this.#access.isProven(known.grant)) return known.grant
    if (known) this.#verified.delete(signatureOf(token))
    return this.#verify(token)
  }

  #proveKey(key: string): Grant | null {
    const proven = this.#keys?.prove(key)
    return proven ? this.#access.grant(proven.client, proven) : null
  }

  /**
   * Checks again in its turn, because an equal login may have succeeded, or other logins failed, while this login
   * waited.
   */
  async #checkInTurn(login: SourcedLogin): Promise<boolean> {
    if (await this.#isCached(login)) return true
    const { deviceId, password } = login
    const passwordHash = this.#hashOf(deviceId)
    const isRight = await comparePassword(password, passwordHash)
    // A password that was changed meanwhile is wrong.
    if (!isRight || this.#hashOf(deviceId) !== passwordHash) return false
    this.#credentials.set(this.#keyOf(deviceId, password, passwordHash), true)
    return true
  }

  /** Returns whether the credentials succeeded before. @throws {TooManyFailures} */
  async #isCached({ deviceId, password, source }: SourcedLogin): Promise<boolean> {
    const counted = await this.#failures.get(source)
    if (counted && counted.remainingPoints <= 0) throw tooMany(counted)
    return this.#isKnown(deviceId, password)
  }

  /** Returns whether the current password of a client was checked before. */
  #isKnown(deviceId: string, password: string): boolean {
    return this.#credentials.get(this.#keyOf(deviceId, password, this.#hashOf(deviceId))) ?? false
  }

  #hashOf(deviceId: string): string | null {
    return this.#clients.byDevice(deviceId)?.passwordHash ?? null
  }

  /** Returns a keyed hash, so that memory holds neither passwords nor peer-chosen texts of any length. */
  #keyOf(...parts: (string | null)[]): string {
    return createHmac('sha256', this.#credentialKey).update(JSON.stringify(parts)).digest('base64')
  }

  #verify(token: string): Grant | null {
    const claims = this.#tokens.verify(token)
    const client = claims && this.#clients.byDevice(claims.sub)
    if (!claims || !client || client.role !== claims.role || claims.iat < validFromSec(client)) return null
    const grant = this.#access.grant(client, { endsAtMs: claims.exp * 1_000 })
    if (!this.#access.isProven(grant)) return null
    this.#verified.set(signatureOf(token), { token, grant })
    return grant
  }
}

/** Returns the part of a token at the position of an HS256 signature (RFC 7515 section 7.1). It may be forged. */
function signatureOf(token: string): string {
  return token.slice(-SIGNATURE_LENGTH)
}

/** Returns the first second (since 1970) that is later than every token issued before the last change of a client. */
function validFromSec({ changedAtMs }: ClientRecord): number {
  return Math.floor(changedAtMs / 1000) + 1
}

function tooMany({ msBeforeNext }: RateLimiterRes): TooManyFailures {
  return new TooManyFailures(Math.max(1, Math.ceil(msBeforeNext / 1000)))
}
