/** A full trip: enqueue, poll, acknowledge, each durable before its answer. */

import { DEVICES, loadsOf, productOn, REDIS, startFastifyOnRedis } from './enqueue.ts'
import { CONNECTIONS, type Options, type Rival, roundsInBothOrders } from './rounds.ts'
import { ADAPTERS, type Adapter, dataDirectory, startWaybill } from './server.ts'
import { atLeast, median, medianRatio, printTable } from './table.ts'
import type { Measured } from './wrk.ts'

/** Trips a second, against Redis behind fastify. */
const WANTED: Record<Adapter, number> = { uws: 2.2, node: 1.5 }

const RIVALS: readonly Rival[] = [
  ...ADAPTERS.map((adapter) => ({
    name: productOn(adapter),
    start: () => startWaybill({ adapter, dataDir: dataDirectory() }),
  })),
  { name: REDIS, start: startFastifyOnRedis },
]

export async function trip({ runs, seconds }: Options): Promise<void> {
  const turns = await roundsInBothOrders(RIVALS, runs, loadsOf('trip', seconds))
  const rates = turns.map((each) => each.map((run) => run.perSecond * tripsARequest(run)))
  const redis = rates.at(-1) as number[]
  const rows = RIVALS.flatMap(({ name }, i) => {
    const runsOf = turns[i] as Measured[]
    if (runsOf.length === 0) return []
    const adapter = ADAPTERS[i]
    return [
      [
        name,
        Math.round(median(rates[i] as number[])).toLocaleString('en'),
        median(runsOf.map((run) => run.cpuMicros / tripsARequest(run))).toFixed(1),
        adapter && redis.length > 0 ? atLeast(medianRatio(rates[i] as number[], redis), WANTED[adapter]) : '',
      ],
    ]
  })
  printTable(
    `Enqueue, poll and acknowledge, ${CONNECTIONS} connections, ${DEVICES.toLocaleString('en')} devices`,
    ['server', 'trips/s', 'CPU µs/trip', 'rate / Redis'],
    rows,
  )
}

/** Returns the share of the requests of a run that ended a trip. */
const tripsARequest = ({ requests, printed }: Measured): number => (printed.trips as number) / requests
