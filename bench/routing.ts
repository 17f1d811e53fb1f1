/** Routing and arguments: the framework against bare servers of the same engines, fastify, hono and h3. */
import { CONNECTIONS, cpuOf, type Options, rateOf, rounds } from './rounds.ts'
import {
  ADAPTERS,
  type Adapter,
  dataDirectory,
  ENDPOINTS,
  type Server,
  startRival,
  startWaybill,
} from './server.ts'
import { atMost, median, medianRatio, printTable } from './table.ts'
import type { Load, Measured } from './wrk.ts'

/** Requests, with the CPU that each may cost against the bare server of the same engine. */
const CASES: readonly (Pick<Load, 'path' | 'script'> & {
  readonly title: string
  readonly wanted: Record<Adapter, number>
})[] = [
  { title: 'GET with a path argument', path: '/bench/greeting/Ada', wanted: { uws: 1.15, node: 1.1 } },
  {
    title: 'PUT with a JSON body of 150 bytes, validated',
    path: '/bench/order/7',
    script: 'order.lua',
    wanted: { uws: 1.2, node: 1.1 },
  },
]

export async function routing({ runs, seconds }: Options): Promise<void> {
  const dataDir = dataDirectory()
  const ours = await Promise.all(
    ADAPTERS.map((adapter) => startWaybill({ adapter, dataDir, prefix: ENDPOINTS })),
  )
  const bare = await Promise.all(ADAPTERS.map((engine) => startRival(`bare ${engine}`, `bare-${engine}.js`)))
  const rivals = await Promise.all(['fastify', 'hono', 'h3'].map((name) => startRival(name, `${name}.js`)))
  const servers = [...ours, ...bare, ...rivals]
  try {
    for (const { title, wanted, ...request } of CASES) {
      const load: Load = { ...request, connections: CONNECTIONS, seconds }
      const measured = await rounds(servers, runs, () => load)
      const cpu = (server: Server | undefined) => cpuOf(measured.get(server as Server) as Measured[])
      const rows = servers.map((server) => {
        const runsOf = measured.get(server) as Measured[]
        const engine = ours.indexOf(server)
        const judged =
          engine < 0
            ? ['', '']
            : [
                atMost(medianRatio(cpu(server), cpu(bare[engine])), wanted[ADAPTERS[engine] as Adapter]),
                atMost(medianRatio(cpu(server), cpu(rivals[0])), 1),
              ]
        return [
          server.name,
          median(cpuOf(runsOf)).toFixed(2),
          Math.round(median(rateOf(runsOf))).toLocaleString('en'),
          ...judged,
        ]
      })
      printTable(title, ['server', 'CPU µs/request', 'requests/s', 'CPU / bare', 'CPU / fastify'], rows)
    }
  } finally {
    for (const server of servers) await server.stop()
  }
}
