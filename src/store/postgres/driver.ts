/** Connects the PostgreSQL driver to the setting storage.url. Loads the driver when it opens a storage. */
import type { StoreDriver, StoreOptions } from '../driver.ts'
import type { Storage } from '../storage.ts'
import { databaseUrlProblem, parseDatabaseUrl, URL_FORM } from './database/url.ts'

export const POSTGRES: StoreDriver = {
  schemes: ['postgres', 'postgresql'],
  form: URL_FORM,
  meaning: `PostgreSQL that several nodes share: ${URL_FORM}, with commas between several hosts`,
  problem: databaseUrlProblem,
  shown: (url) => parseDatabaseUrl(url).shown,
  tools: (url) =>
    `back up with "pg_dump --format=custom --schema=${parseDatabaseUrl(url).schema}" or pg_basebackup, restore with pg_restore, and check with pg_amcheck`,
  open: openNode,
}

async function openNode(text: string, options: StoreOptions): Promise<Storage> {
  const { log, observer, limits, isBrief = false, allowsLoss = false } = options
  const { connectAtStart, withRootCert } = await import('./database/connect-at-start.ts')
  const { NODE_CONNECTIONS, openPostgres } = await import('./database.ts')
  const { failureLog } = await import('./nodes/failure-log.ts')
  const { startProblemOf } = await import('./database/start-problems.ts')
  const url = withRootCert(parseDatabaseUrl(text))
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
