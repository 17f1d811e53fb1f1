/** A full trip: enqueue, poll, acknowledge, each durable before its answer. */

import { commands, DEVICES, startFastifyOnRedis } from './enqueue.ts'
import { CONNECTIONS, type Options, rounds } from './rounds.ts'
import { ADAPTERS, type Adapter, dataDirectory, type Server, startWaybill, tokensFor } from './server.ts'
import { atLeast, median, medianRatio, printTable } from './table.ts'
import type { Measured } from './wrk.ts'

/** Trips a second, against Redis behind fastify. */
const WANTED: Record<Adapter, number> = { uws: 2.1, node: 1.6 }

export async function trip({ runs, seconds }: Options): Promise<void> {
  const ours = await Promise.all(
    ADAPTERS.map((adapter) => startWaybill({ adapter, dataDir: dataDirectory() })),
  )
  const redis = await startFastifyOnRedis()
  const servers = [...ours, ...(redis ? [redis] : [])]
  try {
    const tokenFor = await tokensFor(ours)
    const measured = await rounds(servers, runs, (server) =>
      commands('trip', { token: tokenFor(server), seconds }),
    )
    const trips = (server: Server) =>
      (measured.get(server) as Measured[]).map(
        ({ perSecond, requests, printed }) => (perSecond * (printed.trips as number)) / requests,
      )
    const cpu = (server: Server) =>
      (measured.get(server) as Measured[]).map(
        ({ cpuMicros, requests, printed }) => (cpuMicros * requests) / (printed.trips as number),
      )
    const rows = servers.map((server) => [
      server.name,
      Math.round(median(trips(server))).toLocaleString('en'),
      median(cpu(server)).toFixed(1),
      redis && server !== redis
        ? atLeast(medianRatio(trips(server), trips(redis)), WANTED[ADAPTERS[ours.indexOf(server)] as Adapter])
        : '',
    ])
    printTable(
      `Enqueue, poll and acknowledge, ${CONNECTIONS} connections, ${DEVICES.toLocaleString('en')} devices`,
      ['server', 'trips/s', 'CPU µs/trip', 'rate / Redis'],
      rows,
    )
  } finally {
    for (const server of servers) await server.stop()
  }
}
