/** Reads messages for admins: lists, and one message with its timeline and the reason why it is pending. */

import { type Clock, systemClock } from './clock.ts'
import type { Hold } from './dispatch.ts'
import { BrokerError } from './errors.ts'
import type { MessageRecord } from './message.ts'
import type { MessageFilter, MessageLog, Page } from './message-log.ts'
import type { MessageStore } from './store.ts'
import { attemptsOf, changesOf, type StatusChange, type TimelineAttempt } from './timeline.ts'

/**
 * The reason why a message is pending. BEHIND: another message is dispatched first. GAP: the pacing interval is not over.
 * DEVICE_AWAY: the device is not connected, and has not polled for the message. ACKNOWLEDGEMENT: the message was
 * dispatched, and is redelivered at that time or at the next poll. GOING_OUT: nothing holds the message.
 */
export interface Wait {
  readonly reason: 'BEHIND' | 'GAP' | 'DEVICE_AWAY' | 'ACKNOWLEDGEMENT' | 'GOING_OUT'
  /** The message that is dispatched first. */
  readonly messageId: number | null
  /** Time at which the wait ends, in milliseconds since 1970; null when no time ends it. */
  readonly untilMs: number | null
}

/** A message with its timeline. */
export interface MessageDetail {
  readonly message: MessageRecord
  readonly changes: readonly StatusChange[]
  readonly attempts: readonly TimelineAttempt[]
  /** Null when the message is not pending. */
  readonly wait: Wait | null
}

export interface MessagesOptions {
  readonly messageLog: MessageLog
  readonly messages: Pick<MessageStore, 'head'>
  /** Returns what the dispatch to a device waits for; null when the device is not connected. */
  readonly hold: (deviceId: string) => Hold | null
  readonly clock?: Clock
}

export class Messages {
  readonly #options: MessagesOptions

  constructor(options: MessagesOptions) {
    this.#options = options
  }

  /** Lists messages, newest first; see {@link MessageLog.list}. */
  list(filter: MessageFilter, limit: number): Promise<Page<MessageRecord, number>> {
    return this.#options.messageLog.list(filter, limit)
  }

  /** Returns a message with its timeline. @throws {BrokerError} unknown-message, storage-failed */
  async get(messageId: number): Promise<MessageDetail> {
    const { messageLog } = this.#options
    const message = await messageLog.get(messageId)
    if (message === null) throw new BrokerError('unknown-message', `There is no message ${messageId}.`)
    const attempts = attemptsOf(message, await messageLog.attempts(messageId))
    return {
      message,
      changes: changesOf(message),
      attempts,
      wait: message.status === 'NOT_DELIVERED' ? await this.#wait(message, attempts) : null,
    }
  }

  async #wait({ id, deviceId }: MessageRecord, attempts: readonly TimelineAttempt[]): Promise<Wait> {
    const { messages, hold, clock = systemClock } = this.#options
    const head = await messages.head(deviceId)
    if (head && head.id !== id) return waitFor('BEHIND', { messageId: head.id })
    const held = hold(deviceId)
    if (held === null) return waitFor(attempts.at(-1)?.outcome === 'OPEN' ? 'ACKNOWLEDGEMENT' : 'DEVICE_AWAY')
    const untilMs = clock.wallMs() + Math.ceil(held.forMs)
    if (held.is === 'ACKNOWLEDGEMENT' && held.messageId === id) return waitFor('ACKNOWLEDGEMENT', { untilMs })
    return held.is === 'PACING' ? waitFor('GAP', { untilMs }) : waitFor('GOING_OUT')
  }
}

function waitFor(reason: Wait['reason'], more: Partial<Wait> = {}): Wait {
  return { reason, messageId: null, untilMs: null, ...more }
}
