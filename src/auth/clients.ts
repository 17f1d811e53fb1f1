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

/**
 * Storage contract for clients. Promises resolve after the commit. A verb with `audit` adds that line to the audit trail in
 * the transaction of the change.
 */
export interface ClientStore {
  all(): Promise<ClientRecord[]>
  /** @throws {Error} when `deviceId` is taken */
  add(client: Omit<ClientRecord, 'id'>, audit?: AuditEntry | null): Promise<ClientRecord>
  /** Replaces the record with the same id. @throws {Error} when `deviceId` is taken */
  replace(client: ClientRecord, audit?: AuditEntry | null): Promise<void>
  /** Removes a client and its message templates. */
  remove(id: number, audit?: AuditEntry | null): Promise<void>
}
