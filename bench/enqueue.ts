/** A durable enqueue: token checked, body validated, on disk before the answer. */
import { startRedis } from './redis.ts'
import { CONNECTIONS, cpuOf, type Options, rateOf, rounds } from './rounds.ts'
import {
  ADAPTERS,
  type Adapter,
  dataDirectory,
  JWT_SECRET,
  type Server,
  startRival,
  startWaybill,
  tokensFor,
} from './server.ts'
import { atLeast, median, medianRatio, printTable } from './table.ts'
import type { Load, Measured } from './wrk.ts'

export const DEVICES = 1_000
/** Requests a second, against the limit. */
const WANTED: Record<Adapter, number> = { uws: 0.8, node: 0.6 }

/** Queue limits that no run reaches, so that no command is refused. */
export const NO_QUEUE_LIMIT = { WAYBILL_QUEUE_LIMIT: '100000000', WAYBILL_QUEUE_BYTES: '0' }

export async function enqueue({ runs, seconds }: Options): Promise<void> {
  const ours = await Promise.all(
    ADAPTERS.map((adapter) => startWaybill({ adapter, dataDir: dataDirectory(), env: NO_QUEUE_LIMIT })),
  )
  const limit = await startRival('the limit', 'limit.js', { DATA_DIR: dataDirectory() })
  // How near to the limit a server comes that does the product's work and nothing else.
  const byHand = await Promise.all(
    ADAPTERS.map((ENGINE) =>
      startRival(`by hand (${ENGINE})`, 'by-hand.js', { ENGINE, DATA_DIR: dataDirectory(), JWT_SECRET }),
    ),
  )
  const sqlite = await startRival('fastify + SQLite', 'fastify-sqlite.js', {
    DATA_DIR: dataDirectory(),
    JWT_SECRET,
  })
  const redis = await startFastifyOnRedis()
  const servers = [...ours, limit, ...byHand, sqlite, ...(redis ? [redis] : [])]
  try {
    const tokenFor = await tokensFor(ours)
    const measured = await rounds(servers, runs, (server) =>
      commands('enqueue', { token: tokenFor(server), seconds }),
    )
    const rate = (server: Server) => rateOf(measured.get(server) as Measured[])
    const rows = servers.map((server) => {
      const runsOf = measured.get(server) as Measured[]
      const wanted = WANTED[ADAPTERS[ours.indexOf(server)] as Adapter]
      const ofLimit = medianRatio(rate(server), rate(limit))
      const judged =
        wanted === undefined
          ? [ofLimit.toFixed(2), '']
          : [
              atLeast(ofLimit, wanted),
              redis ? atLeast(medianRatio(rate(server), rate(redis)), 1) : 'no Redis here',
            ]
      return [
        server.name,
        Math.round(median(rate(server))).toLocaleString('en'),
        median(cpuOf(runsOf)).toFixed(1),
        median(runsOf.map(({ p99Ms }) => p99Ms)).toFixed(1),
        ...judged,
      ]
    })
    printTable(
      `Durable enqueue, ${CONNECTIONS} connections, ${DEVICES.toLocaleString('en')} devices`,
      ['server', 'requests/s', 'CPU µs/request', 'p99 ms', 'rate / limit', 'rate / Redis'],
      rows,
    )
  } finally {
    for (const server of servers) await server.stop()
  }
}

/** Null where Redis is not installed. */
export async function startFastifyOnRedis(): Promise<Server | null> {
  const redis = await startRedis(dataDirectory())
  if (!redis) return null
  const env = { REDIS_URL: redis.url, JWT_SECRET }
  return startRival('fastify + Redis', 'fastify-redis.js', env, [redis])
}

export interface CommandLoad {
  readonly token: string
  readonly seconds: number
  readonly devices?: number
  readonly connections?: number
}

/** @param mode see `lua/commands.lua` */
export function commands(
  mode: 'enqueue' | 'poll' | 'trip',
  { token, seconds, devices = DEVICES, connections = CONNECTIONS }: CommandLoad,
): Load {
  const env = { MODE: mode, TOKEN: token, DEVICES: String(devices) }
  return { path: '/', connections, seconds, script: 'commands.lua', env }
}
