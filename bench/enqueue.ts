/** A durable enqueue: token checked, body validated, on disk before the answer. */
import { startRedis } from './redis.ts'
import { CONNECTIONS, cpuOf, type Options, type Rival, rateOf, roundsInBothOrders } from './rounds.ts'
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
/** Requests a second, against Redis behind fastify. */
const WANTED: Record<Adapter, number> = { uws: 1.5, node: 1.35 }
/** Requests a second, against the server by hand on the same engine, with the index by device in both. */
export const WANTED_OF_HAND = 0.7
/** Rung of the server by hand that has the index. */
const WITH_INDEX = '1'

/** Queue limits that no run reaches, so that no command is refused. */
export const NO_QUEUE_LIMIT = { WAYBILL_QUEUE_LIMIT: '100000000', WAYBILL_QUEUE_BYTES: '0' }

export async function enqueue({ runs, seconds }: Options): Promise<void> {
  const turns = await roundsInBothOrders(RIVALS, runs, loadsOf('enqueue', seconds))
  const rates = new Map(RIVALS.map(({ name }, i) => [name, rateOf(turns[i] as Measured[])]))
  const ratio = (name: string, other: string): number =>
    medianRatio(rates.get(name) as number[], rates.get(other) as number[])
  const hasRedis = rates.get(REDIS)?.length !== 0
  const rows = RIVALS.filter(({ name }) => name !== REDIS || hasRedis).map(({ name }) => {
    const runsOf = turns[RIVALS.findIndex((each) => each.name === name)] as Measured[]
    const adapter = ADAPTERS.find((each) => name === productOn(each))
    const judged = adapter
      ? [
          ratio(name, LIMIT).toFixed(2),
          atLeast(ratio(name, byHandOn(adapter)), WANTED_OF_HAND),
          hasRedis ? atLeast(ratio(name, REDIS), WANTED[adapter]) : 'no Redis here',
        ]
      : [ratio(name, LIMIT).toFixed(2), '', '']
    return [
      name,
      Math.round(median(rateOf(runsOf))).toLocaleString('en'),
      median(cpuOf(runsOf)).toFixed(1),
      median(runsOf.map(({ p99Ms }) => p99Ms)).toFixed(1),
      ...judged,
    ]
  })
  printTable(
    `Durable enqueue, ${CONNECTIONS} connections, ${DEVICES.toLocaleString('en')} devices`,
    ['server', 'requests/s', 'CPU µs/request', 'p99 ms', 'rate / limit', 'rate / by hand', 'rate / Redis'],
    rows,
  )
}

const LIMIT = 'the limit'
export const REDIS = 'fastify + Redis'
export const productOn = (adapter: Adapter): string => `waybill (${adapter})`
const byHandOn = (adapter: Adapter): string => `by hand with index (${adapter})`

/** Servers of the comparison. How near those by hand come to the limit is what a server can that does the product's work and nothing else. */
const RIVALS: readonly Rival[] = [
  ...ADAPTERS.map((adapter) => ({
    name: productOn(adapter),
    start: () => startWaybill({ adapter, dataDir: dataDirectory(), env: NO_QUEUE_LIMIT }),
  })),
  { name: LIMIT, start: () => startRival(LIMIT, 'limit.js', { DATA_DIR: dataDirectory() }) },
  ...ADAPTERS.map((adapter) => ({
    name: byHandOn(adapter),
    start: () => {
      const env = { ENGINE: adapter, RUNG: WITH_INDEX, DATA_DIR: dataDirectory(), JWT_SECRET }
      return startRival(byHandOn(adapter), 'by-hand.js', env)
    },
  })),
  {
    name: 'fastify + SQLite',
    start: () =>
      startRival('fastify + SQLite', 'fastify-sqlite.js', { DATA_DIR: dataDirectory(), JWT_SECRET }),
  },
  { name: REDIS, start: startFastifyOnRedis },
]

/** Null where Redis is not installed. */
export async function startFastifyOnRedis(): Promise<Server | null> {
  const redis = await startRedis(dataDirectory())
  if (!redis) return null
  const env = { REDIS_URL: redis.url, JWT_SECRET }
  return startRival(REDIS, 'fastify-redis.js', env, [redis])
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

/** Returns what gives each server its load, for `roundsInBothOrders`. */
export function loadsOf(mode: 'enqueue' | 'trip', seconds: number) {
  return async (servers: readonly Server[]): Promise<(server: Server) => Load> => {
    const tokenFor = await tokensFor(servers.filter(({ name }) => name.startsWith('waybill')))
    return (server) => commands(mode, { token: tokenFor(server), seconds })
  }
}
