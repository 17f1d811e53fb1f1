/** Logs the changes that admins and producers make, beside the audit trail. */
import type { Log } from '../process/log.ts'
import type { AuditStore } from './audit.ts'

export interface AuditLogOptions {
  readonly audit: Pick<AuditStore, 'onAdded'>
  readonly log: Pick<Log, 'info'>
}

/** Logs each line of the audit trail except refused logins, which have a log line of their own. Returns a function that ends this. */
export function logChanges({ audit, log }: AuditLogOptions): () => void {
  return audit.onAdded(({ by: { clientId, keyId, address }, action, object, detail }) => {
    if (action === 'login.refused') return
    log.info({ deviceId: clientId, keyId, address, action, object, detail }, `change: ${action}`)
  })
}
