/** Logs the failures that the driver retries by itself. An unresponsive database has log lines of its own. */
import type { Log } from '../../../process/log.ts'
import { kindOf } from '../database/faults.ts'
import { SkippedChange } from './journal.ts'

/** Minimum time between two lines with the same text, in milliseconds. A task may fail several times a second. */
const REPEATED_MS = 60_000

export interface FailureLogOptions {
  readonly log: Pick<Log, 'warn'>
  readonly nowMs?: () => number
}

export function failureLog({
  log,
  nowMs = () => performance.now(),
}: FailureLogOptions): (error: unknown) => void {
  let last = { message: '', atMs: 0 }
  return (error) => {
    if (error instanceof SkippedChange) {
      const { kind, seq } = error.row
      log.warn(
        { code: 'change-skipped', kind, seq, err: error.cause },
        'a change of another node could not be handled, so it was skipped and the state is read again. Run one release on all nodes',
      )
      return
    }
    // Another transaction was in the way of a task that is due again soon.
    if (kindOf(error) === 'unknown' || kindOf(error) === 'repeat') return
    const { message } = error as Error
    if (message === last.message && nowMs() - last.atMs < REPEATED_MS) return
    last = { message, atMs: nowMs() }
    log.warn(
      { code: 'storage-task', err: error },
      'PostgreSQL refused a task of this node; it is tried again',
    )
  }
}
