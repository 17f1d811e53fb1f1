/** Logs the changes of admins and producers, in addition to the audit trail. */
import type { Log } from '../process/log.ts'
import type { AuditStore } from './audit.ts'

export interface AuditLogOptions {
  readonly audit: Pick<AuditStore, 'onAdded'>
  readonly log: Pick<Log, 'info'>
}

/**
 * Logs each line of the audit trail except refused logins, which have their own log line. Returns a function that
 * unsubscribes.
 */
export function logChanges({ audit, log }: AuditLogOptions): () => void {
  return audit.onAdded(({ by: { clientId, keyId, address }, action, object, detail }) => {
    if (action === 'login.refused') return
    log.info({ deviceId: clientId, keyId, address, action, object, detail }, `change: ${action}`)
  })
}
