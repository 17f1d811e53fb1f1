/** Completes audit lines of changes with several commits. The storage may be unavailable at the last commit. */
import type { AuditStore } from '../audit/audit.ts'
import { levelOf } from '../broker/vocabulary/errors.ts'
import type { Duties } from '../process/duties.ts'
import type { Log } from '../process/log.ts'

/**
 * Returns an audit trail for changes of several commits: `complete` is repeated until it succeeds, and never rejects.
 */
export function repeatedCompletion(
  audit: Pick<AuditStore, 'add' | 'complete'>,
  duties: Pick<Duties, 'perform'>,
  log: Pick<Log, 'debug' | 'warn'>,
): Pick<AuditStore, 'add' | 'complete'> {
  return {
    add: (entry) => audit.add(entry),
    complete: (id, detail) =>
      duties.perform(
        () => audit.complete(id, detail),
        (error) =>
          log[levelOf(error, 'warn')](
            { err: error, line: id },
            'a line of the audit trail was not completed; it is tried again',
          ),
      ),
  }
}
