/**
 * Contract for the state of a storage, and for backups. The cost of every call is independent of the number of
 * messages. Times are milliseconds since 1970. Knows no SQL.
 */
import type { Cause, Status } from '../vocabulary/status.ts'
import type { MaybePromise } from './store.ts'

export interface MessageRef {
  readonly messageId: number
  readonly deviceId: string
  /** Time at which the message was stored, or changed. */
  readonly atMs: number
}

/** Queue that is close to one of its limits. */
export interface NearlyFullQueue {
  readonly deviceId: string
  /** Number or bytes of its pending messages. */
  readonly value: number
  readonly limit: number
  readonly of: 'messages' | 'bytes'
}

/** UNKNOWN messages with the same cause. */
export interface UnknownMessages {
  readonly cause: Cause
  readonly count: number
  /** Message that has been UNKNOWN for the longest time. */
  readonly oldest: MessageRef
}

/** Messages of one device with one command that failed for one kind of reason. */
export interface FailedMessages {
  readonly deviceId: string
  /** NOT_ACKNOWLEDGED: parked. NOT_FINISHED: not finished in time. Null for any other reason. */
  readonly cause: FailureCause | null
  readonly count: number
  /** Time of the first of these failures. */
  readonly sinceMs: number
  /** `reason` is what the device reported; null if it reported none. */
  readonly latest: MessageRef & { readonly command: string; readonly reason: string | null }
}

export const FAILURE_CAUSES = ['NOT_ACKNOWLEDGED', 'NOT_FINISHED'] as const satisfies readonly Cause[]
export type FailureCause = (typeof FAILURE_CAUSES)[number]

const FAILURE_KINDS = { NOT_ACKNOWLEDGED: 'PARKED', NOT_FINISHED: 'NOT_FINISHED' } as const satisfies Record<
  FailureCause,
  string
>

/** Returns the kind of the alert for failures with a cause. */
export function failureKind(cause: FailureCause | null): 'FAILED' | 'PARKED' | 'NOT_FINISHED' {
  return cause === null ? 'FAILED' : FAILURE_KINDS[cause]
}

/** Sizes on the disk of the storage, in bytes. */
export interface DiskSpace {
  readonly directory: string
  readonly database: number
  /** Size of the write-ahead log, whose content is not yet in the database. */
  readonly log: number
  /** Null if the storage does not know its disk; `disk` likewise. */
  readonly free: number | null
  readonly disk: number | null
}

export interface Backups {
  /**
   * Makes a consistent backup as a file in the format of the storage. One backup runs at a time: it ends with its last
   * byte, or when its reader calls `return` of the iterator.
   *
   * @throws {BrokerError} backup-running, backup-no-room, backup-elsewhere, storage-full, storage-failed, storage-closed
   */
  make(): Promise<AsyncIterable<Uint8Array>>
}

export interface StoreStats {
  /** Returns the number of pending messages of all devices. */
  pending(): MaybePromise<number>

  /**
   * Returns the oldest pending message of each of the devices with the oldest messages. Reads a bounded number of
   * messages, so it may return fewer than `limit`.
   */
  oldest(limit: number): Promise<readonly MessageRef[]>

  /** Returns some of the queues that are nearly full. */
  nearlyFull(limit: number): MaybePromise<readonly NearlyFullQueue[]>

  /**
   * Returns the newest messages that received a status since a time, excluding messages that were sent again. Reads a
   * bounded number of messages.
   *
   * @param without causes of messages to exclude
   */
  newest(
    status: Status,
    sinceMs: number,
    limit: number,
    without?: readonly Cause[],
  ): Promise<readonly MessageRef[]>

  /**
   * Counts the messages that became UNKNOWN since a time and were not sent again, by cause. Reads at most the newest
   * 10,000 UNKNOWN messages.
   *
   * @param without devices whose messages are not counted
   */
  unknown(sinceMs: number, without?: readonly string[]): Promise<readonly UnknownMessages[]>

  /**
   * Groups the messages that became COMPLETED_WITH_ERROR or UNKNOWN since a time, excluding messages that were sent
   * again. Reads at most the 10,000 that failed last.
   *
   * @returns the groups in the order of their latest failures, newest first
   */
  failures(sinceMs: number): Promise<readonly FailedMessages[]>

  /** Time at which the storage failed and stopped all writes; null for a working storage. */
  readonly failedAtMs: number | null

  space(): Promise<DiskSpace>

  /** Returns an upper bound for the number of stored messages, and the number of templates. */
  counts(): Promise<{ readonly messagesAtMost: number; readonly templates: number }>
}
