/** Stores the commands that clients submit: checks their terms, applies defaults and the limits of the queue. */
import type { AuditEntry } from '../../audit/audit.ts'
import type { Log } from '../../process/log.ts'
import type { Enqueued, MessageStore, QueueLimits, Transitioned } from '../contract/store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import type { DeviceSettings } from '../vocabulary/device-settings.ts'
import { tooLargeForDevice, unknownMessage } from '../vocabulary/errors.ts'
import type { Idempotency, NewMessage, Submission } from '../vocabulary/message.ts'
import { NO_REPORT_TEXTS } from '../vocabulary/report-table.ts'
import type { Status } from '../vocabulary/status.ts'
import { checkTerms, withDefaults } from '../vocabulary/terms.ts'
import type { DeviceSettingsCache } from './device-settings-cache.ts'

export interface Submitted {
  readonly id: number
  readonly status: Status
  /** True if the submit repeated an idempotency key. Then nothing was stored. */
  readonly replayed: boolean
}

/** Server settings for devices without their own values. */
export interface GeneralTerms {
  readonly limits: QueueLimits
  /** Validity of messages in seconds; 0 means no end. */
  readonly validSeconds: number
  readonly keepsKeys: boolean
  /** True if all senders share one space of keys. */
  readonly sharesKeys: boolean
}

export interface SubmissionsOptions extends GeneralTerms {
  readonly messages: Pick<MessageStore, 'enqueue' | 'status'>
  readonly settings: Pick<DeviceSettingsCache, 'of'>
  readonly announce: (change: Transitioned) => void
  readonly clock: Clock
  readonly log: Pick<Log, 'debug'>
}

export class Submissions {
  readonly #options: SubmissionsOptions

  constructor(options: SubmissionsOptions) {
    this.#options = options
  }

  /** Stores a command; see `Broker.enqueue`. */
  enqueue(submission: Submission, audit: AuditEntry | null): Promise<Submitted> {
    const settings = this.#options.settings.of(submission.deviceId)
    const message = this.#newMessage(submission, settings)
    return this.#options.messages
      .enqueue(message, this.#limits(settings), audit)
      .then((enqueued) => this.#enqueued(message, enqueued))
  }

  limitsOf(deviceId: string): QueueLimits {
    return this.#limits(this.#options.settings.of(deviceId))
  }

  #limits({ queueLimit, queueBytes }: DeviceSettings): QueueLimits {
    const { limits } = this.#options
    if (queueLimit === null && queueBytes === null) return limits
    return { messages: queueLimit ?? limits.messages, bytes: queueBytes ?? limits.bytes }
  }

  #newMessage(submission: Submission, settings: DeviceSettings): NewMessage {
    const { deviceId, command, guarantee, data = '{}', senderId, replyTo = null } = submission
    const { details = false, terms: own = null, replaces = null, links = null } = submission
    if (own !== null) checkTerms(own, guarantee)
    if (settings.maxBytes !== null) checkSize(deviceId, command, data, settings.maxBytes)
    const terms = withDefaults(own, guarantee, settings, this.#options.validSeconds)
    const idempotency = this.#idempotency(submission)
    // Properties one by one: spreading an object takes V8 longer, here and wherever the message is read.
    return {
      deviceId,
      command,
      guarantee,
      data,
      senderId,
      replyTo,
      details,
      terms,
      replaces,
      idempotency,
      links,
    }
  }

  #idempotency({ idempotency = null, senderId }: Submission): Idempotency | null {
    const { keepsKeys, sharesKeys } = this.#options
    if (idempotency === null || !keepsKeys) return null
    return { ...idempotency, scope: sharesKeys ? '' : (senderId ?? '') }
  }

  #enqueued(message: NewMessage, { id, cancelled, replayed }: Enqueued): Submitted | Promise<Submitted> {
    const { announce, clock, log } = this.#options
    const { deviceId, command, guarantee, senderId, replyTo } = message
    if (replayed) return this.#repeated(id)
    log.debug({ messageId: id, deviceId, command, guarantee, senderId }, 'message stored')
    const details = message.details
      ? { ...NO_REPORT_TEXTS, result: null, attempts: 0, atMs: clock.wallMs() }
      : null
    announce({
      messageId: id,
      deviceId,
      status: 'NOT_DELIVERED',
      cause: 'STORED',
      replyTo,
      details,
      order: null,
    })
    for (const transition of cancelled) announce(transition)
    return { id, status: 'NOT_DELIVERED', replayed: false }
  }

  async #repeated(id: number): Promise<Submitted> {
    const { messages, log } = this.#options
    log.debug({ messageId: id }, 'message submitted again with its idempotency key')
    const status = await messages.status(id)
    if (status === null) throw unknownMessage(id)
    return { id, status, replayed: true }
  }
}

/** @throws {BrokerError} too-large-for-device */
function checkSize(deviceId: string, command: string, data: string, maximum: number): void {
  const bytes = Buffer.byteLength(command) + Buffer.byteLength(data)
  if (bytes > maximum) throw tooLargeForDevice(deviceId, bytes, maximum)
}
