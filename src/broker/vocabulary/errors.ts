/** Defines the errors of the domain. HTTP and MQTT choose their answer by the code, never by the text. */
import type { Guarantee, Status } from './status.ts'

export type BrokerErrorCode =
  | 'bad-message'
  | 'unknown-message'
  | 'unknown-template'
  | 'unknown-alert'
  | 'in-service'
  | 'unknown-note'
  | 'too-many-notes'
  | 'unknown-incident'
  | 'incident-ended'
  | 'bad-rule'
  | 'status-conflict'
  | 'handed-over'
  | 'not-unknown'
  | 'expired'
  | 'bad-terms'
  | 'bad-range'
  | 'key-reused'
  | 'still-pending'
  | 'queue-full'
  | 'too-large-for-device'
  | 'unknown-bulk'
  | 'bulk-running'
  | 'unknown-connection'
  | 'too-many-streams'
  | 'backup-running'
  | 'export-running'
  | 'backup-no-room'
  | 'backup-elsewhere'
  | 'storage-full'
  | 'storage-busy'
  | 'storage-away'
  | 'storage-failed'
  | 'storage-closed'

const NO_PARAMS: BrokerError['params'] = {}

/** Error whose message a client may read. */
export class BrokerError extends Error {
  readonly code: BrokerErrorCode
  readonly params: Readonly<Record<string, string | number>>

  /** @param message text for the client: the problem, then what to do */
  constructor(
    code: BrokerErrorCode,
    message: string,
    cause?: unknown,
    params: BrokerError['params'] = NO_PARAMS,
  ) {
    super(message, { cause })
    this.name = 'BrokerError'
    this.code = code
    this.params = params
  }
}

/**
 * Returns the log level of a failed task of the server. The storage logs the start and the end of its conditions, and a
 * line per task would flood the log meanwhile.
 */
export function levelOf<Level extends 'warn' | 'error'>(error: unknown, usual: Level): Level | 'debug' {
  return error instanceof BrokerError && error.code.startsWith('storage-') ? 'debug' : usual
}

/** Returns the error for a message that does not exist, or that the client may not see. */
export function unknownMessage(messageId: number): BrokerError {
  return new BrokerError('unknown-message', `There is no message ${messageId}.`, undefined, {
    id: messageId,
  })
}

/** Returns the error for an idempotency key that was used with another content. */
export function keyReused(key: string): BrokerError {
  return new BrokerError(
    'key-reused',
    `The idempotency key "${key}" belongs to another message: nothing was stored. Choose another key.`,
  )
}

/** Returns the error for a message that cannot be replayed because of its status or its guarantee. */
export function notUnknown(messageId: number, status: Status, guarantee: Guarantee): BrokerError {
  const why =
    status === 'UNKNOWN' && guarantee === 'NO'
      ? 'has guarantee NO, so it is dispatched once only. Send it again as a new message.'
      : `is ${status}. Only a message that is UNKNOWN can be replayed.`
  return new BrokerError('not-unknown', `Message ${messageId} ${why}`, undefined, { id: messageId })
}

/** Returns the error for a message that cannot be replayed because its validity is over. */
export function expired(messageId: number): BrokerError {
  return new BrokerError(
    'expired',
    `The validity of message ${messageId} is over. Send it again as a new message.`,
    undefined,
    { id: messageId },
  )
}

/** Returns the error for an id of no open connection. */
export function unknownConnection(id: number): BrokerError {
  return new BrokerError('unknown-connection', `There is no open connection ${id}.`, undefined, { id })
}

/** Returns the error for a message that is larger than its device accepts. */
export function tooLargeForDevice(deviceId: string, bytes: number, maximum: number): BrokerError {
  return new BrokerError(
    'too-large-for-device',
    `Command and data have ${bytes} bytes, and device "${deviceId}" accepts ${maximum} (maxBytes). Send a smaller message.`,
    undefined,
    { bytes, maximum },
  )
}

/** Returns the error for a message that cannot be sent again, because its device will still receive it. */
export function stillPending(messageId: number): BrokerError {
  return new BrokerError(
    'still-pending',
    `Message ${messageId} is still pending, and sending it again would make a second one. Set force to true to send it anyway.`,
    undefined,
    { id: messageId },
  )
}

/** Error of an acknowledgement that would replace a final status by another final status. */
export class StatusConflict extends BrokerError {
  readonly status: Status

  constructor(messageId: number, status: Status) {
    super('status-conflict', `Message ${messageId} is already ${status}, which is final.`, undefined, {
      id: messageId,
      status,
    })
    this.status = status
  }
}

export interface QueueState {
  readonly waiting: number
  readonly limit: number
  /** Bytes of the commands and data of the pending messages. */
  readonly bytes: number
  /** 0 means no limit. */
  readonly limitBytes: number
}

/** Error of a queue without room for a message. */
export class QueueFull extends BrokerError {
  readonly queue: QueueState

  constructor(message: string, queue: QueueState) {
    super('queue-full', message, undefined, { waiting: queue.waiting, limit: queue.limit })
    this.queue = queue
  }
}

/** Error of a cancellation or replacement of a message that the device may have received. */
export class HandedOver extends BrokerError {
  readonly status: Status
  readonly attempts: number

  constructor(messageId: number, status: Status, attempts: number) {
    super('handed-over', handedOverText(messageId, status), undefined, { id: messageId, status })
    this.status = status
    this.attempts = attempts
  }
}

function handedOverText(messageId: number, status: Status): string {
  if (status !== 'NOT_DELIVERED')
    return `Message ${messageId} is ${status}. Only a pending message can be cancelled.`
  return `Message ${messageId} was dispatched already, so its device may have it. Set force to true to cancel it anyway.`
}
