/** The product on PostgreSQL: beside a statement for each request, beside SQLite, and on one to three nodes. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPostgres } from '../test/_support/find-postgres.ts'
import { PostgresServer } from '../test/_support/postgres.ts'
import { commands, NO_QUEUE_LIMIT } from './enqueue.ts'
import { CONNECTIONS, type Options, rounds } from './rounds.ts'
import {
  dataDirectory,
  JWT_SECRET,
  processCpuMs,
  SERVER_CORE,
  type Server,
  startRival,
  startWaybill,
  tokensFor,
  whenEnding,
} from './server.ts'
import { atLeast, atMost, median, medianRatio, printTable } from './table.ts'
import { type Measured, measure } from './wrk.ts'

/**
 * Work of clients at the same time. Wanted are the rate, against a statement for each request, and the CPU of all processes,
 * against SQLite. A single caller has no batches, which the rate comes from.
 */
const WORKS = [
  { mode: 'enqueue', connections: CONNECTIONS, wantedRate: 5, wantedCpu: 3 },
  { mode: 'trip', connections: CONNECTIONS, wantedRate: 5, wantedCpu: 2.9 },
  { mode: 'trip', connections: 1, wantedRate: null, wantedCpu: 4 },
] as const
function rateOf(ratio: number, wanted: number | null): string {
  return wanted === null ? ratio.toFixed(2) : atLeast(ratio, wanted)
}

/** CPU of two or three nodes together, against one. */
const WANTED_NODES = 1.4
const NODES = [1, 2, 3]
/** Load on one node before the measurement, in seconds. */
const WARM_UP_SECONDS = 6

export async function postgres(options: Options): Promise<void> {
  if (findPostgres() === null) {
    console.log('\nPostgreSQL is left out: it is not installed (apt-get install postgresql-15).')
    return
  }
  for (const work of WORKS) await besideOthers(work, options)
  await severalNodes(options)
}

async function besideOthers(
  { mode, connections, wantedRate, wantedCpu }: (typeof WORKS)[number],
  { runs, seconds }: Options,
): Promise<void> {
  const database = startPostgres()
  const ours = await startNode(database, [database.server])
  const sqlite = await startWaybill({ adapter: 'node', dataDir: dataDirectory(), env: NO_QUEUE_LIMIT })
  const others = startPostgres()
  // The first node creates the schema for the rival.
  const creator = await startNode(others)
  await creator.stop()
  const rival = await startRival(
    'a statement for each request',
    'postgres-by-request.js',
    { STORE_DIR: others.directory, JWT_SECRET },
    [others.server],
  )
  const servers = [ours, rival, sqlite]
  try {
    const tokenFor = await tokensFor([ours, sqlite])
    const measured = await rounds(servers, runs, (server) =>
      commands(mode, { token: tokenFor(server), seconds, connections }),
    )
    const works = (server: Server): Work[] =>
      (measured.get(server) as Measured[]).map((each) => workOf(mode, each))
    const rates = (server: Server) => works(server).map(({ perSecond }) => perSecond)
    const costs = (server: Server) => works(server).map(({ cpuMicros }) => cpuMicros)
    printTable(
      `PostgreSQL, ${mode}, ${connections} connections: CPU of the node and of all processes of PostgreSQL`,
      ['server', `${mode}s/s`, 'CPU µs', 'rate / one by one', 'CPU / SQLite'],
      servers.map((server) => [
        server.name,
        Math.round(median(rates(server))).toLocaleString('en'),
        median(costs(server)).toFixed(1),
        server === ours ? rateOf(medianRatio(rates(ours), rates(rival)), wantedRate) : '',
        server === ours ? atMost(medianRatio(costs(ours), costs(sqlite)), wantedCpu) : '',
      ]),
    )
  } finally {
    for (const server of servers) await server.stop()
  }
}

async function severalNodes({ runs, seconds }: Options): Promise<void> {
  const costs = new Map<number, number[]>(NODES.map((count) => [count, []]))
  for (let run = 0; run < runs; run++)
    for (const count of NODES) costs.get(count)?.push(await costOfTrip(count, seconds))
  const one = costs.get(1) as number[]
  printTable(
    'PostgreSQL, trips on several nodes that share one database: CPU of all nodes and of PostgreSQL',
    ['nodes', 'CPU µs/trip', 'CPU / one node'],
    NODES.map((count) => {
      const cost = costs.get(count) as number[]
      const ratio = count === 1 ? '' : atMost(medianRatio(cost, one), WANTED_NODES)
      return [String(count), median(cost).toFixed(1), ratio]
    }),
  )
}

/** Returns the CPU microseconds of all processes for a trip, with the same load on each node. */
async function costOfTrip(count: number, seconds: number): Promise<number> {
  const database = startPostgres()
  const nodes: Server[] = []
  try {
    for (let n = 0; n < count; n++) nodes.push(await startNode(database))
    const tokenFor = await tokensFor(nodes)
    const load = async (forSeconds = seconds): Promise<number> => {
      const done = nodes.map((node, n) => {
        const { env, ...rest } = commands('trip', {
          token: tokenFor(node),
          seconds: forSeconds,
          connections: CONNECTIONS,
        })
        return measure(node, { ...rest, env: { ...env, PREFIX: `n${n}d` } })
      })
      return (await Promise.all(done)).reduce((sum, { printed }) => sum + (printed.trips as number), 0)
    }
    // Nodes that share a core need as much time more until their code is compiled.
    await load(WARM_UP_SECONDS * count)
    const cpuMs = () => nodes.reduce((sum, node) => sum + processCpuMs(node.pid), 0) + database.server.cpuMs()
    const before = cpuMs()
    const trips = await load()
    return ((cpuMs() - before) * 1_000) / trips
  } finally {
    for (const node of nodes) await node.stop()
    await database.server.stop()
  }
}

interface Work {
  readonly perSecond: number
  readonly cpuMicros: number
}

function workOf(mode: 'enqueue' | 'trip', { perSecond, cpuMicros, requests, printed }: Measured): Work {
  if (mode === 'enqueue') return { perSecond, cpuMicros }
  const trips = printed.trips as number
  return { perSecond: (perSecond * trips) / requests, cpuMicros: (cpuMicros * requests) / trips }
}

interface Database {
  readonly directory: string
  readonly url: string
  /** The server as one whose cost counts for those that stand on it. */
  readonly server: Server
}

/** Starts PostgreSQL on the core of the servers. It syncs before it answers. */
function startPostgres(): Database {
  const server = new PostgresServer([
    'max_wal_size = 4GB',
    'shared_buffers = 512MB',
    'synchronous_commit = on',
  ])
  const pid = Number(readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n')[0])
  const forget = whenEnding(() => server.remove())
  // Processes that start later inherit the core.
  execFileSync('taskset', ['-acp', SERVER_CORE, String(pid)], { stdio: 'ignore' })
  const url = server.url('waybill')
  return {
    ...{ directory: server.directory, url },
    server: {
      ...{ name: 'PostgreSQL', url, pid },
      cpuMs: () => familyCpuMs(pid),
      async stop() {
        forget()
        server.remove()
      },
    },
  }
}

/** Returns the CPU time of a process and its children, also of those that ended. */
function familyCpuMs(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const living = children.filter((child) => child !== '' && existsSync(`/proc/${child}`))
  return (
    processCpuMs(pid, { withEnded: true }) +
    living.reduce((sum, child) => sum + processCpuMs(Number(child)), 0)
  )
}

/** @param below the database counts as a part of the node, and ends with it */
function startNode({ url }: Database, below: readonly Server[] = []): Promise<Server> {
  const env = { ...NO_QUEUE_LIMIT, WAYBILL_STORE: url }
  return startWaybill({ adapter: 'node', dataDir: dataDirectory(), env, below })
}
