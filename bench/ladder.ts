/** Shows what each part adds, from the enqueue by hand to the product: each rung beside the one below it, in turns. */
import { commands, NO_QUEUE_LIMIT } from './enqueue.ts'
import { cpuOf, type Options, rateOf, rounds } from './rounds.ts'
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
    const half = Math.ceil(runs / 2)
    // A server that starts later costs a few percent more, so half of the turns are those of servers that start in the other order.
    const measured = await turnsOf(starts(adapter), half, seconds)
    const reversed = await turnsOf(starts(adapter).reverse(), half, seconds)
    const turns = measured.map((each, rung) => [...each, ...(reversed.at(-1 - rung) as Measured[])])
    const cpu = turns.map(cpuOf)
    const rate = turns.map(rateOf)
    // Other work on the machine makes a turn dearer and never cheaper, so the least is nearest to the cost of a rung.
    const least = cpu.map((each) => Math.min(...each))
    const rows = [...RUNGS, PRODUCT].map((name, rung) => {
      const below = least[rung - 1]
      const ofIndexed = medianRatio(rate[rung] as number[], rate[1] as number[])
      return [
        name,
        median(cpu[rung] as number[]).toFixed(1),
        (least[rung] as number).toFixed(1),
        below === undefined ? '' : ((least[rung] as number) - below).toFixed(1),
        Math.round(median(rate[rung] as number[])).toLocaleString('en'),
        name === PRODUCT ? atLeast(ofIndexed, WANTED) : ofIndexed.toFixed(2),
      ]
    })
    printTable(
      `Durable enqueue, ${adapter}: from the server by hand to the product, ${2 * half} turns`,
      ['rung', 'CPU µs/request', 'least', 'added', 'requests/s', 'rate / by hand with index'],
      rows,
    )
  }
}

type Start = () => Promise<Server>

/** Returns what starts the servers, from the lowest rung to the product. */
function starts(adapter: Adapter): Start[] {
  const byHand = RUNGS.map((name, rung) => () => {
    const env = { ENGINE: adapter, RUNG: String(rung), DATA_DIR: dataDirectory(), JWT_SECRET }
    return startRival(name, 'by-hand.js', env)
  })
  return [...byHand, () => startWaybill({ adapter, dataDir: dataDirectory(), env: NO_QUEUE_LIMIT })]
}

/** Starts servers one after the other and measures them in turns. Returns the turns of each. */
async function turnsOf(starts: readonly Start[], runs: number, seconds: number): Promise<Measured[][]> {
  const servers: Server[] = []
  try {
    for (const start of starts) servers.push(await start())
    const tokenFor = await tokensFor(servers.filter(({ name }) => name.startsWith('waybill')))
    const measured = await rounds(servers, runs, (server) =>
      commands('enqueue', { token: tokenFor(server), seconds }),
    )
    return servers.map((server) => measured.get(server) as Measured[])
  } finally {
    for (const server of servers) await server.stop()
  }
}
