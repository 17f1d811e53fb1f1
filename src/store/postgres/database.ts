/** Opens the database that nodes share, and builds the storage contracts on it. */
import type { ClientConfig } from 'pg'
import type { QueueLimits } from '../../broker/contract/store.ts'
import { StoreCounts } from '../../broker/contract/store-metrics.ts'
import type { SharedWriteObserver } from '../../broker/engine/storage-conditions.ts'
import { Duties } from '../../process/duties.ts'
import type { SharedState } from '../shared-state.ts'
import type { SharedValues } from '../shared-values.ts'
import type { Storage } from '../storage.ts'
import { PostgresBackups } from './database/backups.ts'
import { Connection } from './database/connection.ts'
import { kindOf } from './database/faults.ts'
import { Verbs } from './database/verbs.ts'
import { PostgresMessages } from './messages/messages.ts'
import { OverdueDelays } from './messages/overdue-delays.ts'
import { StoreEvents } from './messages/store-events.ts'
import { PostgresCluster } from './nodes/cluster.ts'
import { Hints } from './nodes/hints.ts'
import { Journal } from './nodes/journal.ts'
import { Maintenance } from './nodes/maintenance.ts'
import { NODE_TIMES, Node, type NodeTimes } from './nodes/node.ts'
import { PostgresAlertAcks } from './records/alert-acks.ts'
import { PostgresKeys } from './records/api-keys.ts'
import { PostgresAudit } from './records/audit.ts'
import { PostgresClients } from './records/clients.ts'
import { PostgresDeviceNotes } from './records/device-notes.ts'
import { PostgresIncidents } from './records/incidents.ts'
import { postgresPresence } from './records/presence.ts'
import { postgresShared } from './records/shared-state.ts'
import { PostgresSharedValues } from './records/shared-values.ts'
import { postgresStatistics } from './records/statistics.ts'
import { PostgresTemplates } from './records/templates.ts'
import { migrateSchema } from './schema/schema.ts'
import { PostgresDevices } from './views/devices.ts'
import { handoverRows } from './views/handover.ts'
import { PostgresMessageLog } from './views/message-log.ts'
import { Reads } from './views/reads.ts'
import { PostgresSearches } from './views/searches.ts'
import { PostgresMetrics } from './views/store-metrics.ts'
import { PostgresStats } from './views/store-stats.ts'

export interface PostgresOptions {
  readonly hosts: readonly ClientConfig[]
  /** Default: `waybill`. */
  readonly schema?: string
  /** Times of the lease of this node, for tests. */
  readonly times?: Partial<NodeTimes>
  /** Maximum time until the answer to a statement, in milliseconds, for tests. */
  readonly answerMs?: number
  /** Monotonic clock of the process, for tests. */
  readonly nowMs?: () => number
  /** Called with each failure that the driver retries by itself. */
  readonly onError?: (error: unknown) => void
  readonly observer?: SharedWriteObserver
  /** Called when another node updates the database, so that this node waits. */
  readonly onWait?: () => void
  /** Limits of the queue of a device without its own limits, for alerts. */
  readonly limits: QueueLimits
}

export interface PostgresStorage extends Storage {
  readonly clients: PostgresClients
  readonly keys: PostgresKeys
  readonly shared: SharedValues
  readonly nodes: SharedState
  readonly cluster: PostgresCluster
  readonly journal: Journal
  readonly node: Node
  /** Returns whether a load balancer should send requests to this node. */
  readonly ready: () => boolean
}

/** Period of the check for calls that wait for the database, in milliseconds. */
const CHECK_MS = 500
/** Period of the check during shutdown, in milliseconds. */
const STOP_CHECK_MS = 100
/**
 * Time after which a call is refused during shutdown, in milliseconds. Zero once the database is known not to answer.
 */
const STOP_PATIENCE_MS = 1_000
/** Maximum time until the answer to a beat or a journal read, in milliseconds. */
const CONTROL_ANSWER_MS = 3_000

/** Number of connections of a node, including one for work that only one node at a time may do. */
export const NODE_CONNECTIONS = 26

/** Opens the storage as a new node, and creates or updates its schema. After an error nothing is open. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStorage> {
  const { hosts, schema = 'waybill', limits, observer, times, answerMs, onError, nowMs } = options
  const connect = (purpose: string) =>
    new Connection({ hosts, schema, purpose, ...(answerMs !== undefined && { answerMs }) })
  const connectControl = (purpose: string) =>
    new Connection({ hosts, schema, purpose, answerMs: CONTROL_ANSWER_MS })
  const [connection, beats, tail] = [connect('reads'), connectControl('beats'), connectControl('journal')]
  const maintenance = new Maintenance(connection, onError)
  const events = new StoreEvents()
  const reports = { ...(onError && { onError }), ...(nowMs && { nowMs }) }
  const { readMs, ...lease } = { ...NODE_TIMES, ...times }
  const onCommit = () => hints.committed()
  const journal: Journal = new Journal({
    connection: tail,
    ownIds: () => node.ids,
    onBarrier: () => void node.beat(),
    readMs,
    ...reports,
  })
  const node = new Node({ ...lease, connection: beats, journal, onCommit, ...reports })
  const hints = new Hints({ hosts, schema, others: () => node.others, onHint: () => journal.hint() })
  const counts = new StoreCounts()
  const verbs = new Verbs({
    connect,
    nodeId: () => node.id,
    onCommit,
    onWritten: (ms) => counts.syncs.observe(ms / 1_000),
    ...(observer && {
      onTry: (error) => report(observer, error),
      onAway: () => observer.refused('storage-away', 1),
    }),
  })
  const reads = new Reads(connection)
  // This connection never writes, because writes wait for a missing standby.
  const pureReads = new Reads(tail)
  const searches = new PostgresSearches(() => connect('search'))
  journal.on('message', (row, nowMs) => events.journalled(row, nowMs))
  journal.on('busy', (row, nowMs) => events.journalledPause(row, nowMs))
  const duties = new Duties()
  const shared = { verbs, events, node, journal, reads, counts, duties }
  const audit = new PostgresAudit(verbs, reads)
  const parts = { ...shared, audit, administration: audit.administration }
  const messages = new PostgresMessages(parts)
  let isClosed = false
  /**
   * Reads the cached records of this node again. Until it succeeds the node lacks changes of other nodes, such as a
   * deleted client.
   */
  const readAgain = (read: () => Promise<unknown>): void => {
    void duties.perform(
      async () => {
        if (!isClosed) await read()
      },
      (error) => onError?.(error),
    )
  }
  const cluster = new PostgresCluster(shared)
  const clients = new PostgresClients(parts)
  const keys = new PostgresKeys(parts)
  journal.on('client', (row) => clients.received(row))
  journal.on('key', (row) => keys.received(row))
  journal.onGap(() => {
    readAgain(() => events.reportState(messages))
    readAgain(() => clients.reload())
    readAgain(() => keys.reload())
  })
  node.onGone(() => events.emit({ is: 'attempts-left' }))
  const nodes = postgresShared(parts, cluster, onError)
  const overdue = new OverdueDelays(shared, (error) => onError?.(error))
  let isStopping = false
  const giveUp = (): void => {
    const patienceMs = isStopping ? (verbs.isReady() ? STOP_PATIENCE_MS : 0) : undefined
    verbs.giveUp(patienceMs)
    for (const each of [reads, pureReads]) each.giveUp(patienceMs)
    searches.giveUp(patienceMs)
  }
  let check = setInterval(giveUp, CHECK_MS)
  const close = async (): Promise<void> => {
    isClosed = true
    await Promise.all([duties.close(), overdue.close()])
    nodes.close()
    await verbs.close()
    clearInterval(check)
    await Promise.all(
      [maintenance, connection, searches, journal, tail, hints, node].map((each) => each.close()),
    )
    await beats.close()
  }
  try {
    await migrate(options, schema)
    await maintenance.start()
    await node.register(verbs.ticketLanes)
    await hints.start()
    overdue.start()
  } catch (error) {
    await close()
    throw error
  }
  return {
    messages,
    messageLog: new PostgresMessageLog(parts),
    searches,
    handover: { read: (range) => searches.run((idle) => handoverRows(idle, range)) },
    clients,
    keys,
    audit,
    nodes,
    shared: new PostgresSharedValues({ reads, connect: () => connect('alone') }),
    devices: new PostgresDevices(parts, () => messages.pendingDevices()),
    notes: new PostgresDeviceNotes(parts),
    templates: new PostgresTemplates(parts),
    alertAcks: new PostgresAlertAcks(parts),
    incidents: new PostgresIncidents(parts),
    stats: new PostgresStats(parts, limits),
    statistics: postgresStatistics(reads, nodes.share),
    presence: postgresPresence(parts),
    metrics: new PostgresMetrics(parts, pureReads),
    backups: new PostgresBackups(),
    cluster,
    journal,
    node,
    ready: () => node.isLive() && verbs.isReady(),
    beginShutdown() {
      isStopping = true
      clearInterval(check)
      check = setInterval(giveUp, STOP_CHECK_MS)
    },
    close,
  }
}

/** Creates or updates the schema over a separate connection, on which a step may take long. */
async function migrate({ hosts, onWait }: PostgresOptions, schema: string): Promise<void> {
  const connection = new Connection({ hosts, schema, purpose: 'schema', answerMs: null })
  try {
    await migrateSchema(connection, schema, { ...(onWait && { onWait }) })
  } finally {
    await connection.close()
  }
}

/** Reports the outcome of an attempt: null, or its error. */
function report(observer: SharedWriteObserver, error: unknown): void {
  if (error === null) observer.stored()
  else if (kindOf(error) === 'unknown') observer.unanswered()
}
