/** Shows what each part adds, from the enqueue by hand to the product: each rung beside the one below it, in turns. */
import { commands, NO_QUEUE_LIMIT } from './enqueue.ts'
import { cpuOf, type Options, rateOf, rounds } from './rounds.ts'
import {
  ADAPTERS,
  dataDirectory,
  JWT_SECRET,
  type Server,
  startRival,
  startWaybill,
  tokensFor,
} from './server.ts'
import { atLeast, median, medianRatio, printTable } from './table.ts'
import type { Measured } from './wrk.ts'

/** Names of the rungs of `rivals/by-hand-rungs.js` and `by-hand-web.js`, and what the product has beside all of them. */
const RUNGS = [
  'by hand',
  '+ index by device',
  '+ writer: a sync on another thread',
  '+ store: limits, memory, events',
  '+ broker: settings, counts, log calls',
  '+ body: exact text, all fields',
  '+ promises: of the method and of its answer',
  '+ server: headers, rules of HTTP',
  '+ routing: segments, look-ups, positional arguments',
  '+ keyword arguments: media type, query, merging',
  '+ class: call, instance, reply',
  '+ access: the token and the role of the caller',
]
const PRODUCT = '+ product: accounts, settings of a command, counts of exchanges'
/** Rate of the product against the server by hand with the index. */
const WANTED = 0.85

export async function ladder({ runs, seconds }: Options): Promise<void> {
  for (const adapter of ADAPTERS) {
    const byHand = await Promise.all(
      RUNGS.map((name, rung) => {
        const env = { ENGINE: adapter, RUNG: String(rung), DATA_DIR: dataDirectory(), JWT_SECRET }
        return startRival(name, 'by-hand.js', env)
      }),
    )
    const ours = await startWaybill({ adapter, dataDir: dataDirectory(), env: NO_QUEUE_LIMIT })
    const servers = [...byHand, ours]
    try {
      const tokenFor = await tokensFor([ours])
      const load = (server: Server) => commands('enqueue', { token: tokenFor(server), seconds })
      const measured = await rounds(servers, runs, load)
      const cpu = servers.map((server) => cpuOf(measured.get(server) as Measured[]))
      const rate = servers.map((server) => rateOf(measured.get(server) as Measured[]))
      const rows = servers.map((server, rung) => {
        const own = cpu[rung] as number[]
        const below = cpu[rung - 1]
        const added = below ? median(own.map((value, run) => value - (below[run] as number))).toFixed(1) : ''
        const ofIndexed = medianRatio(rate[rung] as number[], rate[1] as number[])
        return [
          server === ours ? PRODUCT : server.name,
          median(own).toFixed(1),
          added,
          Math.round(median(rate[rung] as number[])).toLocaleString('en'),
          server === ours ? atLeast(ofIndexed, WANTED) : ofIndexed.toFixed(2),
        ]
      })
      printTable(
        `Durable enqueue, ${adapter}: from the server by hand to the product`,
        ['rung', 'CPU µs/request', 'added', 'requests/s', 'rate / by hand with index'],
        rows,
      )
    } finally {
      for (const server of servers) await server.stop()
    }
  }
}
