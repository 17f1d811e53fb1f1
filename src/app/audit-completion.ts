/** Completes lines of the audit trail whose change has several commits. The storage may be away at the last one. */
import type { AuditStore } from '../audit/audit.ts'
import { levelOf } from '../broker/vocabulary/errors.ts'
import type { Duties } from '../process/duties.ts'
import type { Log } from '../process/log.ts'

/** Returns the audit trail for changes of several commits: `complete` is repeated until it is done, and never rejects. */
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
