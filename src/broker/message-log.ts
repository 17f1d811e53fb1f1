/** The storage contract to read messages and their attempts. Knows no SQL. Times are milliseconds since 1970. */
import type { MessageRecord } from './message.ts'
import type { Status } from './status.ts'

/** One dispatch of a message. */
export interface Attempt {
  readonly atMs: number
  readonly transport: string
  /** True when the device did not acknowledge the message before the end of the attempt. */
  readonly timedOut: boolean
}

/** Conditions on a message. A condition that is left out accepts every message. */
export interface MessageFilter {
  readonly deviceId?: string | undefined
  readonly status?: Status | undefined
  readonly command?: string | undefined
  /** Earliest time at which the message was stored. */
  readonly fromMs?: number | undefined
  /** Time before which the message was stored. */
  readonly toMs?: number | undefined
  /** Id of a newer message. */
  readonly before?: number | undefined
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

  /** Lists the dispatches of a message, oldest first. Only the first poll that returned the message is kept. */
  attempts(messageId: number): Promise<readonly Attempt[]>
}
