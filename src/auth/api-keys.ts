/** Defines API keys as stored. Types only. */
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
  /** Time of the last recorded use; null for an unused key. */
  readonly lastUsedAtMs: number | null
  /** Time from which the key is invalid; null for never. */
  readonly expiresAtMs: number | null
}

/**
 * Storage contract for API keys. Promises resolve after the commit. A verb with `audit` adds the line to the audit
 * trail in the transaction of the change. Removing a client removes its keys. In a storage that several nodes share,
 * the promise of an addition or a removal resolves when every live node has handled it.
 */
export interface KeyStore {
  all(): Promise<KeyRecord[]>
  /** Returns an id that no key has had. */
  nextId(): number | Promise<number>
  /**
   * Adds a key. @throws {AccountError} too-many-keys, when another node added the last permitted key of the client;
   * {Error} when the client does not exist
   */
  add(key: KeyRecord, audit: AuditEntry | null): Promise<void>
  remove(id: number, audit: AuditEntry | null): Promise<void>
  recordUse(id: number, atMs: number): Promise<void>
  /**
   * Calls the listener with each addition, removal and recorded use after the result of `all`, including changes by
   * this process. Removing a client reports nothing for its keys. A storage for one node omits this method. Returns a
   * function that unsubscribes.
   */
  watch?(listener: (update: RecordUpdate<KeyRecord>) => void): () => void
}
