/** Describes the parts of the hand-over, and the sources from which they follow. Types and names only. */
import type { AuditAction } from '../../audit/audit.ts'
import type {
  HandoverFailure,
  HandoverIncident,
  HandoverRange,
  HandoverRows,
} from '../contract/handover-store.ts'
import type { IncidentKind } from '../contract/incident-store.ts'
import type { Run } from '../contract/presence-store.ts'
import type { StatisticsRow } from '../contract/statistics-store.ts'

/** Number of the items of one kind. */
export interface KindCount {
  readonly kind: string
  readonly count: number
}

/** Part of the hand-over. */
export interface Part<Item> {
  readonly total: number
  /** Numbers by kind. An incident may be of two kinds. */
  readonly counts: readonly KindCount[]
  /** The first 20. */
  readonly items: readonly Item[]
}

export interface FailureItem extends Omit<HandoverFailure, 'cause'> {
  readonly kind: 'FAILED' | 'PARKED' | 'NOT_FINISHED'
}

/** SILENT: not seen for too long. FLAPPING: connected too often. REFUSED: logins were refused. RETURNED: seen again. */
export const DEVICE_ITEMS = ['SILENT', 'FLAPPING', 'REFUSED', 'RETURNED', 'FIRST_SEEN'] as const
export interface DeviceItem {
  readonly kind: (typeof DEVICE_ITEMS)[number]
  readonly deviceId: string
  /** SILENT: latest sighting. RETURNED, FIRST_SEEN: first sighting. FLAPPING, REFUSED: the latest of them. */
  readonly atMs: number
  /** Begin of the silence of a device that is seen again; null for any other kind. */
  readonly sinceMs: number | null
  /** Number of connections or refusals; null for any other kind. */
  readonly count: number | null
  /** Latest reason of a refusal; null for any other kind. */
  readonly reason: string | null
}

/** ENDS_SOON: within a day after the range. LASTS_LONG: for more than seven days. */
export const SERVICE_ITEMS = ['BEGAN', 'ENDED', 'ENDS_SOON', 'LASTS_LONG', 'NOTE'] as const
export interface ServiceItem {
  readonly kind: (typeof SERVICE_ITEMS)[number]
  readonly deviceId: string
  /** Begin of the time out of service; its end for ENDED; the time of a note. */
  readonly atMs: number
  readonly untilMs: number | null
  readonly by: string | null
  /** Reason of the service, or the note; null if it is not known. */
  readonly text: string | null
}

export const PEOPLE_ITEMS = ['CHANGED', 'SIGNED_IN'] as const
export interface PersonItem {
  readonly kind: (typeof PEOPLE_ITEMS)[number]
  readonly by: string | null
  /** Null for a sign-in. */
  readonly action: AuditAction | null
  /** Number of changes; null for the last sign-in. */
  readonly count: number | null
  readonly atMs: number
}

/** Incidents of the server itself. */
export const SERVER_CONDITIONS = [
  'STORAGE_FAILED',
  'DISK_NEARLY_FULL',
  'CLOCK_BEHIND',
] as const satisfies readonly IncidentKind[]
export const SERVER_ITEMS = [
  ...SERVER_CONDITIONS,
  'STARTED',
  'STOPPED',
  'LOST',
  'WITHOUT_SERVER',
  'RELEASE',
] as const
export interface ServerItem {
  readonly kind: (typeof SERVER_ITEMS)[number]
  readonly atMs: number
  readonly nodeId: number | null
  readonly release: string | null
  /** Release before a RELEASE; null for any other kind. */
  readonly before: string | null
  /** End of a condition, or of the time without a server; null while it lasts. */
  readonly untilMs: number | null
}

export const FIGURES = ['STORED', 'COMPLETED', 'FAILED', 'MEDIAN_DELIVERY_MS'] as const
export interface FigureItem {
  readonly kind: (typeof FIGURES)[number]
  /** Null: nothing was recorded. */
  readonly value: number | null
  /** Value of the time before. */
  readonly before: number | null
}

export interface Handover {
  readonly fromMs: number
  readonly toMs: number
  readonly incidents: Part<HandoverIncident>
  readonly failures: Part<FailureItem>
  readonly devices: Part<DeviceItem>
  readonly service: Part<ServiceItem>
  readonly people: Part<PersonItem>
  readonly server: Part<ServerItem>
  readonly figures: Part<FigureItem>
}

/** Device that is silent, with its latest sighting. */
export interface SilentNow {
  readonly deviceId: string
  readonly sinceMs: number
}

export interface HandoverSources {
  readonly range: HandoverRange
  readonly rows: HandoverRows
  /** Devices that are silent now. */
  readonly silent: readonly SilentNow[]
  /** Returns the latest sighting of a device; null if it was never seen, or is not in memory. */
  readonly seenMsOf: (deviceId: string) => number | null
  /** Runs up to the end of the range, the newest first. */
  readonly runs: readonly Run[]
  /** Counts from the begin of the time before, and the time at which the range begins in them. */
  readonly figures: readonly StatisticsRow[]
  readonly figuresFromMs: number
  readonly nowMs: number
}

/** Time after the range within which an end is soon, in milliseconds. */
export const SOON_MS = 86_400_000
