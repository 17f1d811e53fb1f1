/**
 * Storage contract for counts per minute and per hour. A driver writes `failed`, `unknown` and `cancelled` itself, in
 * the transaction of the change. Knows no SQL. Times are milliseconds since 1970.
 */
import type { Status } from '../vocabulary/status.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000

/** Duration of one stored row. An hour is the sum of its minutes. */
export type RowStep = typeof MINUTE_MS | typeof HOUR_MS

/** Steps of a report, in milliseconds. */
export const STEPS_MS = [MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS] as const
export type StepMs = (typeof STEPS_MS)[number]

/** Returns the duration of the rows that a step sums up. */
export function rowStepOf(stepMs: StepMs): RowStep {
  return stepMs < HOUR_MS ? MINUTE_MS : HOUR_MS
}

/** Counts of a node since its previous call, all in one minute. */
export interface CountedMinute {
  readonly atMs: number
  readonly stored: number
  readonly delivered: number
  readonly completed: number
  /** Number of attempts that ended without an acknowledgement. */
  readonly unacknowledged: number
  readonly pending: number
  /** Start of the part of the minute in which the node ran. */
  readonly upFromMs: number
  readonly upToMs: number
  /** Numbers of deliveries by bucket of `delivery-buckets.ts`; null for none. */
  readonly deliveries: readonly number[] | null
}

/** Counts of one step, of all nodes. */
export interface StatisticsRow {
  readonly atMs: number
  readonly stored: number
  readonly delivered: number
  readonly completed: number
  /** Messages that became COMPLETED_WITH_ERROR or UNKNOWN in the step and still have that status. */
  readonly failed: number
  /** UNKNOWN messages among `failed`. */
  readonly unknown: number
  readonly cancelled: number
  readonly unacknowledged: number
  /** Maximum number of pending messages; null if no node recorded it. */
  readonly pending: number | null
  /** Time in which at least one node ran. */
  readonly upMs: number
  readonly deliveries: readonly number[] | null
}

/** Times of one message, for the statistics of its device. */
export interface MessageLife {
  readonly status: Status
  readonly createdAtMs: number
  readonly changedAtMs: number
  readonly deliveredAtMs: number | null
}

export type FailureCounts = Pick<StatisticsRow, 'failed' | 'unknown' | 'unacknowledged'>

export interface StatisticsStore {
  /** Adds the counts of one node to the minutes and to their hours. */
  add(minutes: readonly CountedMinute[]): Promise<void>

  /**
   * Returns the steps from `fromMs` to before `toMs`, the oldest first. Omits steps without records.
   *
   * @param fromMs start of a step, like `toMs`
   */
  rows(stepMs: StepMs, fromMs: number, toMs: number): Promise<readonly StatisticsRow[]>

  /** Returns the sums over the minutes since a time. */
  failures(fromMs: number): Promise<FailureCounts>

  /** Returns the start of the oldest minute or hour; null without records. */
  oldestMs(stepMs: RowStep): Promise<number | null>

  /** Removes the minutes and hours that began before a time. Returns their number. */
  purge(stepMs: RowStep, beforeMs: number): Promise<number>

  /**
   * Returns the times of the newest messages of a device, newest first. Reads in small steps.
   *
   * @param limit maximum messages
   */
  ofDevice(deviceId: string, limit: number): Promise<readonly MessageLife[]>
}
