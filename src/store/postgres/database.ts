/** Opens the database that nodes share, and builds the storage contracts on it. */
import type { ClientConfig } from 'pg'
import type { QueueLimits } from '../../broker/store.ts'
import { StoreCounts } from '../../broker/store-metrics.ts'
import type { Storage } from '../storage.ts'
import { PostgresKeys } from './api-keys.ts'
import { PostgresAudit } from './audit.ts'
import { PostgresBackups } from './backups.ts'
import { PostgresClients } from './clients.ts'
import { Connection } from './connection.ts'
import { PostgresDevices } from './devices.ts'
import { PostgresMessageLog } from './message-log.ts'
import { PostgresMessages } from './messages.ts'
import { Node } from './node.ts'
import { Reads } from './reads.ts'
import { migrate } from './schema.ts'
import { SharedSettings } from './settings.ts'
import { StoreEvents } from './store-events.ts'
import { PostgresMetrics } from './store-metrics.ts'
import { PostgresStats } from './store-stats.ts'
import { PostgresTemplates } from './templates.ts'
import { Verbs } from './verbs.ts'

export interface PostgresOptions {
  /** Settings for `pg`, one for each host. */
  readonly hosts: readonly ClientConfig[]
  /** Name of the schema; `waybill` by default. */
  readonly schema?: string
  /** The limits of a queue whose device has none of its own, for alerts. */
  readonly limits: QueueLimits
}

/** A storage that other nodes use too. */
export interface PostgresStorage extends Storage {
  readonly clients: PostgresClients
  readonly keys: PostgresKeys
  /** Values that all nodes share. */
  readonly settings: SharedSettings
}

/** Period of the check for calls that wait for the database, in milliseconds. */
const CHECK_MS = 500

/** Opens the storage as a new node, and creates its schema or updates it. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStorage> {
  const { hosts, schema = 'waybill', limits } = options
  const connect = () => new Connection({ hosts, schema })
  const connection = connect()
  await migrate(connection, schema)
  const node = new Node(connection)
  const verbs = new Verbs({ connect, nodeId: () => node.id })
  const reads = new Reads(connection)
  const shared = { verbs, events: new StoreEvents(), node, reads, counts: new StoreCounts() }
  const audit = new PostgresAudit(shared)
  const parts = { ...shared, audit, administration: audit.administration }
  const messages = new PostgresMessages(parts)
  await node.register(verbs.ticketLanes)
  const check = setInterval(() => verbs.giveUp(), CHECK_MS)
  return {
    messages,
    messageLog: new PostgresMessageLog(parts),
    clients: new PostgresClients(parts),
    keys: new PostgresKeys(parts),
    audit,
    devices: new PostgresDevices(parts),
    templates: new PostgresTemplates(parts),
    stats: new PostgresStats(parts, limits),
    metrics: new PostgresMetrics(parts),
    backups: new PostgresBackups(),
    settings: new SharedSettings(reads),
    async close() {
      await verbs.close()
      clearInterval(check)
      await connection.close()
    },
  }
}

/** Reports what became of a try: null, or its error. */
function report(observer: SharedWriteObserver, error: unknown): void {
  if (error === null) observer.stored()
  else if (kindOf(error) === 'unknown') observer.unanswered()
}
