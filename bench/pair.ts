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
const DEVICES = [50, 1_000]
const FORTH = [0, 1] as const
const BACK = [1, 0] as const

/** A server of one of the builds, with what its load needs. */
interface Started {
  readonly server: Server
  /** Returns the CPU microseconds of one unit of work. */
  readonly turn: () => Promise<number>
}

/** Starts a server. @param program the command's file, of another build */
type Start = (program?: string) => Promise<Started>

/** @param options.before directory of the earlier clone, built */
export async function pair({ before, runs, seconds }: Options): Promise<void> {
  if (before === null) throw new Error('Name the clone of the earlier build with --before DIR.')
  const programs = [join(resolve(before), 'dist/bin/waybill.js'), undefined] as const
  const rows: string[][] = []
  for (const adapter of ADAPTERS) {
    for (const mode of ['enqueue', 'poll', 'trip'] as const) {
      const start: Start = async (program) => {
        const server = await startWaybill({ adapter, dataDir: dataDirectory(), env: NO_QUEUE_LIMIT, program })
        const token = (await tokensFor([server]))(server)
        return { server, turn: () => httpTurn(server, mode, token, seconds) }
      }
      rows.push([`${mode}, ${adapter}`, ...(await compare(programs, start, runs))])
    }
  }
  for (const devices of DEVICES) {
    const start: Start = async (program) => {
      const broker = await startMqtt(program)
      return { server: broker.server, turn: () => mqttTurn(broker, devices, seconds) }
    }
    rows.push([`MQTT, ${devices} devices`, ...(await compare(programs, start, runs))])
  }
  printTable(
    `This build against that in ${before}, ${2 * Math.ceil(runs / 2)} turns each`,
    ['work', 'CPU µs before', 'CPU µs now', 'ratio', 'least', 'most'],
    rows,
  )
}

async function httpTurn(
  server: Server,
  mode: 'enqueue' | 'poll' | 'trip',
  token: string,
  seconds: number,
): Promise<number> {
  const { cpuMicros, requests, printed } = await measure(server, commands(mode, { token, seconds }))
  return mode === 'trip' ? (cpuMicros * requests) / (printed.trips as number) : cpuMicros
}

/**
 * Measures both builds turn by turn, the order changing each time. Half of the turns are those of servers that started in the
 * other order: an MQTT server that started second once took 1.17 of the other's CPU, and 0.995 when it started first.
 */
async function compare(
  programs: readonly (string | undefined)[],
  start: Start,
  runs: number,
): Promise<string[]> {
  const costs: [number[], number[]] = [[], []]
  for (const order of [FORTH, BACK]) {
    const started: Started[] = []
    try {
      for (const n of order) started[n] = await start(programs[n])
      for (const n of order) await started[n]?.turn()
      for (let run = 0; run < runs / 2; run++) {
        for (const n of run % 2 === 0 ? FORTH : BACK) costs[n].push(await (started[n] as Started).turn())
      }
    } finally {
      for (const each of started) await each?.server.stop()
    }
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
