/** PostgreSQL with proxies for fault runs: one server for a test file, a schema and a proxy for each node of a run. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { whenDone } from '../../_support/cleanup.ts'
import { findPostgres } from '../../_support/find-postgres.ts'
import { PostgresServer } from '../../_support/postgres.ts'
import { mountSmallDisk } from '../../_support/small-disk.ts'
import { PostgresProxy, type ProxyOptions } from './postgres-proxy.ts'
import { PostgresRunStore } from './run-store.ts'

const isMissing = findPostgres() === null
if (isMissing) {
  if (process.env.CI) throw new Error('PostgreSQL is missing. apt-get install postgresql-15')
  process.stderr.write('The fault runs are left out: PostgreSQL is not installed here.\n')
}

/** Describes fault runs, which need PostgreSQL. `RUNS=3` performs each of them three times, with different seeds. */
export function describeCluster(name: string, runs: () => void): void {
  describe.skipIf(isMissing)(name, { repeats: Number(process.env.RUNS ?? 1) - 1 }, runs)
}

/** The server of this file. It syncs each commit, as in production. */
let shared: PostgresServer | null = null

function sharedServer(): PostgresServer {
  if (shared === null) {
    const started = new PostgresServer()
    shared = started
    process.once('exit', () => started.remove())
  }
  return shared
}

export interface ClusterRig {
  readonly nodes: number
  readonly store: PostgresRunStore
  readonly proxies: readonly PostgresProxy[]
  proxiesOf(node: number): readonly PostgresProxy[]
}

export interface RigOptions extends ProxyOptions {
  readonly nodes?: number
  /** The hosts in the URL of the store, the primary first; the server of this file by default. */
  readonly servers?: readonly PostgresServer[]
}

/** Prepares a store for some nodes. */
export async function clusterRig({ nodes = 3, servers, ...options }: RigOptions = {}): Promise<ClusterRig> {
  const hosts = servers ?? [sharedServer()]
  const ofNodes = await Promise.all(
    Array.from({ length: nodes }, () => Promise.all(hosts.map((host) => PostgresProxy.start(host, options)))),
  )
  const proxiesOf = (node: number): readonly PostgresProxy[] => ofNodes[node] ?? []
  const store = new PostgresRunStore(hosts[0] as PostgresServer, proxiesOf)
  return { nodes, store, proxies: ofNodes.flat(), proxiesOf }
}

/** Starts a server of its own for one test. @param settings lines of postgresql.conf */
export function startServer(...settings: readonly string[]): PostgresServer {
  const server = new PostgresServer(settings)
  whenDone(() => server.remove())
  return server
}

/** Moves the tables of a server to a small disk. Returns its directory; null if this user may not mount one. */
export async function tablesOnSmallDisk(server: PostgresServer, megabytes: number): Promise<string | null> {
  const disk = mountSmallDisk(megabytes, server.directory)
  if (disk === null) return null
  const tables = join(disk, 'tables')
  mkdirSync(tables)
  server.own(tables)
  await server.query(`CREATE TABLESPACE small LOCATION '${tables}'`)
  await server.query('ALTER ROLE waybill SET default_tablespace = small')
  return disk
}

export interface ReplicatedServers {
  readonly primary: PostgresServer
  readonly standby: PostgresServer
}

/** Starts a primary and a synchronous standby for one test. */
export async function replicatedServers(): Promise<ReplicatedServers> {
  const primary = new PostgresServer()
  whenDone(() => primary.remove())
  const standby = new PostgresServer([], primary)
  whenDone(() => standby.remove())
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
  await primary.query('SELECT pg_reload_conf()')
  return { primary, standby }
}
