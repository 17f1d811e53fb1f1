/** Defines clients as the storage keeps them. Types only. */

import type { AuditEntry } from '../audit/audit.ts'

export const ROLES = ['DEVISE', 'MAN', 'READER'] as const
export type Role = (typeof ROLES)[number]

export interface ClientRecord {
  readonly id: number
  readonly deviceId: string
  /** Password hash of bcrypt. */
  readonly passwordHash: string
  readonly role: Role
  readonly description: string
  /** Device ids, and prefixes of ids ending in `*`, that the client may act for beside its own id. */
  readonly devices: readonly string[]
  /** True limits the client to its own id and its devices, false opens every queue to it; null: the general setting. */
  readonly ownQueueOnly: boolean | null
  /** Time when the client was created, or its device id, password or role last changed. Earlier tokens are invalid. */
  readonly changedAtMs: number
}

/** A durable change of a record. */
export interface RecordUpdate<T> {
  readonly id: number
  /** The new content; null when the record was removed. */
  readonly record: T | null
}

/**
 * Storage contract for clients. Promises resolve after the commit. A verb with `audit` adds that line to the audit trail in
 * the transaction of the change. In a storage that several nodes share, the promise of a change resolves when every live node
 * has handled the change, and no change leaves the installation without a client of role MAN.
 */
export interface ClientStore {
  all(): Promise<ClientRecord[]>
  /** @throws {Error} when `deviceId` is taken */
  add(client: Omit<ClientRecord, 'id'>, audit?: AuditEntry | null): Promise<ClientRecord>
  /** Adds a client with role MAN if there is none. Returns null when there is one. @throws {Error} when `deviceId` is taken */
  addFirstAdmin(client: Omit<ClientRecord, 'id'>): Promise<ClientRecord | null>
  /**
   * Replaces the record with the same id.
   *
   * @param before the record that the change was made from
   * @throws {Error} when `deviceId` is taken
   * @throws {StaleClient} when the stored record differs from `before`. A storage for one node need not check it
   */
  replace(client: ClientRecord, audit?: AuditEntry | null, before?: ClientRecord | null): Promise<void>
  /** Returns the stored times of the last logins, by the id of their client. */
  lastLogins(): Promise<ReadonlyMap<number, number>>
  /** Stores times of last logins, in one transaction. Ids of clients that do not exist change nothing. */
  recordLogins(times: readonly (readonly [clientId: number, atMs: number])[]): Promise<void>
  /** Removes a client and its message templates. */
  remove(id: number, audit?: AuditEntry | null): Promise<void>
  /**
   * Calls the listener with each change after that of `all`, those of this process too, the changes of one client in their
   * order. The promise of a change resolves later. A storage for one node leaves this out. Returns a function that ends the
   * subscription.
   */
  watch?(listener: (update: RecordUpdate<ClientRecord>) => void): () => void
}
