/** Opens the database that nodes share, and builds the storage contracts on it. */
import type { ClientConfig } from 'pg'
import type { SharedWriteObserver } from '../../broker/storage-conditions.ts'
import { StoreCounts } from '../../broker/store-metrics.ts'
import { PostgresAudit } from './audit.ts'
import { Connection } from './connection.ts'
import { kindOf } from './failures.ts'
import { PostgresMessageLog } from './message-log.ts'
import { PostgresMessages } from './messages.ts'
import { Node } from './node.ts'
import { migrate } from './schema.ts'
import { PostgresSharedValues } from './shared-values.ts'
import { StoreEvents } from './store-events.ts'
import { Verbs } from './verbs.ts'

export interface PostgresOptions {
  /** Settings for `pg`, one for each host. */
  readonly hosts: readonly ClientConfig[]
  /** Name of the schema; `waybill` by default. */
  readonly schema?: string
  readonly observer?: SharedWriteObserver
}

/** Period of the check for calls that wait for the database, in milliseconds. */
const CHECK_MS = 500

export async function openPostgres({ hosts, schema = 'waybill', observer }: PostgresOptions) {
  const connect = () => new Connection({ hosts, schema })
  const reads = connect()
  await migrate(reads, schema)
  const maintenance = new Maintenance(reads)
  await maintenance.start()
  const node = new Node(reads)
  const verbs = new Verbs({
    ...{ connect, nodeId: () => node.id },
    ...(observer && { onTry: (error) => report(observer, error) }),
  })
  const shared = { verbs, events: new StoreEvents(), node, reads, counts: new StoreCounts() }
  const audit = new PostgresAudit(shared)
  const parts = { ...shared, audit }
  const messages = new PostgresMessages(parts)
  await node.register(verbs.ticketLanes)
  const check = setInterval(() => verbs.giveUp(), CHECK_MS)
  return {
    messages,
    messageLog: new PostgresMessageLog(parts),
    audit,
    shared: new PostgresSharedValues({ connection: reads, connect }),
    async close() {
      await verbs.close()
      clearInterval(check)
      await maintenance.close()
      await reads.close()
    },
  }
}

/** Reports what became of a try: null, or its error. */
function report(observer: SharedWriteObserver, error: unknown): void {
  if (error === null) observer.stored()
  else if (kindOf(error) === 'unknown') observer.unanswered()
}
