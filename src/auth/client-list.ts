/**
 * All clients, in memory, since each request asks for one; every change goes through here, to disk first. Knows no
 * tokens and no HTTP.
 */
import type { ClientRecord, ClientStore, Role } from './clients.ts'
import { AccountError } from './errors.ts'
import { hashPassword, hasNul, isTooLong, MAX_PASSWORD_BYTES } from './password.ts'

export interface NewClient {
  readonly deviceId: string
  readonly password: string
  /** DEVISE when it is left out. */
  readonly role?: Role | undefined
  readonly description?: string | undefined
}

/** What is left out stays as it is. */
export interface ClientChange {
  readonly password?: string | undefined
  readonly role?: Role | undefined
  readonly description?: string | undefined
}

export class ClientList {
  readonly #store: ClientStore
  readonly #now: () => number
  readonly #byDevice = new Map<string, ClientRecord>()
  readonly #byId = new Map<number, ClientRecord>()
  readonly #listeners = new Set<(deviceId: string) => void>()
  /** Of clients that were deleted within a second of their last change: when that was. */
  readonly #deleted = new Map<string, number>()
  /** The last change so far: each waits for the one before, so that what it checked still holds when it is stored. */
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(store: ClientStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** @param now milliseconds since 1970 */
  static async open(store: ClientStore, now: () => number = Date.now): Promise<ClientList> {
    const list = new ClientList(store, now)
    for (const client of await store.all()) list.#keep(client)
    return list
  }

  /** In the order in which they were made. */
  all(): readonly ClientRecord[] {
    return [...this.#byId.values()]
  }

  byDevice(deviceId: string): ClientRecord | undefined {
    return this.#byDevice.get(deviceId)
  }

  byId(id: number): ClientRecord | undefined {
    return this.#byId.get(id)
  }

  /** @throws {AccountError} unknown-client */
  get(id: number): ClientRecord {
    const client = this.#byId.get(id)
    if (!client) throw new AccountError('unknown-client', `There is no client ${id}.`)
    return client
  }

  /** @returns its device id. @throws {AccountError} unknown-client, no-device when its role is another */
  deviceOf(id: number): string {
    const { deviceId, role } = this.get(id)
    if (role === 'DEVISE') return deviceId
    throw new AccountError('no-device', `Client ${id} has role ${role}: choose one with role DEVISE.`)
  }

  hasAdmin(): boolean {
    return this.#admins() > 0
  }

  /** @throws {AccountError} client-exists, password-too-long, password-has-nul */
  async create({ deviceId, password, role = 'DEVISE', description = '' }: NewClient): Promise<ClientRecord> {
    this.#mustBeFree(deviceId)
    const passwordHash = await hashed(password)
    return this.#inTurn(async () => {
      this.#mustBeFree(deviceId)
      const changedAtMs = this.#after(this.#deleted.get(deviceId))
      const client = { deviceId, passwordHash, role, description, changedAtMs }
      return this.#keep(await this.#store.add(client))
    })
  }

  /**
   * A new password or role ends the tokens and connections that the client has.
   *
   * @throws {AccountError} unknown-client, last-admin, password-too-long, password-has-nul
   */
  async change(id: number, { password, role, description }: ClientChange): Promise<ClientRecord> {
    this.get(id)
    const passwordHash = password === undefined ? undefined : await hashed(password)
    return this.#inTurn(async () => {
      const before = this.get(id)
      const revokes = passwordHash !== undefined || (role !== undefined && role !== before.role)
      const client = {
        ...before,
        passwordHash: passwordHash ?? before.passwordHash,
        role: role ?? before.role,
        description: description ?? before.description,
        changedAtMs: revokes ? this.#after(before.changedAtMs) : before.changedAtMs,
      }
      if (client.role !== 'MAN') this.#mustNotBeLast(before)
      await this.#store.replace(client)
      this.#keep(client)
      if (revokes) this.#tell(client.deviceId)
      return client
    })
  }

  /** @throws {AccountError} unknown-client, last-admin */
  remove(id: number): Promise<void> {
    return this.#inTurn(async () => {
      const client = this.get(id)
      this.#mustNotBeLast(client)
      await this.#store.remove(id)
      this.#byId.delete(id)
      this.#byDevice.delete(client.deviceId)
      this.#noteDeleted(client)
      this.#tell(client.deviceId)
    })
  }

  /**
   * @param listener told the device id of each client that was deleted, or got another password or role
   * @returns ends it
   */
  onChange(listener: (deviceId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #keep(client: ClientRecord): ClientRecord {
    this.#byDevice.set(client.deviceId, client)
    this.#byId.set(client.id, client)
    return client
  }

  /**
   * Now, or later where it must be: a token has its time in whole seconds, and one issued in the second of the last
   * change bears the next second, so that the change after it counts from the one after that.
   */
  #after(lastMs = Number.NEGATIVE_INFINITY): number {
    return Math.max(this.#now(), lastMs + 1000)
  }

  #noteDeleted({ deviceId, changedAtMs }: ClientRecord): void {
    for (const [each, atMs] of this.#deleted) if (atMs + 1000 < this.#now()) this.#deleted.delete(each)
    if (changedAtMs + 1000 >= this.#now()) this.#deleted.set(deviceId, changedAtMs)
  }

  #tell(deviceId: string): void {
    for (const listener of this.#listeners) listener(deviceId)
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(change)
    this.#turn = result.catch(() => {})
    return result
  }

  #admins(): number {
    let admins = 0
    for (const { role } of this.#byId.values()) if (role === 'MAN') admins++
    return admins
  }

  #mustBeFree(deviceId: string): void {
    if (!this.#byDevice.has(deviceId)) return
    throw new AccountError(
      'client-exists',
      `There is a client "${deviceId}" already: choose another deviseId.`,
    )
  }

  #mustNotBeLast({ role, deviceId }: ClientRecord): void {
    if (role !== 'MAN' || this.#admins() > 1) return
    throw new AccountError(
      'last-admin',
      `"${deviceId}" is the last client with role MAN: nobody could manage the broker without it. Make another one first.`,
    )
  }
}

/** @throws {AccountError} password-too-long, password-has-nul */
async function hashed(password: string): Promise<string> {
  if (hasNul(password)) {
    throw new AccountError(
      'password-has-nul',
      'A password has no NUL (U+0000), which bcrypt takes for the end: choose another.',
    )
  }
  if (isTooLong(password)) {
    throw new AccountError(
      'password-too-long',
      `A password has at most ${MAX_PASSWORD_BYTES} bytes of UTF-8: choose a shorter one.`,
    )
  }
  return hashPassword(password)
}
