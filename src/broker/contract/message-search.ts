/**
 * The storage contract to search messages. A search may read many messages, so it runs beside the other work of the storage, is
 * bounded in time, and continues with the next page. Knows no SQL. Times are milliseconds since 1970.
 */
import type { MessageRecord } from '../vocabulary/message.ts'
import type { MessageFilter, Page } from './message-log.ts'

/** Conditions on a message. A condition that is left out accepts every message. A part matches as {@link formsOf} says. */
export interface MessageSearch extends Omit<MessageFilter, 'deviceId'> {
  /** Ids, of which a message has one. */
  readonly ids?: readonly number[] | undefined
  /** Devices, of which a message is for one. */
  readonly deviceIds?: readonly string[] | undefined
  /** Part of the device id or of the command. */
  readonly search?: string | undefined
  /** Part of `data`, as it is stored. */
  readonly text?: string | undefined
  /** FAILED: the message has one of {@link FAILED_STATUSES}. */
  readonly outcome?: SearchOutcome | undefined
  /** Earliest time of the last change. */
  readonly changedFromMs?: number | undefined
  /** Time before which the last change happened. */
  readonly changedToMs?: number | undefined
  /** True: only messages whose command was sent again; false: only the others. */
  readonly resent?: boolean | undefined
}

export const SEARCH_OUTCOMES = ['FAILED'] as const
export type SearchOutcome = (typeof SEARCH_OUTCOMES)[number]

/** Returns the filter that selects the same messages; null when only a search can select them. */
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
    ...filter
  } = search
  const others = [ids, part, text, outcome, changedFromMs, changedToMs, resent]
  if (deviceIds.length > 1 || others.some((condition) => condition !== undefined)) return null
  return { ...filter, deviceId: deviceIds[0] }
}

/** A range of ids, from `from` to below `below`. */
export interface IdRange {
  readonly from: number
  readonly below: number
}

/** Returns the part of a range in which the messages of a search are. */
export function narrowed({ ids }: MessageSearch, { from, below }: IdRange): IdRange {
  if (ids === undefined) return { from, below }
  return { from: Math.max(from, Math.min(...ids)), below: Math.min(below, Math.max(...ids) + 1) }
}

/** Maximum time of one page, in milliseconds. */
export const PAGE_MS = 250
/** Maximum time of a count, in milliseconds. */
export const COUNT_MS = 50
/** Time of the last step of a call, in milliseconds. A call begins no further step that might exceed its time. */
export const LAST_STEP_MS = 30
/** Maximum number of a count. */
export const MAX_COUNT = 10_000
/** Number of the newest messages whose commands and senders are suggested. */
export const SUGGESTION_SCAN = 5_000
/** Number of searches that run at the same time. */
export const SEARCHES_AT_A_TIME = 2

export interface SearchPage extends Page<MessageRecord, number> {
  /** Time down to which messages were searched; null when the page is the last one. */
  readonly searchedToMs: number | null
}

export interface MessageCount {
  /** Number of matching messages, at most {@link MAX_COUNT}. */
  readonly count: number
  /** False: more messages may match. */
  readonly isExact: boolean
  /** Time down to which messages were counted; null when all were. */
  readonly searchedToMs: number | null
}

/** Text of a message for which a search offers values. */
export type Suggested = 'command' | 'senderId'

/** Searches messages. A call whose signal aborts ends early, and its result means nothing. */
export interface MessageSearches {
  /**
   * Searches the newest matching messages for {@link PAGE_MS} at most. A page may have fewer than `limit` items, or none,
   * although a next page exists.
   *
   * @throws {BrokerError} storage-busy when too many searches wait
   */
  page(search: MessageSearch, limit: number, signal: AbortSignal): Promise<SearchPage>

  /** Counts matching messages, the newest first, for {@link COUNT_MS} at most. @throws {BrokerError} storage-busy */
  count(search: MessageSearch, signal: AbortSignal): Promise<MessageCount>

  /** Returns different values of the newest {@link SUGGESTION_SCAN} messages that contain a part, the newest first. */
  suggest(kind: Suggested, part: string, limit: number, signal: AbortSignal): Promise<readonly string[]>
}
