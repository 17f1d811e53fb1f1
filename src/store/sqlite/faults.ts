/** What the errors of SQLite mean to who wanted to write. Knows no tables. */
import { BrokerError } from '../../broker/errors.ts'
import { isDamage } from './integrity.ts'

/** An error of SQLite on its way between threads. */
export interface Failure {
  /** SQLite's extended result code, `SQLITE_…`; empty for an error of another kind. */
  readonly code: string
  readonly message: string
}

export function isFailure(outcome: object): outcome is Failure {
  return 'code' in outcome
}

export function toFailure(error: unknown): Failure {
  const { code, message } = error as { code?: unknown; message: string }
  return { code: typeof code === 'string' ? code : '', message }
}

export function toError({ code, message }: Failure): Error {
  return Object.assign(new Error(message), { code })
}

/** What a failure of the disk or the file means to a caller; null for any other: then the batch itself is to blame. */
export function toBrokerError(failure: Failure): BrokerError | null {
  const { code } = failure
  // SHMSIZE: the write-ahead log's index could not grow, for want of space too.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') {
    return new BrokerError(
      'storage-full',
      'The disk is full: nothing was stored. Free some space and send it again.',
      toError(failure),
    )
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new BrokerError(
      'storage-busy',
      'Another program holds the database: nothing was stored. Send it again.',
      toError(failure),
    )
  }
  const error = toError(failure)
  return isDamage(error) || code.startsWith('SQLITE_IOERR') ? storageFailed(error) : null
}

/** What is on disk is not known any more. */
export function storageFailed(cause: Error): BrokerError {
  const message = isDamage(cause)
    ? 'The database is damaged: nothing is stored any more. An administrator has to restore a backup.'
    : 'The disk failed: nothing is stored any more. Check the disk, then restart the server.'
  return new BrokerError('storage-failed', message, cause)
}
