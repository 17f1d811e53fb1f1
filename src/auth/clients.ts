/** Defines clients as stored. Types only. */

import type { AuditEntry } from '../audit/audit.ts'

export const ROLES = ['DEVISE', 'MAN', 'READER'] as const
export type Role = (typeof ROLES)[number]

export interface ClientRecord {
  readonly id: number
  readonly deviceId: string
  readonly passwordHash: string
  readonly role: Role
  readonly description: string
  /** Device ids, and prefixes of ids ending in `*`, that the client may act for in addition to its own id. */
  readonly devices: readonly string[]
  /**
   * True limits the client to its own id and its devices, false opens every queue to it; null means the general
   * setting.
   */
  readonly ownQueueOnly: boolean | null
  /** Time when the client was created, or its device id, password or role last changed. Earlier tokens are invalid. */
  readonly changedAtMs: number
}

export interface RecordUpdate<T> {
  readonly id: number
  /** New content; null for a removed record. */
  readonly record: T | null
}

/** Time between two logins that belong to one visit, in milliseconds: a command line logs in with each command. */
export const VISIT_MS = 3_600_000

/**
 * Storage contract for clients. Promises resolve after the commit. A verb with `audit` adds the line to the audit trail
 * in the transaction of the change. In a storage that several nodes share, the promise of a change resolves when every
 * live node has handled it, and no change may remove the last client with role MAN.
 */
export interface ClientStore {
  all(): Promise<ClientRecord[]>
  /** @throws {Error} when `deviceId` is taken */
  add(client: Omit<ClientRecord, 'id'>, audit?: AuditEntry | null): Promise<ClientRecord>
  /** Adds a client with role MAN if there is none; otherwise returns null. @throws {Error} when `deviceId` is taken */
  addFirstAdmin(client: Omit<ClientRecord, 'id'>): Promise<ClientRecord | null>
  /**
   * Replaces the record with the same id.
   *
   * @param before the record from which the change was made
   * @throws {Error} when `deviceId` is taken
   * @throws {StaleClient} when the stored record differs from `before`. A storage for one node need not check it
   */
  replace(client: ClientRecord, audit?: AuditEntry | null, before?: ClientRecord | null): Promise<void>
  /** Returns the stored times of the last logins, by client id. */
  lastLogins(): Promise<ReadonlyMap<number, number>>
  /** Returns the time of the last login before the present visit of a client; null if none is known. */
  previousLogin(clientId: number): Promise<number | null>
  /**
   * Stores times of last logins, in one transaction. Ignores ids of clients that do not exist. A login that is at least
   * {@link VISIT_MS} after the one before begins a visit.
   */
  recordLogins(times: readonly (readonly [clientId: number, atMs: number])[]): Promise<void>
  /** Removes a client and its message templates. */
  remove(id: number, audit?: AuditEntry | null): Promise<void>
  /**
   * Calls the listener with each change after the result of `all`, including changes by this process, in order per
   * client. The promise of a change resolves later. A storage for one node omits this method. Returns a function that
   * unsubscribes.
   */
  watch?(listener: (update: RecordUpdate<ClientRecord>) => void): () => void
}
