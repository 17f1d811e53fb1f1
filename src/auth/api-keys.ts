/** Defines API keys as the storage keeps them. Types only. */
import type { AuditEntry } from '../audit/audit.ts'
import type { RecordUpdate } from './clients.ts'

export interface KeyRecord {
  readonly id: number
  /** Id of the client whose rights the key has. */
  readonly clientId: number
  /** SHA-256 of the key, in hexadecimal. */
  readonly hash: string
  readonly description: string
  readonly createdAtMs: number
  /** Time of the last recorded use; null when the key was never used. */
  readonly lastUsedAtMs: number | null
  /** Time from which on the key is invalid; null for never. */
  readonly expiresAtMs: number | null
}

/**
 * Storage contract for API keys. Promises resolve after the commit. A verb with `audit` adds that line to the audit trail in
 * the transaction of the change. The removal of a client removes its keys. In a storage that several nodes share, the promise of
 * an addition or a removal resolves when every live node has handled it.
 */
export interface KeyStore {
  all(): Promise<KeyRecord[]>
  /** Returns an id that no key has had. */
  nextId(): number | Promise<number>
  /**
   * Adds a key. @throws {AccountError} too-many-keys, when another node added the last one that the client may have;
   * {Error} when the client does not exist
   */
  add(key: KeyRecord, audit: AuditEntry | null): Promise<void>
  remove(id: number, audit: AuditEntry | null): Promise<void>
  /** Records the time of the last use. */
  recordUse(id: number, atMs: number): Promise<void>
  /**
   * Calls the listener with each addition, removal and recorded use after those of `all`, those of this process too. The removal
   * of a client reports none for its keys. A storage for one node leaves this out. Returns a function that ends the subscription.
   */
  watch?(listener: (update: RecordUpdate<KeyRecord>) => void): () => void
}
