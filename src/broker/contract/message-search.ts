/**
 * Storage contract to search messages. A search may read many messages, so it runs concurrently with the other work of
 * the storage, is bounded in time, and continues with the next page. Knows no SQL. Times are milliseconds since 1970.
 */
import type { MessageRecord } from '../vocabulary/message.ts'
import type { MessageFilter, Page } from './message-log.ts'

/**
 * Conditions on a message. An omitted condition matches every message. A substring matches as described at {@link
 * formsOf}.
 */
export interface MessageSearch extends Omit<MessageFilter, 'deviceId'> {
  /** Ids; a message must have one of them. */
  readonly ids?: readonly number[] | undefined
  /** Devices; a message must be for one of them. */
  readonly deviceIds?: readonly string[] | undefined
  /** Substring of the device id or of the command. */
  readonly search?: string | undefined
  /** Substring of `data`, as stored. */
  readonly text?: string | undefined
  /** FAILED matches the statuses in {@link FAILED_STATUSES}. */
  readonly outcome?: SearchOutcome | undefined
  /** Earliest time of the last change. */
  readonly changedFromMs?: number | undefined
  /** Time before which the last change happened. */
  readonly changedToMs?: number | undefined
  /** True matches only messages whose command was sent again; false only the others. */
  readonly resent?: boolean | undefined
  /** Incident; a message must be one of those that failed, were parked or were not finished in it. */
  readonly incidentId?: number | undefined
}

export const SEARCH_OUTCOMES = ['FAILED'] as const
export type SearchOutcome = (typeof SEARCH_OUTCOMES)[number]

/** Returns the filter that selects the same messages; null if only a search can select them. */
export function asFilter(search: MessageSearch): MessageFilter | null {
  const {
    ids,
    deviceIds = [],
    search: part,
    text,
    outcome,
    changedFromMs,
    changedToMs,
    resent,
    incidentId,
    ...filter
  } = search
  const others = [ids, part, text, outcome, changedFromMs, changedToMs, resent, incidentId]
  if (deviceIds.length > 1 || others.some((condition) => condition !== undefined)) return null
  return { ...filter, deviceId: deviceIds[0] }
}

export interface IdRange {
  readonly from: number
  readonly below: number
}

/** Narrows a range to the part that contains the messages of a search. */
export function narrowed({ ids }: MessageSearch, { from, below }: IdRange): IdRange {
  if (ids === undefined) return { from, below }
  return { from: Math.max(from, Math.min(...ids)), below: Math.min(below, Math.max(...ids) + 1) }
}

/** Maximum time of one page, in milliseconds. */
export const PAGE_MS = 250
/** Maximum time of a count, in milliseconds. */
export const COUNT_MS = 50
/**
 * Time reserved for the last step of a call, in milliseconds. A call begins no further step that might exceed its time.
 */
export const LAST_STEP_MS = 30
export const MAX_COUNT = 10_000
/** Number of the newest messages whose commands and senders are suggested. */
export const SUGGESTION_SCAN = 5_000
export const SEARCHES_AT_A_TIME = 2

export interface SearchPage extends Page<MessageRecord, number> {
  /** Time down to which messages were searched; null for the last page. */
  readonly searchedToMs: number | null
}

export interface MessageCount {
  /** Number of matching messages, at most {@link MAX_COUNT}. */
  readonly count: number
  /** False if more messages may match. */
  readonly isExact: boolean
  /** Time down to which messages were counted; null if all were. */
  readonly searchedToMs: number | null
}

/** Field for which a search suggests values. */
export type Suggested = 'command' | 'senderId'

/** Searches messages. A call whose signal aborts ends early, and its result is meaningless. */
export interface MessageSearches {
  /**
   * Searches the newest matching messages for {@link PAGE_MS} at most. A page may have fewer than `limit` items, or
   * none, although a next page exists.
   *
   * @throws {BrokerError} storage-busy when too many searches are queued
   */
  page(search: MessageSearch, limit: number, signal: AbortSignal): Promise<SearchPage>

  /** Counts matching messages, the newest first, for {@link COUNT_MS} at most. @throws {BrokerError} storage-busy */
  count(search: MessageSearch, signal: AbortSignal): Promise<MessageCount>

  /**
   * Returns distinct values that contain a substring, of the newest {@link SUGGESTION_SCAN} messages, the newest first.
   */
  suggest(kind: Suggested, part: string, limit: number, signal: AbortSignal): Promise<readonly string[]>
}
