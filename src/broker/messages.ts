/** Reads messages: lists, and one message with its timeline and the reason why it is pending. */
import { systemClock } from './clock.ts'
import type { Head } from './device-lease.ts'
import { unknownMessage } from './errors.ts'
import type { MessageRecord } from './message.ts'
import type { MessageExtras, MessageFilter, MessageLog, Page } from './message-log.ts'
import type { MessageStore } from './store.ts'
import { attemptsOf, changesOf, type StatusChange, type TimelineAttempt } from './timeline.ts'
import { type Wait, type WaitOptions, waitOf } from './wait-reasons.ts'

/** A message with its timeline. */
export interface MessageDetail {
  readonly message: MessageRecord
  readonly extras: MessageExtras
  readonly changes: readonly StatusChange[]
  readonly attempts: readonly TimelineAttempt[]
  /** Null when the message is not pending. */
  readonly wait: Wait | null
}

export interface MessagesOptions extends Omit<WaitOptions, 'messages' | 'clock'> {
  readonly messageLog: MessageLog
  readonly messages: Pick<MessageStore, 'head' | 'line'>
  readonly clock?: WaitOptions['clock']
}

export class Messages {
  readonly #options: MessagesOptions & WaitOptions

  constructor(options: MessagesOptions) {
    this.#options = { clock: systemClock, ...options }
  }

  /** Lists messages, newest first; see {@link MessageLog.list}. */
  list(filter: MessageFilter, limit: number): Promise<Page<MessageRecord, number>> {
    return this.#options.messageLog.list(filter, limit)
  }

  /** Returns a message with its timeline. @throws {BrokerError} unknown-message, storage-failed */
  async get(messageId: number): Promise<MessageDetail> {
    const { messageLog } = this.#options
    const message = await messageLog.get(messageId)
    if (message === null) throw unknownMessage(messageId)
    return this.#detail(message, await messageLog.extras(messageId))
  }

  /** Returns messages with their timelines, in the order asked. Unknown ids are left out. @throws {BrokerError} storage-failed */
  async getAll(messageIds: readonly number[]): Promise<MessageDetail[]> {
    const details: MessageDetail[] = []
    for (const { extras, ...message } of await this.#options.messageLog.getAll(messageIds)) {
      details.push(await this.#detail(message, extras))
    }
    return details
  }

  /** Returns the newest message that sent the command of each message again; see {@link MessageLog.resends}. */
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

  /** Returns the time at which the open attempt with a message ends; null when it has none. */
  #openUntil({ id }: MessageRecord, head: Head | null): number | null {
    const runningMs = head?.message.id === id ? (head.attempt?.runningMs ?? 0) : 0
    return runningMs === 0 ? null : this.#options.clock.wallMs() + Math.ceil(runningMs)
  }
}
