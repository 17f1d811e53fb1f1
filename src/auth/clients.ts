/** Clients as the storage keeps them: who may log in, and with what role. Types only. */

export const ROLES = ['DEVISE', 'MAN'] as const
export type Role = (typeof ROLES)[number]

export interface ClientRecord {
  readonly id: number
  readonly deviceId: string
  /** bcrypt. */
  readonly passwordHash: string
  readonly role: Role
  readonly description: string
  /** Tokens issued before this are not valid: when the client was made, or its password or role last changed. */
  readonly changedAtMs: number
}

/** The storage contract for clients; promises resolve after the commit. */
export interface ClientStore {
  all(): Promise<ClientRecord[]>
  /** @throws {Error} when `deviceId` is taken */
  add(client: Omit<ClientRecord, 'id'>): Promise<ClientRecord>
  /** Puts the record in the place of the one with its id. Its `deviceId` never changes. */
  replace(client: ClientRecord): Promise<void>
  /** Also removes the message templates that it owns. */
  remove(id: number): Promise<void>
}
