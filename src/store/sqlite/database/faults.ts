/** Converts errors of SQLite to errors of the broker. Knows no tables. */
import { BrokerError } from '../../../broker/vocabulary/errors.ts'
import { isDamage } from './integrity.ts'
import { FILES_GONE } from './open-files.ts'

/** Error of SQLite in a form that threads can exchange. */
export interface Failure {
  /** SQLite's extended result code, `SQLITE_…`, or a code of the operating system; empty for any other error. */
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

/** Returns the error for the caller if the disk or the file is at fault; null if the task itself is at fault. */
export function toBrokerError(failure: Failure): BrokerError | null {
  const { code } = failure
  // SHMSIZE: the index of the write-ahead log could not grow, possibly for lack of space.
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

/** Returns the error of a failed writer: the content of the disk is unknown. */
export function storageFailed(cause: Error): BrokerError {
  return new BrokerError('storage-failed', refusalText(cause), cause)
}

function refusalText(cause: Error): string {
  if (isDamage(cause)) {
    return 'The database is damaged, so nothing can be stored. An administrator must restore a backup.'
  }
  if (isGone(cause)) {
    return "The files of the database were removed or replaced, so nothing can be stored. An administrator must read the server's log before a restart."
  }
  return 'The disk failed, so nothing can be stored. Check the disk, then restart the server.'
}

/** Returns the log line for an error that stopped all writes. */
export function whyStopped(error: Error): string {
  if (isGone(error)) return error.message
  if (!isDamage(error))
    return 'the disk failed, so nothing can be stored. Check the disk, then restart the server'
  return (
    'the database is damaged, so nothing can be stored. Stop the server; "waybill db check" tells more, ' +
    '"waybill db restore FILE" puts a backup in its place'
  )
}

function isGone(error: Error): boolean {
  return (error as { code?: unknown }).code === FILES_GONE
}
