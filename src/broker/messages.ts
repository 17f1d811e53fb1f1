/** Messages as an admin looks at them: lists, and one with its past and with why it waits. Changes nothing. */
import type { MessageArchive, MessageFilter, MessageRecord, Page } from './archive.ts'
import { BrokerError } from './errors.ts'
import { attemptsOf, changesOf, type Outgoing, type StatusChange } from './past.ts'
import type { MessageStore } from './store.ts'

/** How the delivery to a device that is there stands. */
export interface LineState {
  /** The message that was handed over and not acknowledged; at `againAtMs` it goes out again. */
  readonly open: { readonly messageId: number; readonly againAtMs: number } | null
  /** Nothing goes out before. */
  readonly gapUntilMs: number
}

/**
 * Why a message waits. BEHIND: another message goes out first. GAP: the device is given a rest. DEVICE_AWAY: it is
 * not connected, and has not polled for it. ACKNOWLEDGEMENT: it was handed over, and goes out again at that time, or
 * at the next poll. GOING_OUT: nothing holds it up.
 */
export interface Wait {
  readonly reason: 'BEHIND' | 'GAP' | 'DEVICE_AWAY' | 'ACKNOWLEDGEMENT' | 'GOING_OUT'
  /** The message that it waits behind. */
  readonly messageId: number | null
  readonly untilMs: number | null
}

export interface MessageDetail {
  readonly message: MessageRecord
  readonly changes: readonly StatusChange[]
  readonly attempts: readonly Outgoing[]
  /** Null: it does not wait. */
  readonly wait: Wait | null
}

export interface MessagesOptions {
  readonly archive: MessageArchive
  readonly messages: Pick<MessageStore, 'oldest'>
  /** How the delivery to a device stands; null when it is not there. */
  readonly line: (deviceId: string) => LineState | null
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export class Messages {
  readonly #options: MessagesOptions
  readonly #now: () => number

  constructor(options: MessagesOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Newest first; see {@link MessageArchive.list}. */
  list(filter: MessageFilter, limit: number): Promise<Page<MessageRecord, number>> {
    return this.#options.archive.list(filter, limit)
  }

  /** @throws {BrokerError} unknown-message */
  async get(messageId: number): Promise<MessageDetail> {
    const { archive } = this.#options
    const message = await archive.get(messageId)
    if (message === null) throw new BrokerError('unknown-message', `There is no message ${messageId}.`)
    const attempts = attemptsOf(message, await archive.attempts(messageId))
    const waits = message.status === 'NOT_DELIVERED'
    return {
      message,
      changes: changesOf(message),
      attempts,
      wait: waits ? this.#wait(message, attempts) : null,
    }
  }

  #wait({ id, deviceId }: MessageRecord, attempts: readonly Outgoing[]): Wait {
    const { messages, line } = this.#options
    const oldest = messages.oldest(deviceId)
    if (oldest && oldest.id !== id) return waitFor('BEHIND', { messageId: oldest.id })
    const state = line(deviceId)
    if (state === null)
      return waitFor(attempts.at(-1)?.outcome === 'OPEN' ? 'ACKNOWLEDGEMENT' : 'DEVICE_AWAY')
    if (state.open?.messageId === id) return waitFor('ACKNOWLEDGEMENT', { untilMs: state.open.againAtMs })
    return state.gapUntilMs > this.#now()
      ? waitFor('GAP', { untilMs: state.gapUntilMs })
      : waitFor('GOING_OUT')
  }
}

function waitFor(reason: Wait['reason'], more: Partial<Wait> = {}): Wait {
  return { reason, messageId: null, untilMs: null, ...more }
}
