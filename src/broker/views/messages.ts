/** Reads messages: lists, and single messages with their timeline and the reason why they are pending. */

import type { Head } from '../contract/device-lease.ts'
import type { MessageExtras, MessageLog, Neighbours } from '../contract/message-log.ts'
import {
  asFilter,
  type MessageCount,
  type MessageSearch,
  type MessageSearches,
  type SearchPage,
  type Suggested,
} from '../contract/message-search.ts'
import type { MessageStore } from '../contract/store.ts'
import { systemClock } from '../vocabulary/clock.ts'
import { unknownMessage } from '../vocabulary/errors.ts'
import type { MessageRecord } from '../vocabulary/message.ts'
import { attemptNumber, attemptsOf, changesOf, type StatusChange, type TimelineAttempt } from './timeline.ts'
import { Turns } from './turns.ts'
import { type Wait, type WaitOptions, waitOf } from './wait-reasons.ts'

export interface MessageDetail {
  readonly message: MessageRecord
  readonly extras: MessageExtras
  readonly changes: readonly StatusChange[]
  readonly attempts: readonly TimelineAttempt[]
  readonly wait: Wait | null
}

export interface ListedMessage {
  readonly record: MessageRecord
  readonly attempts: number
  /** Id of the newest message that sent the command again; null without one. */
  readonly resentAs: number | null
}

export interface MessagesOptions extends Omit<WaitOptions, 'messages' | 'clock'> {
  readonly messageLog: MessageLog
  readonly searches: MessageSearches
  readonly messages: Pick<MessageStore, 'head' | 'line'>
  readonly clock?: WaitOptions['clock']
}

export class Messages {
  readonly #options: MessagesOptions & WaitOptions
  readonly #turns = new Turns()

  constructor(options: MessagesOptions) {
    this.#options = { clock: systemClock, ...options }
  }

  /**
   * Lists messages, newest first: simple filters by an index as {@link MessageLog.list}, others as {@link
   * MessageSearches.page}.
   *
   * @param signal aborts when the caller has left, which ends a search
   */
  async list(search: MessageSearch, limit: number, signal: AbortSignal): Promise<SearchPage> {
    const filter = asFilter(search)
    if (filter === null) return this.#options.searches.page(search, limit, signal)
    const page = await this.#turns.run(() => this.#options.messageLog.list(filter, limit))
    return { ...page, searchedToMs: null }
  }

  /** Counts messages; see {@link MessageSearches.count}. */
  count(search: MessageSearch, signal: AbortSignal): Promise<MessageCount> {
    return this.#options.searches.count(search, signal)
  }

  /** Returns values of messages that contain a substring; see {@link MessageSearches.suggest}. */
  suggest(kind: Suggested, part: string, limit: number, signal: AbortSignal): Promise<readonly string[]> {
    return this.#options.searches.suggest(kind, part, limit, signal)
  }

  /** Adds to records the other members that a list shows. */
  async listed(records: readonly MessageRecord[]): Promise<readonly ListedMessage[]> {
    const { messageLog } = this.#options
    const ids = records.map(({ id }) => id)
    const [counts, resends] = await Promise.all([messageLog.attemptCounts(ids), messageLog.resends(ids)])
    return records.map((record) => ({
      record,
      attempts: attemptNumber(record, counts.get(record.id) ?? 0),
      resentAs: resends.get(record.id) ?? null,
    }))
  }

  /** Returns the ids of the messages stored before and after a message. */
  neighbours(messageId: number): Promise<Neighbours> {
    return this.#options.messageLog.neighbours(messageId)
  }

  /** Returns a message with its timeline. @throws {BrokerError} unknown-message, storage-failed */
  async get(messageId: number): Promise<MessageDetail> {
    const { messageLog } = this.#options
    const message = await messageLog.get(messageId)
    if (message === null) throw unknownMessage(messageId)
    return this.#detail(message, await messageLog.extras(messageId))
  }

  /**
   * Returns messages with their timelines, in the given order. Omits unknown ids. @throws {BrokerError} storage-failed
   */
  async getAll(messageIds: readonly number[]): Promise<MessageDetail[]> {
    const details: MessageDetail[] = []
    for (const { extras, ...message } of await this.#options.messageLog.getAll(messageIds)) {
      details.push(await this.#detail(message, extras))
    }
    return details
  }

  /** Returns the newest re-send of each message; see {@link MessageLog.resends}. */
  resends(messageIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.#options.messageLog.resends(messageIds)
  }

  async #detail(message: MessageRecord, extras: MessageExtras): Promise<MessageDetail> {
    const isPending = message.status === 'NOT_DELIVERED'
    const head = isPending ? await this.#options.messages.head(message.deviceId) : null
    return {
      message,
      extras,
      changes: changesOf(message, extras),
      attempts: attemptsOf(message, extras.attempts, this.#openUntil(message, head)),
      wait: isPending ? await waitOf(message, extras, head, this.#options) : null,
    }
  }

  /** Returns the time at which the open attempt with a message ends; null without one. */
  #openUntil({ id }: MessageRecord, head: Head | null): number | null {
    const runningMs = head?.message.id === id ? (head.attempt?.runningMs ?? 0) : 0
    return runningMs === 0 ? null : this.#options.clock.wallMs() + Math.ceil(runningMs)
  }
}
