/** Storage contract for incidents: causes that need a person. Knows no SQL. Times are milliseconds since 1970. */
import type { AuditEntry } from '../../audit/audit.ts'
import type { Alert } from '../views/alerts.ts'

/** Kind of a condition that belongs to an incident: the kinds of the alerts, and FLAPPING, a device that connects too often. */
export type SignalKind = Alert['kind'] | 'FLAPPING'

/** Kinds of incidents. The kind is the key without its subject. */
export const INCIDENT_KINDS = [
  'STORAGE_FAILED',
  'DISK_NEARLY_FULL',
  'CLOCK_BEHIND',
  'OUTAGE',
  'DEVICE',
  'AWAY',
  'FAILED',
  'PARKED',
  'NOT_FINISHED',
  'ADDRESS',
  'FLAPPING',
  'QUEUES_OPEN',
] as const
export type IncidentKind = (typeof INCIDENT_KINDS)[number]

export const INCIDENT_STATES = ['OPEN', 'ACKNOWLEDGED', 'MUTED', 'ENDED'] as const
export type IncidentStateName = (typeof INCIDENT_STATES)[number]

/** Kinds of lines in the history of an incident. */
export const INCIDENT_LINES = [
  'STARTED',
  'REOPENED',
  'MERGED',
  'GREW',
  'REMINDED',
  'UNMUTED',
  'ENDED',
  'ACKNOWLEDGED',
  'MUTED',
  'RESOLVED',
  'NOTE',
] as const
export type IncidentLineKind = (typeof INCIDENT_LINES)[number]

/** Acknowledgement of an incident, or its mute, by a person. */
export interface IncidentAck {
  /** Client that acknowledged the incident; null when access checks were off. */
  readonly by: string | null
  /** Time of the latest line of a person. */
  readonly atMs: number
  readonly note: string | null
  /** Numbers of the incident at that time, with which its growth is compared. */
  readonly devices: number
  readonly messages: number
}

export interface NewIncident {
  /** Cause: a kind, and behind a colon a device, a command, a gateway or a network. One incident has a key at a time. */
  readonly key: string
  readonly kind: IncidentKind
  readonly state: IncidentStateName
  readonly startedMs: number
  /** Time of the latest change. It grows with each change, so a change can name what it is based on. */
  readonly changedMs: number
  readonly endedMs: number | null
  /** Number of devices. After the end: the largest number. */
  readonly devices: number
  /** Number of messages, or of refused logins. After the end: the largest number. */
  readonly messages: number
  /** Number of pending commands behind the cause. */
  readonly waiting: number
  readonly mostDevices: number
  readonly mostMessages: number
  readonly ack: IncidentAck | null
  readonly mutedUntilMs: number | null
  /** Number of times at which the incident began again. */
  readonly reopened: number
  /** Id of the incident that took this incident in; null for none. */
  readonly mergedInto: number | null
}

export interface IncidentRecord extends NewIncident {
  readonly id: number
}

/** Signal as a member of an incident. */
export interface IncidentMember {
  readonly key: string
  readonly kind: SignalKind
  readonly deviceId: string | null
  readonly messageId: number | null
  readonly command: string | null
  readonly reason: string | null
  readonly address: string | null
  readonly firstMs: number
  /** Time since which the signal is missing; null while it is present. */
  readonly missingSinceMs: number | null
  readonly endedMs: number | null
  readonly count: number | null
}

/** Incident with its members that have not ended. */
export interface IncidentWithMembers {
  readonly incident: IncidentRecord
  readonly members: readonly IncidentMember[]
}

export interface NewIncidentLine {
  readonly kind: IncidentLineKind
  /** Client that caused the line; null for the server. */
  readonly by: string | null
  readonly text: string | null
}

export interface IncidentLine extends NewIncidentLine {
  readonly id: number
  readonly atMs: number
}

/** New state of an incident. */
export interface IncidentChange {
  /** The incident before the change; null for a new incident. */
  readonly before: Pick<IncidentRecord, 'id' | 'changedMs'> | null
  readonly after: NewIncident
  /** Members that are new or changed. */
  readonly members: readonly IncidentMember[]
  /** Keys of members that another incident takes over. */
  readonly movedKeys: readonly string[]
  readonly lines: readonly NewIncidentLine[]
}

/** Selects incidents by their properties. A null selects all. */
export interface IncidentFilter {
  readonly isEnded: boolean
  readonly state: IncidentStateName | null
  readonly kind: IncidentKind | null
  /** Device of a member. */
  readonly deviceId: string | null
  /** Start of the incident: from this time on, and before that time. */
  readonly fromMs: number | null
  readonly toMs: number | null
  /** Incidents with a smaller id. */
  readonly beforeId: number | null
}

/** Thresholds of one kind of signal. Null is the default value. */
export interface IncidentRule {
  readonly kind: SignalKind
  readonly isEnabled: boolean
  readonly start: number | null
  readonly end: number | null
  readonly quietSeconds: number | null
  readonly minMessages: number | null
}

export interface IncidentCount {
  readonly kind: IncidentKind
  readonly state: IncidentStateName
  readonly count: number
}

/** Alert that an acknowledged incident covers. */
export interface CoveredSignal {
  readonly kind: SignalKind
  readonly key: string
  readonly deviceId: string | null
  readonly ack: IncidentAck
}

/** Time for which an incident had signals of one device. */
export interface DeviceIncident {
  readonly id: number
  readonly key: string
  readonly beganMs: number
  /** Null while a signal of the device has not ended, unless the incident has. */
  readonly endedMs: number | null
}

/** Member that has not ended, of an incident that has not ended. */
export interface OpenSignal {
  readonly kind: SignalKind
  readonly key: string
  readonly deviceId: string | null
  readonly incidentId: number
}

/** Stores incidents. Promises resolve after the commit. */
export interface IncidentStore {
  /** Returns whether this process records the incidents. Of several processes one does, until its lease has ended. */
  isRecorder(): Promise<boolean>
  /**
   * Returns the incidents that have not ended, those that ended since a time, and those with members that have not
   * ended, in the order of their ids.
   */
  current(endedSinceMs: number): Promise<readonly IncidentWithMembers[]>
  /**
   * Writes changes in one transaction, in their order, with the audit line of the person who caused them.
   *
   * @returns the ids of the incidents, in the order of the changes; null if one of them has changed meanwhile, in which case nothing was written
   */
  write(changes: readonly IncidentChange[], audit?: AuditEntry | null): Promise<readonly number[] | null>
  /** Lists incidents, the newest first. */
  list(filter: IncidentFilter, limit: number): Promise<readonly IncidentRecord[]>
  get(id: number): Promise<IncidentRecord | null>
  /** Lists the members of an incident, also ended members, in the order of their keys. @param after begins after this key */
  members(id: number, after: string, limit: number): Promise<readonly IncidentMember[]>
  /** Returns the incidents that had signals of a device within a time, the newest first. @param limit maximum incidents */
  ofDevice(deviceId: string, fromMs: number, toMs: number, limit: number): Promise<readonly DeviceIncident[]>
  /** Returns the newest lines of an incident, oldest first. */
  lines(id: number, limit: number): Promise<readonly IncidentLine[]>
  /**
   * Lists incidents by the times of their changes, also ended ones.
   *
   * @param after begins after this change
   */
  changedAfter(
    after: Pick<IncidentRecord, 'changedMs' | 'id'>,
    limit: number,
  ): Promise<readonly IncidentRecord[]>
  /**
   * Returns the kinds of the members of incidents in alphabetical order: of the members that have not ended, and after
   * the end of an incident of all. An incident without any is missing.
   */
  signalsOf(ids: readonly number[]): Promise<ReadonlyMap<number, readonly SignalKind[]>>
  openSignals(): Promise<readonly OpenSignal[]>
  /** Returns the members that have not ended of all acknowledged incidents. */
  covered(): Promise<readonly CoveredSignal[]>
  rules(): Promise<readonly IncidentRule[]>
  /** Replaces all rules. */
  setRules(rules: readonly IncidentRule[], audit?: AuditEntry | null): Promise<void>
  /** Counts the incidents that have not ended, by kind and state. */
  counts(): Promise<readonly IncidentCount[]>
  /** Removes incidents that ended before a time. Returns their number. */
  purge(beforeMs: number): Promise<number>
  /** Returns the time of the newest change of an incident; null without incidents. */
  newestMs(): Promise<number | null>
}
