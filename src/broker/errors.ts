/** What the domain throws. Each error has a code; who answers for it (HTTP, MQTT) reads the code, never the text. */
import type { Status } from './status.ts'

export type BrokerErrorCode =
  | 'unknown-message'
  | 'unknown-template'
  | 'status-conflict'
  | 'dispatched'
  | 'queue-full'
  | 'unknown-connection'
  | 'too-many-streams'
  | 'backup-running'
  | 'backup-no-room'
  | 'storage-full'
  | 'storage-busy'
  | 'storage-failed'
  | 'storage-closed'

export class BrokerError extends Error {
  readonly code: BrokerErrorCode

  /** @param message what is wrong and how to mend it; the client reads it */
  constructor(code: BrokerErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BrokerError'
    this.code = code
  }
}

/** @param id of a connection that is not there, or not any more */
export function unknownConnection(id: number): BrokerError {
  return new BrokerError('unknown-connection', `There is no open connection ${id}.`)
}

/** A final status was to be replaced by another one. */
export class StatusConflict extends BrokerError {
  readonly status: Status

  constructor(messageId: number, status: Status) {
    super('status-conflict', `Message ${messageId} is already ${status}, which is final.`)
    this.status = status
  }
}

/** A client asked to cancel a message that its device may have already. */
export class AlreadyDispatched extends BrokerError {
  readonly status: Status

  constructor(messageId: number, status: Status) {
    super(
      'dispatched',
      `Message ${messageId} was dispatched already. Only a message that was never dispatched can be cancelled.`,
    )
    this.status = status
  }
}
