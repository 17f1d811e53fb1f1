/** Connects to the database at a start, and explains a failure. Changes nothing. */
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Log } from '../../../process/log.ts'
import { PermanentStartError, StartError, startErrorFor } from '../../../process/start-error.ts'
import { Connection } from './connection.ts'
import { type Demands, readFacts, unmetRequirement } from './requirements.ts'
import { startProblemOf } from './start-problems.ts'
import { type DatabaseUrl, hostNames } from './url.ts'

/** Time for which a start waits for a problem to pass, in milliseconds. */
const START_PATIENCE_MS = 10_000
const PAUSE_MS = 500
/** Number of checks whether two connections share a session. */
const SESSION_LOOKS = 3

/** Properties of a database that a start reports. */
export interface DatabaseProperties {
  /** True if a commit waits for a standby, so that no answered request is lost with the primary. */
  readonly isSynchronous: boolean
}

export interface ReachOptions extends Demands {
  readonly log: Pick<Log, 'warn'>
  readonly patienceMs?: number
  readonly load?: () => Promise<unknown>
}

/**
 * Waits until a usable primary answers.
 *
 * @throws {StartError} that names the hosts, and never the password
 */
export async function connectAtStart(
  url: DatabaseUrl,
  { log, patienceMs = START_PATIENCE_MS, load = () => import('pg'), ...demands }: ReachOptions,
): Promise<DatabaseProperties> {
  await load().catch(notLoaded)
  const open = () => new Connection({ ...url, purpose: 'start' })
  const pair = [open(), open()] as const
  const endMs = performance.now() + patienceMs
  let isLogged = false
  try {
    for (;;) {
      try {
        return await lookAt(pair, url, demands)
      } catch (error) {
        const problem = startProblemOf(url, error)
        const mayPass = problem instanceof StartError && !(problem instanceof PermanentStartError)
        if (!mayPass || performance.now() >= endMs) throw problem
        const seconds = patienceMs / 1_000
        if (!isLogged)
          log.warn({ code: 'storage-away' }, `${problem.message}; tried again for ${seconds} seconds`)
        isLogged = true
        await setTimeout(PAUSE_MS)
      }
    }
  } finally {
    await Promise.all(pair.map((connection) => connection.close()))
  }
}

/** Returns the URL with the certificates of its file. @throws {StartError} for an unreadable file */
export function withRootCert(url: DatabaseUrl): DatabaseUrl {
  const { rootCertFile, hosts } = url
  if (rootCertFile === null) return url
  try {
    const ca = readFileSync(rootCertFile, 'utf8')
    return { ...url, hosts: hosts.map((host) => ({ ...host, ssl: { rejectUnauthorized: true, ca } })) }
  } catch (error) {
    const { message } = error as Error
    throw startErrorFor(
      error,
      `sslrootcert of the store cannot be read (${message}): name a readable PEM file`,
    )
  }
}

/** @throws {StartError} for a database that a node cannot use */
async function lookAt(
  pair: readonly [Connection, Connection],
  url: DatabaseUrl,
  demands: Demands,
): Promise<DatabaseProperties> {
  const facts = await readFacts(pair[0], url.schema)
  const problem = unmetRequirement(url, facts, demands)
  if (problem !== null) throw problem
  if (await sharesSession(pair))
    throw new PermanentStartError(
      `a program before PostgreSQL at ${hostNames(url)} pools connections by transaction: set pool_mode = session there, or name PostgreSQL itself in the store`,
    )
  return { isSynchronous: facts.standbys !== '' }
}

/** Returns whether two connections were given one session of the server. A node needs a session per connection. */
async function sharesSession(pair: readonly [Connection, Connection]): Promise<boolean> {
  const seen = [new Set<number>(), new Set<number>()] as const
  for (let look = 0; look < SESSION_LOOKS; look++) {
    for (const at of [0, 1] as const) {
      const [row] = await pair[at].run<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      seen[at].add(row?.pid as number)
    }
  }
  return [...seen[0]].some((pid) => seen[1].has(pid))
}

function notLoaded(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  throw new PermanentStartError(
    'pg, which connects to PostgreSQL, is not installed. Run: npm install pg',
    error,
  )
}
