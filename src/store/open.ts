/** Opens the configured storage. Loads the PostgreSQL driver only for a database URL. */
import type { SharedWriteObserver } from '../broker/engine/storage-conditions.ts'
import type { Log } from '../process/log.ts'
import { type OpenOptions, openStorage } from './sqlite/database.ts'
import type { Storage } from './storage.ts'

export interface StoreOptions extends OpenOptions {
  /** URL of a PostgreSQL database; null for SQLite in the directory. */
  readonly store: string | null
  readonly log: Pick<Log, 'info' | 'warn'>
  /** True if the storage is opened for one change, while nodes may have taken most connections. */
  readonly isBrief?: boolean
  /** True accepts a PostgreSQL whose settings let a crash lose answered requests. */
  readonly allowsLoss?: boolean
  readonly observer?: SharedWriteObserver
}

/** Opens a storage. @throws {StartError} */
export async function openStore(options: StoreOptions): Promise<Storage> {
  return options.store === null ? openStorage(options) : await openShared(options.store, options)
}

async function openShared(store: string, options: StoreOptions): Promise<Storage> {
  const { log, observer, limits, isBrief = false, allowsLoss = false } = options
  const { parseDatabaseUrl } = await import('./postgres/database/url.ts')
  const { connectAtStart, withRootCert } = await import('./postgres/database/connect-at-start.ts')
  const { NODE_CONNECTIONS, openPostgres } = await import('./postgres/database.ts')
  const { failureLog } = await import('./postgres/nodes/failure-log.ts')
  const { startProblemOf } = await import('./postgres/database/start-problems.ts')
  const url = withRootCert(parseDatabaseUrl(store))
  // A single change does not have the requirements of a node.
  const demands = isBrief
    ? { connections: 0, allowsLoss: true }
    : { connections: NODE_CONNECTIONS, allowsLoss }
  const { isSynchronous } = await connectAtStart(url, { log, ...demands })
  if (!isSynchronous) {
    log.warn(
      { code: 'storage-not-replicated' },
      'PostgreSQL has no synchronous standby, so a failover loses commands that were answered: set synchronous_standby_names there',
    )
  }
  const onError = failureLog({ log })
  const onWait = () =>
    log.info({ code: 'storage-locked' }, 'waits for another node that updates the database')
  const startProblem = (error: unknown) => startProblemOf(url, error)
  try {
    const storage = await openPostgres({ ...url, limits, onError, onWait, ...(observer && { observer }) })
    return { ...storage, startProblem }
  } catch (error) {
    throw startProblem(error)
  }
}
