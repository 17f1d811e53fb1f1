/** Opens the storage that the settings choose. The driver of PostgreSQL is loaded only when they name a database. */
import type { SharedWriteObserver } from '../broker/storage-conditions.ts'
import { type OpenOptions, openStorage } from './sqlite/database.ts'
import type { Storage } from './storage.ts'

export interface StoreOptions extends OpenOptions {
  /** URL of a PostgreSQL database; null: SQLite in the directory. */
  readonly store: string | null
  readonly log: { warn(fields: object, message: string): void }
  readonly observer?: SharedWriteObserver
}

/** Opens a storage. @throws {StartError} */
export async function openStore(options: StoreOptions): Promise<Storage> {
  return options.store === null ? openStorage(options) : await openShared(options.store, options)
}

async function openShared(store: string, { log, observer, limits }: StoreOptions): Promise<Storage> {
  const { parseDatabaseUrl } = await import('./postgres/url.ts')
  const { reachDatabase, withRootCert } = await import('./postgres/reach.ts')
  const { openPostgres } = await import('./postgres/database.ts')
  const { failureLog } = await import('./postgres/failure-log.ts')
  const url = withRootCert(parseDatabaseUrl(store))
  const { isSynchronous } = await reachDatabase(url)
  if (!isSynchronous) {
    log.warn(
      { code: 'storage-not-replicated' },
      'PostgreSQL has no synchronous standby, so a failover loses commands that were answered: set synchronous_standby_names there',
    )
  }
  const onError = failureLog({ log })
  return await openPostgres({ ...url, limits, onError, ...(observer && { observer }) })
}
