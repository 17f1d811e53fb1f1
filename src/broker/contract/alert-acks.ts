/** Storage contract for acknowledgements of alerts by people. Knows no SQL. Times are milliseconds since 1970. */
import type { AuditEntry } from '../../audit/audit.ts'

/** Time after which an acknowledgement expires. */
export const ACK_MS = 86_400_000

export interface NewAlertAck {
  readonly key: string
  /** Client that acknowledged the alert; null when access checks were off. */
  readonly by: string | null
  /** Number of messages or logins of the alert at that time; null for an alert without a number. */
  readonly count: number | null
  readonly note: string | null
}

export interface AlertAck extends NewAlertAck {
  readonly atMs: number
}

/**
 * Stores one acknowledgement per key. Promises resolve after the commit. The audit line is written in the same
 * transaction.
 */
export interface AlertAckStore {
  all(): Promise<readonly AlertAck[]>
  /** Stores an acknowledgement in place of an earlier one, and removes all that are older than {@link ACK_MS}. */
  put(ack: NewAlertAck, audit?: AuditEntry | null): Promise<void>
  /** Removes an acknowledgement. Returns false and writes no audit line if there is none. */
  remove(key: string, audit?: AuditEntry | null): Promise<boolean>
}
