/** Compares a database with what a node needs of it. Changes nothing. */
import { PermanentStartError, StartError } from '../../../process/start-error.ts'
import type { Connection } from './connection.ts'
import { type DatabaseUrl, hostNames } from './url.ts'

/** First version that the driver supports, as `server_version_num` has it. */
const FIRST_VERSION = 150_000

/** A number of connections that PostgreSQL enforces, and how many of them are taken. */
interface ConnectionLimit {
  readonly limit: number
  readonly used: number
}

/** Settings, limits and rights of a database, as its role sees them. */
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
  /** Owner of the schema; null when there is no schema. */
  readonly owner: string | null
  readonly mayUse: boolean | null
  readonly mayCreate: boolean
}

/** Counts all sessions but this one. A superuser has no limit of its role or database. */
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

/** Holds what a caller demands of a database beyond what every caller needs. */
export interface Demands {
  /** Number of connections that the caller will open. */
  readonly connections: number
  /** True: a crash of the database may lose what was answered, or damage all data. */
  readonly allowsLoss: boolean
}

/** Returns what is wrong with a database, then what to do; null when a node can use it. */
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

/** Names the settings that let a crash lose or damage what PostgreSQL reported as durable; null when there is none. */
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

/** Returns the limit that leaves no room for all connections. A node with some of them would serve some requests only. */
function limitProblem(
  url: DatabaseUrl,
  { ofRole, ofDatabase, ofServer }: DatabaseFacts,
  connections: number,
): StartError | null {
  const { user, database } = loginOf(url)
  const limits = [
    {
      ...{ of: ofRole, most: `${user} may open`, left: user },
      cure: `run "ALTER ROLE ${user} CONNECTION LIMIT -1"`,
    },
    {
      ...{ of: ofDatabase, most: `the database ${database} takes`, left: `the database ${database}` },
      cure: `run "ALTER DATABASE ${database} CONNECTION LIMIT -1"`,
    },
    {
      ...{ of: ofServer, most: `PostgreSQL at ${hostNames(url)} takes`, left: 'PostgreSQL' },
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

/** Returns role and database of a URL, as messages and statements name them. */
export function loginOf({ hosts }: Pick<DatabaseUrl, 'hosts'>): { user: string; database: string } {
  const [{ user = '', database = '' } = {}] = hosts
  return { user, database }
}
