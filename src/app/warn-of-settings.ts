/** Logs what is likely a mistake in the settings, once a start. */
import type { ClientList } from '../auth/client-list.ts'
import { countOpenQueueClients } from '../auth/queue-access.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../web/app.ts'

export function warnOfSettings({ unknownVariables }: Settings, log: Log): void {
  for (const { name, nearest } of unknownVariables) {
    const cure =
      nearest === null
        ? '"waybill --help" lists all settings'
        : `did you mean ${nearest}? Otherwise remove it`
    log.warn({ name, nearest }, `${name} is not a variable of waybill, so it has no effect: ${cure}`)
  }
}

/** Warns that each device may use the queues of the others, like the alert QUEUES_OPEN. */
export function warnOfOpenQueues(list: Pick<ClientList, 'all'>, { ownQueueOnly }: Settings, log: Log): void {
  const clients = countOpenQueueClients(list.all(), ownQueueOnly)
  if (clients === null) return
  log.warn(
    { kind: 'QUEUES_OPEN', clients },
    `each of ${clients} clients with role DEVISE may fetch and acknowledge the commands of the others. Set APP_SECURITY_OWN_QUEUE_ONLY=true, unless they must`,
  )
}
