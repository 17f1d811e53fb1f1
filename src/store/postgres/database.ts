/** Opens the database that nodes share, and builds the storage contracts on it. */
import type { ClientConfig } from 'pg'
import { StoreCounts } from '../../broker/store-metrics.ts'
import { PostgresAudit } from './audit.ts'
import { Connection } from './connection.ts'
import { Maintenance } from './maintenance.ts'
import { PostgresMessageLog } from './message-log.ts'
import { PostgresMessages } from './messages.ts'
import { Node } from './node.ts'
import { migrate } from './schema.ts'
import { StoreEvents } from './store-events.ts'
import { Verbs } from './verbs.ts'

export interface PostgresOptions {
  /** Settings for `pg`, one for each host. */
  readonly hosts: readonly ClientConfig[]
  /** Name of the schema; `waybill` by default. */
  readonly schema?: string
}

/** Period of the check for calls that wait for the database, in milliseconds. */
const CHECK_MS = 500

export async function openPostgres({ hosts, schema = 'waybill' }: PostgresOptions) {
  const connect = () => new Connection({ hosts, schema })
  const reads = connect()
  await migrate(reads, schema)
  const maintenance = new Maintenance(reads)
  await maintenance.start()
  const node = new Node(reads)
  const verbs = new Verbs({ connect, nodeId: () => node.id })
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
    async close() {
      await verbs.close()
      clearInterval(check)
      await maintenance.close()
      await reads.close()
    },
  }
}
