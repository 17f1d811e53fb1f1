/**
 * Storage contract for the presence of devices that outlives a restart: runs of server processes, when each device was
 * seen, and the periods in which it was present. Knows no SQL. Times are milliseconds since 1970 by the clock of the
 * storage. Ages are milliseconds before a call, so the clocks of nodes need not agree.
 */
import type { PeriodDetail, PeriodEnd } from '../vocabulary/presence.ts'

/** End of a run. LOST: the process crashed, was killed, or lost its power. */
export type RunEnd = 'STOPPED' | 'LOST'

/**
 * Part of a run that the storage has after a batch. PART: more batches follow at once. ALIVE: the storage has everything up
 * to now. ENDED: it has everything, and the run has stopped.
 */
export type RunProgress = 'PART' | 'ALIVE' | 'ENDED'

/** One server process on a storage, from its start to its end. */
export interface Run {
  readonly id: number
  /** Number of the node; null for a storage with one node. */
  readonly nodeId: number | null
  readonly release: string
  readonly startedMs: number
  /** Everything that happened up to this time is stored. */
  readonly aliveMs: number
  /** Time at which the end was stored; null while the run lasts. The end of a LOST run is noticed later than it happens. */
  readonly endedMs: number | null
  readonly how: RunEnd | null
}

/** Time of presence of one connection, or of regular polls, of a device. */
export interface Period {
  readonly runId: number
  /** Number within the run. */
  readonly number: number
  /** `REST` stands for regular polls. */
  readonly transport: string
  readonly beganMs: number
  /** Null while the period lasts, and if its run was lost: the period then ends with the run. */
  readonly endedMs: number | null
  /** Time of the first subscription of the connection to its own commands; null before it, and for polls. */
  readonly receivesMs: number | null
  readonly address: string | null
  /** Name of the session from the client. */
  readonly session: string | null
  /** Version of the protocol. */
  readonly version: string | null
  readonly reason: PeriodEnd | null
  /** Facts about the end; null without any. */
  readonly detail: PeriodDetail | null
}

/** Period, with its device. */
export interface DevicePeriod extends Period {
  readonly deviceId: string
}

/** State of a period to store. A later one of the same number replaces its end with reason and detail, and its first subscription. */
export interface RecordedPeriod extends Omit<Period, 'runId' | 'beganMs' | 'endedMs' | 'receivesMs'> {
  readonly deviceId: string
  readonly beganAgeMs: number
  readonly endedAgeMs: number | null
  readonly receivesAgeMs: number | null
}

/** State of a device to store. */
export interface RecordedSighting {
  readonly deviceId: string
  /** Age of the first sighting by this process. The one that is stored first is the first of all. */
  readonly firstAgeMs: number
  /** Age of the latest sighting. */
  readonly ageMs: number
  /** Transport of an open period of the run; null if none is open. */
  readonly transport: string | null
  /** Moving average of the gaps between polls, in seconds; null before the second poll. */
  readonly pollSeconds: number | null
}

/** First and latest time at which a device was seen. */
export interface Sighting {
  readonly deviceId: string
  readonly firstMs: number
  readonly lastMs: number
  /** False if the device was present when its run was lost: `lastMs` is then the time at which it was surely present. */
  readonly isExact: boolean
  /** Transport of the period that was open at the last store; null if none was open. */
  readonly transport: string | null
  readonly pollSeconds: number | null
}

/**
 * Kinds of events. REFUSED: a login or a message of the device was refused. FLAPPING: the device connected so often that
 * further connections of the hour have no period. BUSY: it asked for a pause, or ended one. DEAF: several of its messages
 * were parked in a row. ANSWERS_AGAIN: it acknowledged a message after that. WILL: the server published its MQTT will, or
 * discarded it.
 */
export type DeviceEventKind = 'REFUSED' | 'FLAPPING' | 'BUSY' | 'DEAF' | 'ANSWERS_AGAIN' | 'WILL'

/** Equal events of a device within an hour. */
export interface DeviceEvent {
  readonly runId: number
  /** Number within the run. */
  readonly number: number
  readonly kind: DeviceEventKind
  /** Times of the first and of the latest of them. */
  readonly atMs: number
  readonly lastMs: number
  readonly count: number
  readonly detail: Readonly<Record<string, unknown>>
}

/** State of an event to store. A later one of the same number replaces its latest time, its count and its detail. */
export interface RecordedEvent extends Omit<DeviceEvent, 'runId' | 'atMs' | 'lastMs'> {
  readonly deviceId: string
  readonly ageMs: number
  readonly lastAgeMs: number
}

export interface PresenceBatch {
  readonly sightings: readonly RecordedSighting[]
  readonly periods: readonly RecordedPeriod[]
  readonly events: readonly RecordedEvent[]
}

/** Maximum sightings, periods, and events that a purge leaves. Without it a client that polls for ever new ids would fill the disk. */
export const MAX_PRESENCE_ROWS = 1_000_000

/** Maximum periods, and events, of one device that a purge leaves. It bounds what the log of a device reads. */
export const MAX_DEVICE_ROWS = 5_000

/** Connections of a device within some time. */
export interface DeviceConnects {
  readonly deviceId: string
  readonly connects: number
  /** Begin of the first of them. */
  readonly sinceMs: number
  /** Address of the latest of them; null if none is stored. */
  readonly address: string | null
  /** Reason of the latest end; null if none has ended. */
  readonly reason: PeriodEnd | null
}

/** Maximum connections that one count reads, the latest ones. */
export const MAX_CONNECTIONS = 100_000

export interface PresenceStore {
  /** Begins the run of this process. Ends earlier runs that do not live as LOST. Returns the time of the storage. */
  begin(release: string): Promise<{ readonly runId: number; readonly nowMs: number }>

  /** Stores a batch as a whole or not at all. A batch may be stored twice. */
  record(runId: number, batch: PresenceBatch, progress: RunProgress): Promise<void>

  /** Returns the devices that were seen last. @param limit maximum devices */
  latest(limit: number): Promise<readonly Sighting[]>

  /** Returns when devices were seen. Omits devices that were never seen. */
  sightings(deviceIds: readonly string[]): Promise<readonly Sighting[]>

  /**
   * Returns the periods of a device that overlap a time, the newest first.
   *
   * @param limit maximum periods
   */
  periods(deviceId: string, fromMs: number, toMs: number, limit: number): Promise<readonly Period[]>

  /**
   * Returns the newest periods of each of some devices, the newest first for each device.
   *
   * @param each maximum periods of one device
   */
  recent(deviceIds: readonly string[], each: number): Promise<readonly DevicePeriod[]>

  /** Returns the events of a device that overlap a time, the newest first. @param limit maximum events */
  events(deviceId: string, fromMs: number, toMs: number, limit: number): Promise<readonly DeviceEvent[]>

  /**
   * Returns the devices with many connections. Polls are no connections.
   *
   * @param withinMs time in which the connections began, in milliseconds before the call
   * @param least minimum connections
   */
  connects(withinMs: number, least: number): Promise<readonly DeviceConnects[]>

  /** Returns the address of the latest connection of each device. Omits devices without one. */
  addresses(deviceIds: readonly string[]): Promise<ReadonlyMap<string, string>>

  /** Returns the runs that overlap a time, the newest first, at most `limit`. */
  runs(fromMs: number, toMs: number, limit: number): Promise<readonly Run[]>

  /**
   * Removes periods, events and runs that ended before a time, and the oldest rows of a device and of a table with too many.
   * A sighting is removed only from too many. Returns the number of rows, without runs.
   *
   * @param maxRows maximum rows of each table; {@link MAX_PRESENCE_ROWS} by default
   * @param maxOfDevice maximum rows of a device in each table; {@link MAX_DEVICE_ROWS} by default
   */
  purge(beforeMs: number, maxRows?: number, maxOfDevice?: number): Promise<number>
}
