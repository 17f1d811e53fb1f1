/** Storage contract to read messages and their attempts. Knows no SQL. Times are milliseconds since 1970. */

import { type MessageLinks, NO_LINKS } from '../vocabulary/link-table.ts'
import type { MessageRecord, Report } from '../vocabulary/message.ts'
import type { Cause, Status } from '../vocabulary/status.ts'
import type { StoredTermValues } from '../vocabulary/term-table.ts'
import type { AttemptOutcome } from './device-lease.ts'

export interface Attempt {
  /** Number of the attempt, from 1. The numbering continues after a replay. */
  readonly number: number
  readonly atMs: number
  readonly transport: string
  /** Null while the attempt is open, and if an acknowledgement ended it. */
  readonly outcome: AttemptOutcome | null
  /** Reason why the latest answer of the device during the attempt was refused; null without one. */
  readonly refused: string | null
}

/** Terms of a stored message. Times are milliseconds since 1970. */
export interface StoredTerms extends StoredTermValues {
  /** End of the running finish deadline, while the message is DELIVERED. */
  readonly finishAtMs: number | null
  /** True if the producer wants the details of each result. */
  readonly details: boolean
}

export interface StoredReport extends Report {
  /** Status of the newest acknowledgement after a final status; null without one. */
  readonly lateStatus: Status | null
  readonly lateAtMs: number | null
  readonly lateReason: string | null
}

/** Change of a status that the message itself does not show: parked, expired, not finished or replayed. */
export interface StoredChange {
  readonly atMs: number
  readonly status: Status
  readonly cause: Cause
  /** Client that caused the change; null for the broker. */
  readonly by: string | null
}

/** Stored facts about a message beyond its record. */
export interface MessageExtras extends MessageLinks {
  readonly terms: StoredTerms | null
  readonly report: StoredReport | null
  /** Oldest first. */
  readonly changes: readonly StoredChange[]
  readonly attemptCount: number
  /** The newest 100 attempts, oldest first. */
  readonly attempts: readonly Attempt[]
  readonly idempotencyKey: string | null
  /** Number of submits that repeated the idempotency key. */
  readonly repeats: number
}

/** Extras of a message that has none. */
export const NO_EXTRAS: MessageExtras = {
  terms: null,
  report: null,
  changes: [],
  attemptCount: 0,
  attempts: [],
  idempotencyKey: null,
  repeats: 0,
  ...NO_LINKS,
}

/** Conditions on a message. An omitted condition matches every message. */
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
  readonly before?: number | undefined
}

export interface Neighbours {
  readonly previousId: number | null
  readonly nextId: number | null
}

export interface Page<T, Cursor> {
  readonly items: readonly T[]
  /** Cursor of the next page; null for the last page. */
  readonly next: Cursor | null
}

export interface MessageLog {
  /**
   * Lists the messages that match a filter, newest first. A call reads a bounded number of messages, so a page may have
   * fewer than `limit` items, or none, although a next page exists.
   *
   * The bounds `fromMs` and `toMs` assume that ids grow with time. They are not exact after the clock was set back.
   */
  list(filter: MessageFilter, limit: number): Promise<Page<MessageRecord, number>>

  /** Returns null for an unknown message. */
  get(messageId: number): Promise<MessageRecord | null>

  /** Returns the stored facts about a message beyond its record. The first attempt by a poll is among the attempts. */
  extras(messageId: number): Promise<MessageExtras>

  /** Returns the records and extras of messages, in the given order. Omits unknown ids. */
  getAll(
    messageIds: readonly number[],
  ): Promise<readonly (MessageRecord & { readonly extras: MessageExtras })[]>

  /** Returns the number of attempts with each message, as `attemptCount` of the extras. Omits messages without one. */
  attemptCounts(messageIds: readonly number[]): Promise<ReadonlyMap<number, number>>

  /** Returns the ids of the messages stored before and after a message; null where there is none. */
  neighbours(messageId: number): Promise<Neighbours>

  /** Returns the newest re-send of each message. Omits messages without one. */
  resends(messageIds: readonly number[]): Promise<ReadonlyMap<number, number>>
}
