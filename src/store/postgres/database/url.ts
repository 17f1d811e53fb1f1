/** Parses the URL of the database: hosts, credentials, schema and TLS. Opens nothing. */
import type { ClientConfig } from 'pg'
import { isLoopback } from '../../../net/address.ts'

/** Ways to protect a connection, as in libpq. */
const SSL_MODES = ['disable', 'require', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]
/** Modes of libpq that a node refuses, with the reasons. */
const REFUSED_MODES: ReadonlyMap<string, string> = new Map([
  ['allow', 'allow may send the password without TLS'],
  ['prefer', 'prefer may send the password without TLS'],
  ['verify-ca', 'verify-ca accepts the certificate of another host'],
])

/** Parameter in the URLs of other programs. A node behaves the same for each accepted value. */
interface CopiedParameter {
  readonly name: string
  readonly accepted: readonly string[]
  readonly cure: string
}

const COPIED: readonly CopiedParameter[] = [
  {
    name: 'channel_binding',
    accepted: ['disable', 'prefer'],
    cure: 'a node checks the certificate instead: replace the parameter with sslmode=verify-full',
  },
  {
    name: 'target_session_attrs',
    accepted: ['read-write', 'primary', 'any'],
    cure: 'a node uses the host that takes writes: remove the parameter',
  },
]

const PARAMETERS = ['host', 'schema', 'sslmode', 'sslrootcert', ...COPIED.map(({ name }) => name)]

export const URL_FORM = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'
const PORT = 5432
export const SCHEMA = 'waybill'

/** Address of a database, and how to connect to it. */
export interface DatabaseUrl {
  readonly hosts: readonly ClientConfig[]
  readonly schema: string
  /** PEM file with the authorities that sign the certificates of the hosts; null for the authorities of Node. */
  readonly rootCertFile: string | null
  /** The URL without its password and without parameters other than the schema. */
  readonly shown: string
}

/** Reports an invalid database URL. The message never contains the URL, which may hold a password. */
export class DatabaseUrlError extends Error {}

interface Parts {
  readonly user: string
  readonly password: string | null
  readonly hosts: string
  readonly database: string
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Parses `postgres://user:password@host:port,host2/database?schema=waybill&sslmode=verify-full`. Parts with special
 * characters are percent-encoded. A host that begins with `/` is the directory of a socket; the parameter `host` can
 * hold it.
 *
 * @throws {DatabaseUrlError}
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const { user, password, hosts, database, parameters } = partsOf(text)
  const schema = parameters.get('schema') ?? SCHEMA
  // PostgreSQL cuts a longer name without an error.
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_'))
    throw new DatabaseUrlError(
      'schema: expected at most 63 lower-case letters, digits and _, not beginning with a digit or pg_',
    )
  refuseCopied(parameters)
  const places = (parameters.get('host') ?? hosts).split(',').map(toPlace)
  const sslmode = sslModeOf(parameters)
  const rootCertFile = parameters.get('sslrootcert') ?? null
  if (rootCertFile !== null && sslmode !== undefined && sslmode !== 'verify-full')
    throw new DatabaseUrlError(`sslrootcert needs sslmode=verify-full, not ${sslmode}`)
  return {
    hosts: places.map(({ host, port }) => ({
      host,
      port,
      user,
      database,
      ssl: sslOf(host, sslmode),
      ...(password !== null && { password }),
    })),
    schema,
    rootCertFile,
    shown: `postgres://${encodeURIComponent(user)}@${places.map(placeInUrl).join(',')}/${encodeURIComponent(database)}?schema=${schema}`,
  }
}

/** Returns the hosts of a database for messages, such as `db-1:5432, db-2:5432`. */
export function hostNames({ hosts }: Pick<DatabaseUrl, 'hosts'>): string {
  return hosts.map(({ host = '', port = PORT }) => placeInUrl({ host, port })).join(', ')
}

export function databaseUrlProblem(text: string): string | null {
  try {
    parseDatabaseUrl(text)
    return null
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message
    throw error
  }
}

function partsOf(text: string): Parts {
  const [, login, hosts = '', path, query] =
    /^[a-z]+:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/i.exec(text) ?? []
  if (path === undefined || path === '')
    throw new DatabaseUrlError(
      `has no name of a database; expected ${URL_FORM}, with special characters encoded`,
    )
  const [user = '', ...rest] = (login ?? '').split(':')
  if (user === '') throw new DatabaseUrlError(`has no user; expected ${URL_FORM}`)
  return {
    user: decoded(user),
    password: rest.length === 0 ? null : decoded(rest.join(':')),
    hosts,
    database: decoded(path),
    parameters: parametersOf(query ?? ''),
  }
}

function parametersOf(query: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const pair of query.split('&').filter((each) => each !== '')) {
    const [name = '', ...value] = pair.split('=')
    if (!PARAMETERS.includes(name))
      throw new DatabaseUrlError(
        `has an unknown parameter ${JSON.stringify(name)}; the parameters are ${PARAMETERS.join(', ')}`,
      )
    if (found.has(name)) throw new DatabaseUrlError(`has the parameter ${name} twice; remove one`)
    found.set(name, decoded(value.join('=')))
  }
  return found
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new DatabaseUrlError('has a % that encodes nothing; write %25 for a percent sign')
  }
}

interface Place {
  readonly host: string
  readonly port: number
}

function toPlace(text: string): Place {
  const place = decoded(text)
  if (place.startsWith('/')) return { host: place, port: PORT }
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(place) ?? []
  const host = bracketed ?? plain
  const number = port === undefined ? PORT : Number(port)
  if (host !== undefined && number >= 1 && number <= 65_535) return { host, port: number }
  throw new DatabaseUrlError(
    place === ''
      ? 'has no host; name one, or the directory of a socket with ?host=/run/postgresql'
      : `expected HOST or HOST:PORT, with commas between several, not ${JSON.stringify(place)}`,
  )
}

function placeInUrl({ host, port }: Place): string {
  if (host.startsWith('/')) return encodeURIComponent(host)
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** @throws {DatabaseUrlError} that names a copied parameter with an unsupported value */
function refuseCopied(parameters: ReadonlyMap<string, string>): void {
  for (const { name, accepted, cure } of COPIED) {
    const value = parameters.get(name)
    if (value !== undefined && !accepted.includes(value))
      throw new DatabaseUrlError(`${name}: expected one of ${accepted.join(', ')}; ${cure}`)
  }
}

function sslModeOf(parameters: ReadonlyMap<string, string>): SslMode | undefined {
  const given = parameters.get('sslmode')
  const known = SSL_MODES.find((mode) => mode === given)
  if (given === undefined || known !== undefined) return known
  const why = REFUSED_MODES.get(given)
  throw new DatabaseUrlError(
    `sslmode: expected one of ${SSL_MODES.join(', ')}${why === undefined ? '' : `; ${why}`}`,
  )
}

/**
 * Returns the TLS settings. By default a connection that leaves the machine is encrypted, and its certificate checked.
 */
function sslOf(host: string, mode: SslMode | undefined): NonNullable<ClientConfig['ssl']> {
  const staysHere = host.startsWith('/') || isLoopback(host)
  switch (mode ?? (staysHere ? 'disable' : 'verify-full')) {
    case 'disable':
      return false
    case 'require':
      return { rejectUnauthorized: false }
    case 'verify-full':
      return { rejectUnauthorized: true }
  }
}
