/** What is kept of every message, and the storage contract to read it. No SQL. Times are milliseconds since 1970. */
import type { Guarantee, Status } from './status.ts'

export interface MessageRecord {
  readonly id: number
  readonly deviceId: string
  readonly command: string
  readonly guarantee: Guarantee
  readonly status: Status
  /** Of the birth certificate; null without one. */
  readonly tmpId: number | null
  readonly producerId: string | null
  /** The client that sent it; null when access checks were off. */
  readonly senderId: string | null
  readonly createdAtMs: number
  /** When it first left NOT_DELIVERED for DELIVERED or a later status. */
  readonly deliveredAtMs: number | null
  /** Of the last change of its status. */
  readonly changedAtMs: number
  /** When its hand-over broke off. */
  readonly brokenAtMs: number | null
  /** Whose the first DELIVERED was, and the last change; null: the device's own, or the broker's. */
  readonly deliveredBy: string | null
  readonly changedBy: string | null
  /** The message that took its place. */
  readonly supersededBy: number | null
  /** An acknowledgement did not come in time. */
  readonly deliveredError: boolean
  /** A JSON object as the producer wrote it. */
  readonly data: string
}

/** One time that a message was given to its device. */
export interface Attempt {
  readonly atMs: number
  readonly transport: string
  /** Its acknowledgement did not come in time. */
  readonly missed: boolean
}

/** What is left out lets every message pass. */
export interface MessageFilter {
  readonly deviceId?: string | undefined
  readonly status?: Status | undefined
  readonly command?: string | undefined
  /** Stored at this time or later. */
  readonly fromMs?: number | undefined
  /** Stored before this time. */
  readonly toMs?: number | undefined
  /** Older than the message with this id. */
  readonly before?: number | undefined
}

export interface Page<T, Cursor> {
  readonly items: readonly T[]
  /** Where the next page begins; null: there is none. */
  readonly next: Cursor | null
}

export interface MessageArchive {
  /**
   * Newest first. A request looks at a bounded number of messages: a page may have fewer than `limit`, even none,
   * and still a next one.
   *
   * Ids are taken to grow with time: after the clock was set back, `fromMs` and `toMs` are not exact.
   */
  list(filter: MessageFilter, limit: number): Promise<Page<MessageRecord, number>>

  get(messageId: number): Promise<MessageRecord | null>

  /** Oldest first. Of polls, only the first that got the message. */
  attempts(messageId: number): Promise<readonly Attempt[]>
}
