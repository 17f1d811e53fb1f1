/** The storage contract to read messages and their attempts. Knows no SQL. Times are milliseconds since 1970. */

import type { MessageRecord } from '../vocabulary/message.ts'
import type { Cause, Status } from '../vocabulary/status.ts'
import type { StoredTermValues } from '../vocabulary/term-table.ts'
import type { AttemptOutcome } from './device-lease.ts'

/** One attempt with a message. */
export interface Attempt {
  /** Number of the attempt, from 1. It continues after a replay. */
  readonly number: number
  readonly atMs: number
  readonly transport: string
  /** Null while the attempt is open, and when an acknowledgement ended it. */
  readonly outcome: AttemptOutcome | null
  /** Reason why the latest answer of the device was refused during the attempt; null when none was. */
  readonly refused: string | null
}

/** The terms of a stored message. Times are milliseconds since 1970. */
export interface StoredTerms extends StoredTermValues {
  /** End of the running finish deadline, while the message is DELIVERED. */
  readonly finishAtMs: number | null
  /** True when the producer wants the details of each result. */
  readonly details: boolean
}

/** The report of a device on a message. */
export interface StoredReport {
  readonly reason: string | null
  readonly result: string | null
  readonly resultDropped: boolean
  /** Status of the newest acknowledgement that came after a final status; null when there was none. */
  readonly lateStatus: Status | null
  readonly lateAtMs: number | null
  readonly lateReason: string | null
}

/** A change of a status that the message itself does not show: parked, expired, not finished or replayed. */
export interface StoredChange {
  readonly atMs: number
  readonly status: Status
  readonly cause: Cause
  /** The client that caused the change; null when the broker did. */
  readonly by: string | null
}

/** All that the storage keeps about a message beside its record. */
export interface MessageExtras {
  readonly terms: StoredTerms | null
  readonly report: StoredReport | null
  /** Oldest first. */
  readonly changes: readonly StoredChange[]
  /** Number of all attempts. */
  readonly attemptCount: number
  /** The newest 100 attempts, oldest first. */
  readonly attempts: readonly Attempt[]
  readonly idempotencyKey: string | null
  /** Number of submits that repeated the idempotency key. */
  readonly repeats: number
  /** Id of the message whose command this one sent again; null for any other message. */
  readonly resentFrom: number | null
  /** Id of the newest message that sent the command again; null when none did. */
  readonly resentAs: number | null
}

/** Conditions on a message. A condition that is left out accepts every message. */
export interface MessageFilter {
  readonly deviceId?: string | undefined
  readonly status?: Status | undefined
  /** Cause of a CANCELLED or UNKNOWN message. */
  readonly cause?: Cause | undefined
  readonly command?: string | undefined
  readonly senderId?: string | undefined
  /** Earliest time at which the message was stored. */
  readonly fromMs?: number | undefined
  /** Time before which the message was stored. */
  readonly toMs?: number | undefined
  /** Id of a newer message. */
  readonly before?: number | undefined
}

/** The ids beside the id of a message. */
export interface Neighbours {
  readonly previousId: number | null
  readonly nextId: number | null
}

/** A part of a list. */
export interface Page<T, Cursor> {
  readonly items: readonly T[]
  /** Cursor of the next page; null when this page is the last one. */
  readonly next: Cursor | null
}

export interface MessageLog {
  /**
   * Lists the messages that a filter accepts, newest first. A call reads a bounded number of messages, so a page may
   * have fewer than `limit` items, or none, although a next page exists.
   *
   * The bounds `fromMs` and `toMs` assume that ids grow with time. They are not exact after the clock was set back.
   */
  list(filter: MessageFilter, limit: number): Promise<Page<MessageRecord, number>>

  /** Returns null when there is no such message. */
  get(messageId: number): Promise<MessageRecord | null>

  /**
   * Returns what the storage keeps beside the record of a message. The first attempt by a poll is among the attempts.
   */
  extras(messageId: number): Promise<MessageExtras>

  /** Returns the records and extras of messages, in the order asked. Unknown ids are left out. */
  getAll(
    messageIds: readonly number[],
  ): Promise<readonly (MessageRecord & { readonly extras: MessageExtras })[]>

  /** Returns the number of attempts with each message, as `attemptCount` of the extras. Messages without one are left out. */
  attemptCounts(messageIds: readonly number[]): Promise<ReadonlyMap<number, number>>

  /** Returns the ids of the messages that were stored before and after a message; null where there is none. */
  neighbours(messageId: number): Promise<Neighbours>

  /** Returns the newest message that sent the command of each message again. Messages without one are left out. */
  resends(messageIds: readonly number[]): Promise<ReadonlyMap<number, number>>
}
