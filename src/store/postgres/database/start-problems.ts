/** Explains an error that ends a start: the problem, and what to do. */
import { BrokerError } from '../../../broker/vocabulary/errors.ts'
import { PermanentStartError, StartError } from '../../../process/start-error.ts'
import { codeOf, NotConnected, Standby } from './faults.ts'
import { loginOf } from './requirements.ts'
import { type DatabaseUrl, hostNames } from './url.ts'

/**
 * Returns the error that ends a start: a {@link PermanentStartError} if waiting does not help. An error that neither
 * PostgreSQL nor its connection caused is returned unchanged.
 */
export function startProblemOf(url: DatabaseUrl, error: unknown): unknown {
  if (error instanceof StartError || !(error instanceof Error)) return error
  const cause = rootOf(error)
  const permanent = permanentProblem(url, cause, error)
  if (permanent !== null) return new PermanentStartError(permanent, cause)
  const passing = passingProblem(url, cause, error)
  return passing === null ? error : new StartError(passing, cause)
}

/** Returns the error of `pg` or of the operating system behind an error of the driver. */
function rootOf(error: Error): Error {
  let root = error
  while (root.cause instanceof Error && (codeOf(root) === null || isOfDriver(root))) root = root.cause
  return root
}

function isOfDriver(error: Error): boolean {
  return error instanceof BrokerError || error instanceof NotConnected
}

/** SQLSTATE of a statement that conflicts with the objects of a schema: existing, missing, or of another form. */
const FOREIGN_OBJECTS = /^42(?:P|7|8|6|704)/

function permanentProblem(url: DatabaseUrl, cause: Error, error: Error): string | null {
  const { user, database } = loginOf(url)
  const { schema } = url
  const at = `PostgreSQL at ${hostNames(url)}`
  const code = codeOf(cause) ?? ''
  switch (code) {
    case '28P01':
    case '28000':
      return `${at} refuses the login (${cause.message}): correct user and password of the store, or pg_hba.conf`
    case '3D000':
      return `${at} has no database ${database}: create it with "createdb --owner=${user} ${database}"`
    case '25006':
      return `${at} accepts no writes of ${user} (${cause.message}): switch default_transaction_read_only off there`
    case '42501':
      if (error instanceof NotConnected)
        return `${user} may not connect to ${database}: run "GRANT CONNECT ON DATABASE ${database} TO ${user}" as an administrator`
      return `${user} may not change the schema ${schema} (${cause.message}): make ${user} the owner of the schema and of all that is in it, or choose another schema with ?schema=NAME`
  }
  if (FOREIGN_OBJECTS.test(code))
    return `the schema ${schema} has objects of another program (${cause.message}) or of an unreleased build: choose an empty schema with ?schema=NAME`
  if (/password must be a string/.test(cause.message))
    return `${at} asks for a password: put it into the store, into PGPASSWORD or into ~/.pgpass`
  if (/does not support SSL/.test(cause.message))
    return `${at} has no TLS: switch it on there, or add sslmode=disable to the store in a network that you trust`
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code))
    return `${at} has a certificate that cannot be trusted (${cause.message}): name its authority with sslrootcert=FILE in the store`
  return null
}

/** Texts of the errors of class 53300, whose remedies differ. */
const NO_CONNECTION: readonly (readonly [
  text: RegExp,
  cure: (login: { user: string; database: string }) => string,
])[] = [
  [
    /for role/,
    ({ user }) => `end other sessions of ${user}, or run "ALTER ROLE ${user} CONNECTION LIMIT -1"`,
  ],
  [
    /for database/,
    ({ database }) => `end other sessions there, or run "ALTER DATABASE ${database} CONNECTION LIMIT -1"`,
  ],
  [/./, () => 'end sessions of other programs, or raise max_connections there'],
]

function passingProblem(url: DatabaseUrl, cause: Error, error: Error): string | null {
  const at = `PostgreSQL at ${hostNames(url)}`
  const code = codeOf(cause) ?? ''
  const { message } = cause
  if (cause instanceof Standby)
    return `${at} is a standby, which takes no writes: promote it, or name the primary in the store`
  if (code === '53300') {
    const [, cure] = NO_CONNECTION.find(([text]) => text.test(message)) ?? []
    return `${at} has no free connection (${message}): ${cure?.(loginOf(url))}`
  }
  if (code === '53100') return `the disk of ${at} is full (${message}): free some space there`
  if (code === '55P03' || code === '57014')
    return `another session locks the tables of ${at} (${message}): find it in pg_stat_activity, and start this node when it has ended`
  const isAway =
    error instanceof NotConnected || isOutage(code) || /^Query read timeout|^Connection term/.test(message)
  // Connecting to several addresses of one name fails with an error without a message of its own.
  if (isAway)
    return `${at} does not answer (${message || code || cause.name}): start it, or correct the store`
  if (/^[0-9A-Z]{5}$/.test(code))
    return `${at} refused a statement of the start (${message}, SQLSTATE ${code}): read the log of PostgreSQL`
  return null
}

/**
 * Returns whether a code means a connection failure, a shutdown, or an error of the operating system. No class of
 * SQLSTATE begins with E.
 */
function isOutage(code: string): boolean {
  return /^(?:08|57|58|E)/.test(code)
}
