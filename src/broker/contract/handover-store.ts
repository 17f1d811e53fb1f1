/**
 * Storage contract for the hand-over: reads rows that exist, each list bounded. Knows no SQL. Times are milliseconds since
 * 1970.
 */
import type { AuditAction } from '../../audit/audit.ts'
import type { IncidentRecord } from './incident-store.ts'
import type { DeviceEvent } from './presence-store.ts'
import type { FailureCause } from './store-stats.ts'

export interface HandoverRange {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
  /** Begin of the time of the same length before. */
  readonly beforeMs: number
}

/** Maximum items that the hand-over shows of a list. */
export const MAX_ITEMS = 20
/** Maximum rows that a list reads whose items follow from all of its rows. */
export const MAX_READ_ROWS = 1_000
/** Maximum failed messages that are grouped, of the range and of the time before. */
export const MAX_GROUPED = 10_000

/** First {@link MAX_ITEMS} rows, and the number of all. */
export interface FirstRows<Row> {
  readonly total: number
  readonly rows: readonly Row[]
}

/** Incident that has not ended, or ended since the begin of the range. */
export interface HandoverIncident extends IncidentRecord {
  /** Latest text of a person. */
  readonly note: string | null
}

/** Messages with one command that failed in the range for one reason, and still have that status. */
export interface HandoverFailure {
  readonly command: string
  readonly cause: FailureCause | null
  /** Reason that the devices reported; null if they reported none. */
  readonly reason: string | null
  readonly count: number
  /** Number of them that were sent again. */
  readonly resent: number
  readonly devices: number
  /** Number in the time before. */
  readonly before: number
  readonly lastMs: number
}

export interface SeenFirst {
  readonly deviceId: string
  readonly atMs: number
}

/** Device that is silent no more. It may be out of service instead of seen. */
export interface ReturnedDevice extends SeenFirst {
  readonly sinceMs: number
}

export interface HandoverEvent extends Pick<DeviceEvent, 'lastMs' | 'count' | 'detail'> {
  readonly deviceId: string
  readonly kind: 'REFUSED' | 'FLAPPING'
}

/** Time out of service that overlaps the range, or that ended in it by its date. */
export interface HandoverService {
  readonly deviceId: string
  readonly sinceMs: number
  readonly untilMs: number | null
  readonly reason: string
  readonly by: string | null
}

/** Line of the audit trail about the service of a device. */
export interface ServiceLine {
  readonly deviceId: string
  readonly atMs: number
  readonly by: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

export interface HandoverNote {
  readonly deviceId: string
  readonly atMs: number
  readonly by: string | null
  readonly text: string
}

/** Changes of one person with one action. */
export interface PersonChanges {
  /** Null: without access checks, or on the data directory. */
  readonly by: string | null
  readonly action: AuditAction
  readonly count: number
  readonly lastMs: number
}

/** Last sign-in of a person. */
export interface SignIn {
  readonly deviceId: string
  readonly atMs: number
}

export interface HandoverRows {
  /** The newest {@link MAX_READ_ROWS}, without those that another incident took in. */
  readonly incidents: readonly HandoverIncident[]
  /** The most frequent first. */
  readonly failures: readonly HandoverFailure[]
  /** Devices that were first seen in the range, without logins of people, the newest first. */
  readonly firstSeen: FirstRows<SeenFirst>
  /** The newest first. */
  readonly returned: readonly ReturnedDevice[]
  /** The newest {@link MAX_READ_ROWS}. */
  readonly events: readonly HandoverEvent[]
  /** The oldest first. */
  readonly services: readonly HandoverService[]
  /** The newest first. */
  readonly serviceLines: readonly ServiceLine[]
  /** The newest first. */
  readonly notes: FirstRows<HandoverNote>
  /** Changes without refused logins, the most frequent first. */
  readonly changes: readonly PersonChanges[]
  /** Sign-ins of people whose last one is in the range, the latest first. */
  readonly signIns: readonly SignIn[]
}

export interface HandoverStore {
  /** Reads the rows of a range. @throws {BrokerError} storage-busy when too many reads are queued */
  read(range: HandoverRange): Promise<HandoverRows>
}
