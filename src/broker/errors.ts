/** Defines the errors of the domain. HTTP and MQTT choose their answer by the code, never by the text. */
import type { Status } from './status.ts'

export type BrokerErrorCode =
  | 'bad-message'
  | 'unknown-message'
  | 'unknown-template'
  | 'status-conflict'
  | 'handed-over'
  | 'not-unknown'
  | 'expired'
  | 'bad-terms'
  | 'key-reused'
  | 'still-pending'
  | 'queue-full'
  | 'unknown-connection'
  | 'too-many-streams'
  | 'backup-running'
  | 'backup-no-room'
  | 'storage-full'
  | 'storage-busy'
  | 'storage-failed'
  | 'storage-closed'

/** An error that a client may read. */
export class BrokerError extends Error {
  readonly code: BrokerErrorCode

  /** @param message says to the client what is wrong, then what to do */
  constructor(code: BrokerErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BrokerError'
    this.code = code
  }
}

/** Returns the error for a connection id that names no open connection. */
export function unknownConnection(id: number): BrokerError {
  return new BrokerError('unknown-connection', `There is no open connection ${id}.`)
}

/** Returns the error for a message that cannot be sent again, because its device will receive it anyway. */
export function stillPending(messageId: number): BrokerError {
  return new BrokerError(
    'still-pending',
    `Message ${messageId} is still pending, and sending it again would make a second one. Set force to true to send it all the same.`,
  )
}

/** An acknowledgement would have replaced a final status by another one. */
export class StatusConflict extends BrokerError {
  readonly status: Status

  constructor(messageId: number, status: Status) {
    super('status-conflict', `Message ${messageId} is already ${status}, which is final.`)
    this.status = status
  }
}

/** A client tried to cancel or replace a message that its device may have received. */
export class HandedOver extends BrokerError {
  readonly status: Status
  /** Number of attempts that the message had. */
  readonly attempts: number

  constructor(messageId: number, status: Status, attempts: number) {
    super('handed-over', handedOverText(messageId, status))
    this.status = status
    this.attempts = attempts
  }
}

function handedOverText(messageId: number, status: Status): string {
  if (status !== 'NOT_DELIVERED') return `Message ${messageId} is ${status} and cannot be cancelled any more.`
  return `Message ${messageId} was dispatched already, and its device may have it. Set force to true to cancel it all the same.`
}
