/**
 * Keeps all API keys in memory, because each request with a key needs one, and creates, proves and removes them. A key
 * always has the current rights of its client. Knows no HTTP.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Actor, AuditAction, AuditEntry } from '../audit/audit.ts'
import type { Duties } from '../process/duties.ts'
import type { KeyRecord, KeyStore } from './api-keys.ts'
import { endedMember } from './client-audit.ts'
import type { ClientList } from './client-list.ts'
import type { ClientRecord, RecordUpdate } from './clients.ts'
import { AccountError, expiresInPast, MAX_KEYS, tooManyKeys } from './errors.ts'

/** Minimum time between two records of the use of a key, so that requests do not cause a write each. */
export const USE_INTERVAL_MS = 60_000

/** Matches a key: its prefix, its id, and 32 random bytes. No JWT matches, and hardly any password. */
const KEY = /^wbk_([1-9]\d{0,15})_[\w-]{43}$/

/** Returns whether a credential has the form of an API key. */
export function isKey(credential: string): boolean {
  return KEY.test(credential)
}

export interface NewKey {
  readonly description: string
  /** Time from which the key is invalid; null for never. */
  readonly expiresAtMs: number | null
}

export interface ProvenKey {
  readonly keyId: number
  readonly client: ClientRecord
  /** Time at which the key expires, in milliseconds since 1970; null for never. */
  readonly endsAtMs: number | null
}

export interface KeyListOptions {
  readonly store: KeyStore
  readonly clients: ClientList
  readonly now: () => number
  readonly duties: Pick<Duties, 'perform'>
}

export class KeyList {
  readonly #options: KeyListOptions
  readonly #byId = new Map<number, KeyRecord>()
  readonly #listeners = new Set<(key: KeyRecord) => void>()

  private constructor(options: KeyListOptions) {
    this.#options = options
    options.clients.onUpdate(({ before, after }) => {
      if (before && !after) this.#dropKeysOf(before.id)
    })
  }

  static async open(options: KeyListOptions): Promise<KeyList> {
    const list = new KeyList(options)
    options.store.watch?.((update) => list.#apply(update))
    for (const key of await options.store.all()) list.#byId.set(key.id, key)
    return list
  }

  /** Returns the keys of a client, oldest first. @throws {AccountError} unknown-client */
  of(clientId: number): KeyRecord[] {
    this.#options.clients.get(clientId)
    return [...this.#byId.values()].filter((key) => key.clientId === clientId).sort((a, b) => a.id - b.id)
  }

  /**
   * Creates a key. Returns its text only this once, because only its hash is stored.
   *
   * @param by the client that makes the change, for the audit trail; null writes no line
   * @throws {AccountError} unknown-client, too-many-keys, expires-in-past
   */
  create(
    clientId: number,
    { description, expiresAtMs }: NewKey,
    by: Actor | null = null,
  ): Promise<{ key: string; record: KeyRecord }> {
    const { store, clients, now } = this.#options
    return clients.afterChanges(async () => {
      this.#checkHasRoom(clientId)
      if (expiresAtMs !== null && expiresAtMs <= now()) throw expiresInPast()
      const id = await store.nextId()
      const key = `wbk_${id}_${randomBytes(32).toString('base64url')}`
      const hash = hashOf(key).toString('hex')
      const createdAtMs = now()
      const record = { id, clientId, hash, description, createdAtMs, lastUsedAtMs: null, expiresAtMs }
      const detail = { keyId: id, description, expiresDate: expiresAtMs }
      await store.add(record, this.#entry(by, 'key.create', clientId, detail))
      this.#stored({ id, record })
      return { key, record }
    })
  }

  /**
   * Removes a key and ends its connections.
   *
   * @param by the client that makes the change, for the audit trail; null writes no line
   * @throws {AccountError} unknown-client, unknown-key
   */
  remove(clientId: number, keyId: number, by: Actor | null = null): Promise<void> {
    const { store, clients } = this.#options
    return clients.afterChanges(async () => {
      clients.get(clientId)
      if (this.#byId.get(keyId)?.clientId !== clientId) throw unknownKey(clientId, keyId)
      const ended = endedMember(clients.endedBy(clientId, 'key-removed', keyId))
      await store.remove(keyId, this.#entry(by, 'key.remove', clientId, { keyId, ...ended }))
      this.#stored({ id: keyId, record: null })
    })
  }

  /** Returns a valid key with its client; null for an unknown or expired key. Records the use. */
  prove(key: string): ProvenKey | null {
    const id = Number(KEY.exec(key)?.[1])
    const record = this.#byId.get(id)
    if (!record || !timingSafeEqual(hashOf(key), Buffer.from(record.hash, 'hex'))) return null
    const atMs = this.#options.now()
    if (record.expiresAtMs !== null && record.expiresAtMs <= atMs) return null
    const client = this.#options.clients.byId(record.clientId)
    if (!client) return null
    if (atMs - (record.lastUsedAtMs ?? Number.NEGATIVE_INFINITY) >= USE_INTERVAL_MS) this.#use(record, atMs)
    return { keyId: id, client, endsAtMs: record.expiresAtMs }
  }

  /** Returns a key that was not removed; it may have expired. */
  find(keyId: number): KeyRecord | undefined {
    return this.#byId.get(keyId)
  }

  /** Calls a listener with each removed key, except keys removed together with their client. @returns unsubscribes */
  onRemove(listener: (key: KeyRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Applies a change by this process, unless the store reports such changes itself. */
  #stored(update: RecordUpdate<KeyRecord>): void {
    if (!this.#options.store.watch) this.#apply(update)
  }

  #apply({ id, record }: RecordUpdate<KeyRecord>): void {
    const before = this.#byId.get(id)
    if (record) this.#byId.set(id, record)
    else this.#byId.delete(id)
    if (before && !record) for (const listener of this.#listeners) listener(before)
  }

  #use(record: KeyRecord, atMs: number): void {
    const { store, duties } = this.#options
    this.#byId.set(record.id, { ...record, lastUsedAtMs: atMs })
    // Failing to store a use refuses no request. The storage reports its failure itself.
    void duties.perform(
      async () => {
        if (this.#byId.get(record.id)?.lastUsedAtMs === atMs) await store.recordUse(record.id, atMs)
      },
      () => {},
    )
  }

  /** @throws {AccountError} unknown-client, too-many-keys */
  #checkHasRoom(clientId: number): void {
    if (this.of(clientId).length >= MAX_KEYS) throw tooManyKeys(clientId)
  }

  #entry(
    by: Actor | null,
    action: AuditAction,
    clientId: number,
    detail: AuditEntry['detail'],
  ): AuditEntry | null {
    return by && { by, action, object: this.#options.clients.get(clientId).deviceId, detail }
  }

  /** Drops the keys of a deleted client. The storage has removed them with their client. */
  #dropKeysOf(deleted: number): void {
    for (const { id, clientId } of this.#byId.values()) if (clientId === deleted) this.#byId.delete(id)
  }
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function unknownKey(clientId: number, keyId: number): AccountError {
  return new AccountError(
    'unknown-key',
    `Client ${clientId} has no key ${keyId}. GET /admin/api/clients/${clientId}/keys lists its keys.`,
    { id: keyId },
  )
}
