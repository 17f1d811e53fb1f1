/** Two builds of the product side by side, in turns, so that a change shows beside the machine's own swing. */
import { join, resolve } from 'node:path'
import { commands, NO_QUEUE_LIMIT } from './enqueue.ts'
import { mqttTurn, startMqtt } from './mqtt.ts'
import type { Options } from './rounds.ts'
import { ADAPTERS, dataDirectory, type Server, startWaybill, tokensFor } from './server.ts'
import { atMost, median, printTable } from './table.ts'
import { measure } from './wrk.ts'

/** Cost of the present build, against the earlier one. */
const WANTED = 1.03
const DEVICES = 50

/** CPU microseconds for one unit of work. */
type Turn = (server: Server) => Promise<number>

/** @param options.before directory of the earlier clone, built */
export async function pair({ before, runs, seconds }: Options): Promise<void> {
  if (before === null) throw new Error('Name the clone of the earlier build with --before DIR.')
  const program = join(resolve(before), 'dist/bin/waybill.js')
  const rows: string[][] = []
  for (const adapter of ADAPTERS) {
    for (const mode of ['enqueue', 'trip'] as const) {
      const start = (earlier?: string) =>
        startWaybill({ adapter, dataDir: dataDirectory(), env: NO_QUEUE_LIMIT, program: earlier })
      const servers = [await start(program), await start()] as const
      const tokenFor = await tokensFor(servers)
      const turn: Turn = async (server) => {
        const { cpuMicros, requests, printed } = await measure(
          server,
          commands(mode, { token: tokenFor(server), seconds }),
        )
        return mode === 'trip' ? (cpuMicros * requests) / (printed.trips as number) : cpuMicros
      }
      rows.push([`${mode}, ${adapter}`, ...(await inTurns(servers, turn, runs))])
    }
  }
  const brokers = [await startMqtt(program), await startMqtt()] as const
  const brokerOf = (server: Server) =>
    brokers.find((broker) => broker.server === server) as (typeof brokers)[0]
  const turn: Turn = (server) => mqttTurn(brokerOf(server), DEVICES, seconds)
  const servers = [brokers[0].server, brokers[1].server] as const
  rows.push([`MQTT, ${DEVICES} devices`, ...(await inTurns(servers, turn, runs))])
  printTable(
    `This build against that in ${before}, ${runs} turns each`,
    ['work', 'CPU µs before', 'CPU µs now', 'ratio', 'least', 'most'],
    rows,
  )
}

/** Measures both servers turn by turn, the order changing each time, and stops them. */
async function inTurns(servers: readonly [Server, Server], turn: Turn, runs: number): Promise<string[]> {
  const costs: [number[], number[]] = [[], []]
  try {
    for (const server of servers) await turn(server)
    for (let run = 0; run < runs; run++) {
      for (const n of run % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
        costs[n].push(await turn(servers[n]))
    }
  } finally {
    for (const server of servers) await server.stop()
  }
  const [before, now] = costs
  const ratios = now.map((cost, run) => cost / (before[run] as number))
  return [
    median(before).toFixed(1),
    median(now).toFixed(1),
    atMost(median(ratios), WANTED),
    Math.min(...ratios).toFixed(2),
    Math.max(...ratios).toFixed(2),
  ]
}
