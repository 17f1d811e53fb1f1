/** Checks a database against the requirements of a node. Changes nothing. */
import { PermanentStartError, StartError } from '../../../process/start-error.ts'
import type { Connection } from './connection.ts'
import { type DatabaseUrl, hostNames } from './url.ts'

/** Minimum supported version, as `server_version_num`. */
const FIRST_VERSION = 150_000

/** Connection limit that PostgreSQL enforces, and its current use. */
interface ConnectionLimit {
  readonly limit: number
  readonly used: number
}

/** Settings, limits and rights of a database, as seen by its role. */
export interface DatabaseFacts {
  readonly number: number
  readonly version: string
  readonly standbys: string
  readonly encoding: string
  readonly readOnly: string
  readonly fsync: string
  readonly fullPageWrites: string
  readonly ofRole: ConnectionLimit | null
  readonly ofDatabase: ConnectionLimit | null
  readonly ofServer: ConnectionLimit
  /** Owner of the schema; null without a schema. */
  readonly owner: string | null
  readonly mayUse: boolean | null
  readonly mayCreate: boolean
}

/** Counts all sessions except this one. Limits of the role or database do not apply to a superuser. */
const FACTS = `
SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
  current_setting('synchronous_standby_names') AS standbys, current_setting('server_encoding') AS encoding,
  current_setting('default_transaction_read_only') AS "readOnly",
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
  CASE WHEN r.rolconnlimit >= 0 AND NOT r.rolsuper THEN json_build_object('limit', r.rolconnlimit,
    'used', (SELECT count(*) FROM pg_stat_activity WHERE usesysid = r.oid AND pid <> pg_backend_pid())) END AS "ofRole",
  CASE WHEN d.datconnlimit >= 0 AND NOT r.rolsuper THEN json_build_object('limit', d.datconnlimit,
    'used', (SELECT count(*) FROM pg_stat_activity WHERE datid = d.oid AND pid <> pg_backend_pid())) END AS "ofDatabase",
  json_build_object('limit', current_setting('max_connections')::int
      - CASE WHEN r.rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int END,
    'used', (SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND pid <> pg_backend_pid())) AS "ofServer",
  n.owner, n."mayUse", has_database_privilege(d.oid, 'CREATE') AS "mayCreate"
FROM pg_database d JOIN pg_roles r ON r.rolname = current_user
LEFT JOIN (SELECT pg_get_userbyid(nspowner) AS owner,
    has_schema_privilege(oid, 'CREATE') AND has_schema_privilege(oid, 'USAGE') AS "mayUse"
  FROM pg_namespace WHERE nspname = $1) n ON true
WHERE d.datname = current_database()`

export async function readFacts(connection: Connection, schema: string): Promise<DatabaseFacts> {
  const [facts] = await connection.run<DatabaseFacts & Record<string, unknown>>(FACTS, [schema])
  return facts as DatabaseFacts
}

/** Requirements of a caller beyond those of every caller. */
export interface Demands {
  /** Number of connections that the caller will open. */
  readonly connections: number
  /** True accepts that a crash of the database may lose answered requests, or damage all data. */
  readonly allowsLoss: boolean
}

/** Returns the problem of a database, then what to do; null for a usable database. */
export function unmetRequirement(
  url: DatabaseUrl,
  facts: DatabaseFacts,
  { connections, allowsLoss }: Demands,
): StartError | null {
  const permanent =
    versionProblem(url, facts) ??
    settingProblem(url, facts) ??
    schemaProblem(url, facts) ??
    (allowsLoss ? null : lossProblem(url, facts))
  return permanent === null ? limitProblem(url, facts, connections) : new PermanentStartError(permanent)
}

function versionProblem(url: DatabaseUrl, { number, version }: DatabaseFacts): string | null {
  return number >= FIRST_VERSION
    ? null
    : `${hostNames(url)} is PostgreSQL ${version}: install PostgreSQL 15 or later there`
}

function settingProblem(url: DatabaseUrl, { encoding, readOnly }: DatabaseFacts): string | null {
  const { user, database } = loginOf(url)
  if (encoding !== 'UTF8')
    return `the database ${database} has the encoding ${encoding}: create one with "createdb --encoding=UTF8 --template=template0 --owner=${user} NAME", and name it in the store`
  if (readOnly === 'on')
    return `default_transaction_read_only is on for ${user}: switch it off in postgresql.conf, or with "ALTER ROLE ${user} SET default_transaction_read_only = off"`
  return null
}

/** Names the settings that let a crash lose or damage durable data; null without any. */
function lossProblem(url: DatabaseUrl, { fsync, fullPageWrites }: DatabaseFacts): string | null {
  const off = [
    ...(fsync === 'off' ? ['fsync = off'] : []),
    ...(fullPageWrites === 'off' ? ['full_page_writes = off'] : []),
  ]
  if (off.length === 0) return null
  return `PostgreSQL at ${hostNames(url)} has ${off.join(' and ')}, so a crash can lose answered commands and damage the database: switch that on in postgresql.conf, or start with --allow-data-loss if losing is fine`
}

function schemaProblem(url: DatabaseUrl, { owner, mayUse, mayCreate }: DatabaseFacts): string | null {
  const { schema } = url
  const { user, database } = loginOf(url)
  if (owner === null && !mayCreate)
    return `${user} may not create the schema ${schema} in ${database}: run "CREATE SCHEMA ${schema} AUTHORIZATION ${user}" there as an administrator`
  if (owner !== null && mayUse !== true)
    return `the schema ${schema} belongs to ${owner}, so ${user} may not create tables in it: run "ALTER SCHEMA ${schema} OWNER TO ${user}" as an administrator, or choose another schema with ?schema=NAME`
  return null
}

/**
 * Returns the limit that leaves no room for all connections. With only some of them a node would serve only some
 * requests.
 */
function limitProblem(
  url: DatabaseUrl,
  { ofRole, ofDatabase, ofServer }: DatabaseFacts,
  connections: number,
): StartError | null {
  const { user, database } = loginOf(url)
  const limits = [
    {
      of: ofRole,
      most: `${user} may open`,
      left: user,
      cure: `run "ALTER ROLE ${user} CONNECTION LIMIT -1"`,
    },
    {
      of: ofDatabase,
      most: `the database ${database} takes`,
      left: `the database ${database}`,
      cure: `run "ALTER DATABASE ${database} CONNECTION LIMIT -1"`,
    },
    {
      of: ofServer,
      most: `PostgreSQL at ${hostNames(url)} takes`,
      left: 'PostgreSQL',
      cure: 'raise max_connections there',
    },
  ]
  for (const { of, most, left, cure } of limits) {
    if (of === null) continue
    const need = `and a node needs ${connections}`
    if (of.limit < connections)
      return new PermanentStartError(`${most} ${of.limit} connections, ${need}: ${cure}`)
    const rest = Math.max(0, of.limit - of.used)
    if (rest < connections)
      return new StartError(
        `${left} has ${rest} of ${of.limit} connections left, ${need}: end others, or ${cure}`,
      )
  }
  return null
}

/** Returns role and database of a URL, for messages and statements. */
export function loginOf({ hosts }: Pick<DatabaseUrl, 'hosts'>): { user: string; database: string } {
  const [{ user = '', database = '' } = {}] = hosts
  return { user, database }
}
