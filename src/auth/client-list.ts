/**
 * Keeps all clients in memory, because each request needs one. A change becomes durable before it takes effect. Knows
 * no tokens and no HTTP.
 */
import { entryOf } from '../audit/actor.ts'
import type { Actor } from '../audit/audit.ts'
import { changeEntry, creationEntry, type EndedBy, endedMember } from './client-audit.ts'
import type { ClientRecord, ClientStore, RecordUpdate, Role } from './clients.ts'
import { checkNewDeviceId } from './device-id.ts'
import { DeviceList, NO_DEVICES } from './device-list.ts'
import { AccountError, clientExists, lastAdmin, StaleClient, unknownClient } from './errors.ts'
import { hashPassword, hasNul, isTooLong, MAX_PASSWORD_BYTES } from './password.ts'
import { ACCEPTED_COSTS, isPasswordHash, refusedCostOf, toStoredHash } from './password-hash.ts'

export interface NewClient {
  readonly deviceId: string
  /** Password, or its bcrypt hash. */
  readonly password: string
  /** Default: `DEVISE`. */
  readonly role?: Role | undefined
  readonly description?: string | undefined
  /** Devices that the client may act for, in addition to its own id. Default: none. */
  readonly devices?: readonly string[] | undefined
  /** Limit to its own queue. Null, the default, means the general setting. */
  readonly ownQueueOnly?: boolean | null | undefined
}

/** Changes of a client. Omitted members keep their values. */
export interface ClientChange {
  readonly deviceId?: string | undefined
  /** Plain password, never a hash. */
  readonly password?: string | undefined
  readonly role?: Role | undefined
  readonly description?: string | undefined
  readonly devices?: readonly string[] | undefined
  /** Limit to its own queue; null means the general setting. */
  readonly ownQueueOnly?: boolean | null | undefined
}

export interface ClientUpdate {
  readonly before: ClientRecord | null
  readonly after: ClientRecord | null
}

/** Maximum attempts to apply a change while other nodes change the same client. */
const MAX_TRIES = 10

export class ClientList {
  /** Returns the holders that a change ends, for the audit trail. */
  endedBy: EndedBy = () => ({})
  readonly #store: ClientStore
  readonly #now: () => number
  readonly #byDevice = new Map<string, ClientRecord>()
  readonly #byId = new Map<number, ClientRecord>()
  /** Lists of the clients that may act for other devices, by the client's device id. */
  readonly #devices = new Map<string, DeviceList>()
  /** Values of the clients with their own value, by the client's device id. */
  readonly #ownQueueOnly = new Map<string, boolean>()
  readonly #listeners = new Set<(update: ClientUpdate) => void>()
  /** Times of the last change of clients deleted or renamed within a second of it, by former device id. */
  readonly #formerAtMs = new Map<string, number>()
  /**
   * Tail of the change queue. Each change waits for the previous one, so that its checks still hold when it is stored.
   */
  #lastChange: Promise<unknown> = Promise.resolve()

  private constructor(store: ClientStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Reads all clients from the storage. @param now returns the time in milliseconds since 1970 */
  static async open(store: ClientStore, now: () => number = Date.now): Promise<ClientList> {
    const list = new ClientList(store, now)
    store.watch?.((update) => list.#apply(update))
    for (const client of await store.all()) list.#keep(client)
    return list
  }

  /** Returns all clients, oldest first. */
  all(): readonly ClientRecord[] {
    return [...this.#byId.values()]
  }

  byDevice(deviceId: string): ClientRecord | undefined {
    return this.#byDevice.get(deviceId)
  }

  byId(id: number): ClientRecord | undefined {
    return this.#byId.get(id)
  }

  /** Returns the devices that a client may act for, in addition to its own id. */
  devicesOf(deviceId: string): DeviceList {
    return this.#devices.get(deviceId) ?? NO_DEVICES
  }

  /** Returns whether a client is limited to its own queue; undefined if the general setting decides. */
  ownQueueOnly(deviceId: string): boolean | undefined {
    return this.#ownQueueOnly.get(deviceId)
  }

  /** @throws {AccountError} unknown-client */
  get(id: number): ClientRecord {
    const client = this.#byId.get(id)
    if (!client) throw unknownClient(id)
    return client
  }

  /** Returns the device id of a client. @throws {AccountError} unknown-client; no-device if its role is not `DEVISE` */
  deviceOf(id: number): string {
    const { deviceId, role } = this.get(id)
    if (role === 'DEVISE') return deviceId
    throw new AccountError('no-device', `Client ${id} has role ${role}: choose a client with role DEVISE.`, {
      id,
    })
  }

  hasAdmin(): boolean {
    return this.#admins() > 0
  }

  /**
   * Creates a client.
   *
   * @param by the client that makes the change, for the audit trail; null writes no line
   * @throws {AccountError} padded-device-id, client-exists, password-too-long, password-has-nul, password-hash-cost
   */
  create(created: NewClient, by: Actor | null = null): Promise<ClientRecord> {
    return this.#create(created, (client) => this.#store.add(client, by && creationEntry(by, client)))
  }

  /**
   * Creates a client with role `MAN` if there is none. Returns null if another node created one meanwhile.
   *
   * @throws {AccountError} as `create` does
   */
  async createFirstAdmin(created: Omit<NewClient, 'role'>): Promise<ClientRecord | null> {
    try {
      return await this.#create({ ...created, role: 'MAN' }, (client) => this.#store.addFirstAdmin(client))
    } catch (error) {
      // The client with this device id may be the admin that another node created.
      if (this.hasAdmin()) return null
      throw error
    }
  }

  async #create<T extends ClientRecord | null>(
    created: NewClient,
    add: (client: Omit<ClientRecord, 'id'>) => Promise<T>,
  ): Promise<T> {
    const { deviceId, password, role = 'DEVISE', description = '' } = created
    const { devices = [], ownQueueOnly = null } = created
    checkNewDeviceId(deviceId)
    this.#checkIsFree(deviceId)
    const passwordHash = isPasswordHash(password) ? acceptedHash(password) : await hashed(password)
    return this.#inTurn(async () => {
      this.#checkIsFree(deviceId)
      const changedAtMs = this.#changeTime(Number.NEGATIVE_INFINITY, deviceId)
      const client = { deviceId, passwordHash, role, description, devices, ownQueueOnly, changedAtMs }
      const added = await add(client)
      if (added !== null) this.#stored({ id: added.id, record: added })
      return added
    })
  }

  /**
   * Changes a client. A new device id, password or role ends its tokens and connections. A new list of devices and a
   * new limit to its own queue apply at once, without ending connections.
   *
   * @param by the client that makes the change, for the audit trail; null writes no line
   * @throws {AccountError} unknown-client, padded-device-id, client-exists, last-admin, password-too-long, password-has-nul, password-is-hash
   */
  async change(id: number, change: ClientChange, by: Actor | null = null): Promise<ClientRecord> {
    const { deviceId, password, role, description, devices, ownQueueOnly } = change
    this.#checkMayBeNamed(this.get(id), deviceId)
    if (password !== undefined) checkIsNoHash(password)
    const passwordHash = password === undefined ? undefined : await hashed(password)
    return this.#inTurn(async () => {
      for (let tries = 1; ; tries++) {
        const before = this.get(id)
        this.#checkMayBeNamed(before, deviceId)
        const revokes =
          passwordHash !== undefined ||
          (deviceId ?? before.deviceId) !== before.deviceId ||
          (role ?? before.role) !== before.role
        const client = {
          ...before,
          deviceId: deviceId ?? before.deviceId,
          passwordHash: passwordHash ?? before.passwordHash,
          role: role ?? before.role,
          description: description ?? before.description,
          devices: devices ?? before.devices,
          ownQueueOnly: ownQueueOnly === undefined ? before.ownQueueOnly : ownQueueOnly,
          changedAtMs: revokes ? this.#changeTime(before.changedAtMs, deviceId) : before.changedAtMs,
        }
        if (client.role !== 'MAN') this.#checkIsNotLastAdmin(before)
        try {
          await this.#store.replace(client, by && changeEntry(by, before, client, this.endedBy), before)
        } catch (error) {
          // The store has already reported the other node's change, so the next attempt starts from it.
          if (error instanceof StaleClient && tries < MAX_TRIES) continue
          throw error
        }
        this.#stored({ id, record: client })
        return client
      }
    })
  }

  /** Deletes a client and ends its tokens and connections. @throws {AccountError} unknown-client, last-admin */
  remove(id: number, by: Actor | null = null): Promise<void> {
    return this.#inTurn(async () => {
      const client = this.get(id)
      this.#checkIsNotLastAdmin(client)
      const ended = endedMember(this.endedBy(id, 'client-removed'))
      await this.#store.remove(id, by && entryOf(by, 'client.remove', client.deviceId, ended))
      this.#stored({ id, record: null })
    })
  }

  /** Calls a listener after each change by any node. @returns unsubscribes */
  onUpdate(listener: (update: ClientUpdate) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Runs an action after all pending changes and before later ones, so that no client changes meanwhile. */
  afterChanges<T>(action: () => Promise<T>): Promise<T> {
    return this.#inTurn(action)
  }

  /** Applies a change by this process, unless the store reports such changes itself. */
  #stored(update: RecordUpdate<ClientRecord>): void {
    if (!this.#store.watch) this.#apply(update)
  }

  /** Applies a durable change and notifies the listeners. */
  #apply({ id, record }: RecordUpdate<ClientRecord>): void {
    const before = this.#byId.get(id)
    if (before && record?.deviceId !== before.deviceId) this.#vacate(before)
    if (record) this.#keep(record)
    else this.#byId.delete(id)
    for (const listener of this.#listeners) listener({ before: before ?? null, after: record })
  }

  #keep(client: ClientRecord): void {
    this.#byDevice.set(client.deviceId, client)
    this.#byId.set(client.id, client)
    if (client.devices.length === 0) this.#devices.delete(client.deviceId)
    else this.#devices.set(client.deviceId, new DeviceList(client.devices))
    if (client.ownQueueOnly === null) this.#ownQueueOnly.delete(client.deviceId)
    else this.#ownQueueOnly.set(client.deviceId, client.ownQueueOnly)
  }

  /**
   * Returns the time of a change: now, but at least a second after the previous change of the client, and of a former
   * client with its device id. Tokens have whole seconds, and a token issued in the second of a change has the next
   * second. A second change within that second would not end the token.
   */
  #changeTime(lastMs: number, deviceId = ''): number {
    const formerMs = this.#formerAtMs.get(deviceId) ?? Number.NEGATIVE_INFINITY
    return Math.max(this.#now(), lastMs + 1000, formerMs + 1000)
  }

  #vacate({ id, deviceId, changedAtMs }: ClientRecord): void {
    // The changes of two clients may arrive in another order, so another client may have the id already.
    if (this.#byDevice.get(deviceId)?.id === id) {
      this.#byDevice.delete(deviceId)
      this.#devices.delete(deviceId)
      this.#ownQueueOnly.delete(deviceId)
    }
    for (const [each, atMs] of this.#formerAtMs) if (atMs + 1000 < this.#now()) this.#formerAtMs.delete(each)
    if (changedAtMs + 1000 >= this.#now()) this.#formerAtMs.set(deviceId, changedAtMs)
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(change)
    this.#lastChange = result.catch(() => {})
    return result
  }

  #admins(): number {
    let admins = 0
    for (const { role } of this.#byId.values()) if (role === 'MAN') admins++
    return admins
  }

  /** @throws {AccountError} client-exists */
  #checkMayBeNamed(client: ClientRecord, deviceId = client.deviceId): void {
    if (deviceId === client.deviceId) return
    checkNewDeviceId(deviceId)
    this.#checkIsFree(deviceId)
  }

  #checkIsFree(deviceId: string): void {
    if (this.#byDevice.has(deviceId)) throw clientExists(deviceId)
  }

  #checkIsNotLastAdmin({ role, deviceId }: ClientRecord): void {
    if (role !== 'MAN' || this.#admins() > 1) return
    throw lastAdmin(deviceId)
  }
}

/** @throws {AccountError} password-hash-cost */
function acceptedHash(hash: string): string {
  const cost = refusedCostOf(hash)
  if (cost === null) return toStoredHash(hash)
  throw new AccountError(
    'password-hash-cost',
    `The password is a bcrypt hash of cost ${cost}. Use a hash of cost ${ACCEPTED_COSTS}, or the password itself.`,
    { cost, accepted: ACCEPTED_COSTS },
  )
}

/**
 * Refuses a hash as a password. Otherwise anyone who has seen the hash in another broker's database could log in with
 * it.
 *
 * @throws {AccountError} password-is-hash
 */
function checkIsNoHash(password: string): void {
  if (!isPasswordHash(password)) return
  throw new AccountError(
    'password-is-hash',
    'The password is a bcrypt hash, which only a new client may have. Send the password itself.',
  )
}

/** @throws {AccountError} password-too-long, password-has-nul */
async function hashed(password: string): Promise<string> {
  if (hasNul(password)) {
    throw new AccountError(
      'password-has-nul',
      'The password has a NUL (U+0000), which bcrypt takes for the end: choose another.',
    )
  }
  if (isTooLong(password)) {
    throw new AccountError(
      'password-too-long',
      `The password has more than ${MAX_PASSWORD_BYTES} bytes of UTF-8: choose a shorter one.`,
      { maximum: MAX_PASSWORD_BYTES },
    )
  }
  return hashPassword(password)
}
