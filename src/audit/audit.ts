/** Defines the audit trail: who changed what, from where. Types and names only. */

export const AUDIT_ACTIONS = [
  'client.create',
  'client.change',
  'client.remove',
  'client.password',
  'client.import',
  'key.create',
  'key.remove',
  'message.cancel',
  'message.replay',
  'message.resend',
  'message.bulk',
  'message.send',
  'device.settings',
  'device.service',
  'device.note',
  'template.create',
  'template.change',
  'template.remove',
  'template.send',
  'alert.acknowledge',
  'alert.reopen',
  'incident.acknowledge',
  'incident.mute',
  'incident.note',
  'incident.reopen',
  'incident.resolve',
  'incident.rules',
  'connection.end',
  'backup.download',
  'login.refused',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export interface Actor {
  /** Device id of the client; null when access checks are off and the client has not logged in. */
  readonly clientId: string | null
  /** Id of the client's API key; null for a token or a password. */
  readonly keyId: number | null
  /** Address of the peer; null for a command on the data directory, and for an endpoint of another prefix. */
  readonly address: string | null
}

/** Change to record. A store writes it in the transaction of the change. */
export interface AuditEntry {
  readonly by: Actor
  readonly action: AuditAction
  /** Changed object: the device id of a client, the id of a message; null for an action without an object. */
  readonly object: string | null
  /** Names of the changed fields with their values. Never a password, a key or the `data` of a message. */
  readonly detail: Readonly<Record<string, unknown>>
}

export interface AuditLine extends AuditEntry {
  readonly id: number
  /** Milliseconds since 1970. */
  readonly atMs: number
}

/** Selects lines. A null member matches all lines. */
export interface AuditFilter {
  readonly clientId: string | null
  readonly action: AuditAction | null
  /** Value of a line's `object`. */
  readonly object: string | null
  /** Earliest time, inclusive, in milliseconds since 1970. */
  readonly fromMs: number | null
  /** Latest time, exclusive, in milliseconds since 1970. */
  readonly toMs: number | null
  /** Upper bound of the id, exclusive. */
  readonly before: number | null
}

export const EVERY_LINE: AuditFilter = {
  clientId: null,
  action: null,
  object: null,
  fromMs: null,
  toMs: null,
  before: null,
}

/** Storage contract for the audit trail. Promises resolve after the commit. */
export interface AuditStore {
  /** Adds a line for an event that changes nothing else in the storage. Returns its id. */
  add(entry: AuditEntry): Promise<number>
  /** Replaces the detail of a line after the last commit of its change, for a change with several commits. */
  complete(id: number, detail: AuditEntry['detail']): Promise<void>
  /** Lists lines, newest first. @param limit maximum lines */
  list(filter: AuditFilter, limit: number): Promise<AuditLine[]>
  /** Removes lines older than a time, in small steps. Returns their number. */
  purge(beforeMs: number): Promise<number>
  /** Returns the time of the newest line; null without lines. */
  newestMs(): Promise<number | null>
  /**
   * Calls the listener with each line that this process added, after its commit. Returns a function that unsubscribes.
   */
  onAdded(listener: (line: AuditLine) => void): () => void
}
