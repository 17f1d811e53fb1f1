/** Connects to the database at a start, and says what is wrong when that fails. Changes nothing. */
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { PermanentStartError, StartError, startErrorFor } from '../../process/start-error.ts'
import { Connection } from './connection.ts'
import { codeOf } from './failures.ts'
import { type DatabaseUrl, hostNames } from './url.ts'

/** Time that the database has to answer at a start, in milliseconds. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 500

/** First version that the driver supports, as `server_version_num` has it. */
const FIRST_VERSION = 150_000

/** The properties of a database that a start reports. */
export interface ReachedDatabase {
  /** True: a commit waits for a standby, so that no answered request is lost with the primary. */
  readonly isSynchronous: boolean
}

export interface ReachOptions {
  readonly patienceMs?: number
  /** Loads the package `pg`. */
  readonly load?: () => Promise<unknown>
}

/**
 * Waits until a primary answers.
 *
 * @throws {StartError} names the hosts, and never the password
 */
export async function reachDatabase(
  url: DatabaseUrl,
  { patienceMs = PATIENCE_MS, load = () => import('pg') }: ReachOptions = {},
): Promise<ReachedDatabase> {
  await load().catch(notLoaded)
  const connection = new Connection(url)
  const endMs = performance.now() + patienceMs
  try {
    for (;;) {
      try {
        return await ask(connection, url)
      } catch (error) {
        if (error instanceof StartError) throw error
        const cause = rootOf(error)
        const permanent = permanentProblem(url, cause)
        if (permanent !== null) throw new PermanentStartError(permanent, cause)
        if (performance.now() >= endMs) throw new StartError(awayText(url, cause), cause)
        await setTimeout(PAUSE_MS)
      }
    }
  } finally {
    await connection.close()
  }
}

/** Returns the URL with the certificates of its file. @throws {StartError} when the file cannot be read */
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

async function ask(connection: Connection, url: DatabaseUrl): Promise<ReachedDatabase> {
  const [row] = await connection.run<{ number: number; version: string; standbys: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
       current_setting('synchronous_standby_names') AS standbys`,
  )
  const { number = 0, version = '', standbys = '' } = row ?? {}
  if (number < FIRST_VERSION)
    throw new PermanentStartError(
      `${hostNames(url)} is PostgreSQL ${version}: install PostgreSQL 15 or later there`,
    )
  return { isSynchronous: standbys !== '' }
}

function notLoaded(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  throw new PermanentStartError(
    'pg, which connects to PostgreSQL, is not installed. Run: npm install pg',
    error,
  )
}

/** Returns the error of `pg` or of the operating system behind an error of the driver. */
function rootOf(error: unknown): Error {
  let root = error as Error
  while (codeOf(root) === null && root.cause instanceof Error) root = root.cause
  return root
}

/** Returns the problem and its cure, if waiting cures nothing. */
function permanentProblem(url: DatabaseUrl, error: Error): string | null {
  const [{ user = '', database = '' } = {}] = url.hosts
  const at = `PostgreSQL at ${hostNames(url)}`
  switch (codeOf(error)) {
    case '28P01':
    case '28000':
      return `${at} refuses the login (${error.message}): correct user and password of the store, or pg_hba.conf`
    case '3D000':
      return `${at} has no database ${database}: create it with "createdb --owner=${user} ${database}"`
  }
  if (/does not support SSL/.test(error.message))
    return `${at} has no TLS: switch it on there, or add sslmode=disable to the store in a network that you trust`
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(codeOf(error) ?? ''))
    return `${at} has a certificate that cannot be trusted (${error.message}): name its authority with sslrootcert=FILE in the store`
  return null
}

function awayText(url: DatabaseUrl, error: Error): string {
  // An attempt on several addresses of one name fails with an error without a message of its own.
  const why = error.message || codeOf(error) || error.name
  return `PostgreSQL at ${hostNames(url)} does not answer (${why}): start it, or correct the store`
}
