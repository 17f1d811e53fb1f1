/** Shows what each part adds, from the enqueue by hand to the product: each rung beside the one below it, in turns. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadsOf, NO_QUEUE_LIMIT, WANTED_OF_HAND } from './enqueue.ts'
import { cpuOf, type Options, type Rival, rateOf, roundsInBothOrders } from './rounds.ts'
import {
  ADAPTERS,
  type Adapter,
  dataDirectory,
  JWT_SECRET,
  type Server,
  startRival,
  startWaybill,
} from './server.ts'
import { atLeast, median, medianRatio, printTable } from './table.ts'
import type { Measured } from './wrk.ts'

/** Names of the rungs of `rivals/by-hand-rungs.js` and `by-hand-web.js`, and what the product has beside all of them. */
const RUNGS = [
  'by hand',
  '+ index by device',
  '+ writer: a sync on another thread',
  '+ store: limits, memory, events',
  '+ broker: settings of the device, validity, disk floor',
  '+ counters: statuses by cause, parked messages',
  '+ logging: calls for a level that is off',
  '+ body: exact text, all fields',
  '+ promises: of the method and of its answer',
  '+ server: headers, rules of HTTP',
  '+ routing: segments, look-ups, positional arguments',
  '+ keyword arguments: media type, query, merging',
  '+ class: call, instance, reply',
  '+ access: the token and the role of the caller',
]
const PRODUCT = '+ product: accounts, settings of a command, counts of exchanges'
/** URL of the module that counts the time of the garbage collector. */
const GC_TIME = new URL('gc-time.js', import.meta.url).href

export async function ladder({ runs, seconds }: Options): Promise<void> {
  for (const adapter of ADAPTERS) {
    const turns = await roundsInBothOrders(rungsOf(adapter), runs, loadsOf('enqueue', seconds))
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
        median((turns[rung] as Measured[]).map(({ gcMicros }) => gcMicros)).toFixed(2),
        Math.round(median(rate[rung] as number[])).toLocaleString('en'),
        name === PRODUCT ? atLeast(ofIndexed, WANTED_OF_HAND) : ofIndexed.toFixed(2),
      ]
    })
    printTable(
      `Durable enqueue, ${adapter}: from the server by hand to the product, ${turns[0]?.length} turns`,
      ['rung', 'CPU µs/request', 'least', 'added', 'collector', 'requests/s', 'rate / by hand with index'],
      rows,
    )
  }
}

/** Returns the servers from the lowest rung to the product. */
function rungsOf(adapter: Adapter): Rival[] {
  const byHand = RUNGS.map((name, rung) => ({
    name,
    start: () => {
      const dataDir = dataDirectory()
      const env = { ENGINE: adapter, RUNG: String(rung), DATA_DIR: dataDir, JWT_SECRET }
      return countingGc(dataDir, (gc) => startRival(name, 'by-hand.js', { ...env, ...gc }))
    },
  }))
  const start = (): Promise<Server> => {
    const dataDir = dataDirectory()
    return countingGc(dataDir, (gc) => startWaybill({ adapter, dataDir, env: { ...NO_QUEUE_LIMIT, ...gc } }))
  }
  return [...byHand, { name: PRODUCT, start }]
}

/** Starts a server that counts the time of the garbage collector. @param start takes what its environment needs for that */
async function countingGc(
  directory: string,
  start: (env: Record<string, string>) => Promise<Server>,
): Promise<Server> {
  const file = join(directory, 'gc-ms')
  const server = await start({ GC_FILE: file, NODE_OPTIONS: `--import=${GC_TIME}` })
  return { ...server, gcMs: () => Number(readFileSync(file, 'utf8')) }
}
