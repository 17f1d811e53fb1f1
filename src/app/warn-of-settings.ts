/** Logs likely mistakes in the settings, once per start. */
import type { ClientList } from '../auth/client-list.ts'
import { countOpenQueueClients } from '../auth/queue-access.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../process/log.ts'

/** Settings whose value a person types elsewhere, so that a stray quote or space locks people out. */
const TYPED = { adminPassword: 'ADMIN_PASSWORD', jwtSecret: 'JWT_SECRET' } as const

export function warnOfSettings(settings: Settings, log: Log): void {
  const { unknownVariables } = settings
  for (const [name, variable] of Object.entries(TYPED) as [keyof typeof TYPED, string][]) {
    const value = settings[name]
    if (value && /^\s|\s$|^(["']).*\1$/u.test(value)) {
      log.warn(
        { name: variable },
        `${variable} begins or ends with a blank or stands in quotes, and they are part of its value: remove them unless you mean them`,
      )
    }
  }
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
