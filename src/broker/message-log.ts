/** The storage contract to read messages and their attempts. No SQL. Times are milliseconds since 1970. */
import type { MessageRecord } from './message.ts'
import type { Status } from './status.ts'

/** One dispatch of a message. */
export interface Attempt {
  readonly atMs: number
  readonly transport: string
  /** True when its acknowledgement did not come in time. */
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

export interface MessageLog {
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
