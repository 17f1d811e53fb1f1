/** What the errors of SQLite mean to who wanted to write. Knows no tables. */
import { BrokerError } from '../../broker/errors.ts'

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

/** What a failure of the disk or the file means to a caller; null for any other: then the unit itself is to blame. */
export function foreseen(failure: Failure): BrokerError | null {
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
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code)) return diskFailed(toError(failure))
  return null
}

export function diskFailed(cause: Error): BrokerError {
  const message = 'The disk failed: nothing is stored any more. Check the disk, then restart the server.'
  return new BrokerError('storage-failed', message, cause)
}
