/** The storage contract for acknowledgements of alerts by people. Knows no SQL. Times are milliseconds since 1970. */
import type { AuditEntry } from '../../audit/audit.ts'

/** Time after which an acknowledgement is over. */
export const ACK_MS = 86_400_000

/** An acknowledgement before it is stored. */
export interface NewAlertAck {
  /** Key of the alert. */
  readonly key: string
  /** The client that acknowledged the alert; null when access checks were off. */
  readonly by: string | null
  /** Number of messages or logins that the alert stood for; null when the alert counts none. */
  readonly count: number | null
  readonly note: string | null
}

/** A stored acknowledgement. */
export interface AlertAck extends NewAlertAck {
  readonly atMs: number
}

/** Keeps one acknowledgement for each key. Promises resolve after the commit. A line of the audit trail is written with the change. */
export interface AlertAckStore {
  /** Returns all acknowledgements, in any order. */
  all(): Promise<readonly AlertAck[]>
  /** Stores an acknowledgement in place of an earlier one, and removes those that are older than {@link ACK_MS}. */
  put(ack: NewAlertAck, audit?: AuditEntry | null): Promise<void>
  /** Removes an acknowledgement. Returns false when there is none; then the line is not written. */
  remove(key: string, audit?: AuditEntry | null): Promise<boolean>
}
