/** Measures the cost of a command with few and with many pending messages, and the time of a start with many. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { commands, DEVICES, NO_QUEUE_LIMIT } from './enqueue.ts'
import { CONNECTIONS, cpuOf, type Options, rounds } from './rounds.ts'
import { ADAPTERS, dataDirectory, type Server, startWaybill, tokensFor } from './server.ts'
import { atMost, median, medianRatio, printTable } from './table.ts'
import type { Measured } from './wrk.ts'

const FEW = 1_000
const WANTED = 1.2
/** CPU of a start with this many waiting messages. */
const START_WANTED_CPU_SEC = 1.5
const STARTED_WAITING = 50_000
/** The server removes nothing during the measurement. */
const START_ENV = { ...NO_QUEUE_LIMIT, WAYBILL_HISTORY_DAYS: '0' }
/** One device has few connections: more would only poll the same message at a time. */
const QUEUES = [
  { devices: DEVICES, connections: CONNECTIONS, title: `${DEVICES.toLocaleString('en')} devices` },
  { devices: 1, connections: 4, title: 'one device' },
]
const MODES = [
  { mode: 'poll', title: 'poll' },
  { mode: 'trip', title: 'enqueue, poll, acknowledge' },
] as const

export async function growth({ runs, seconds, messages }: Options): Promise<void> {
  const rows: string[][] = []
  for (const { devices, connections, title } of QUEUES) {
    for (const adapter of ADAPTERS) {
      const servers: Server[] = []
      try {
        for (const count of [FEW, messages]) {
          const dataDir = await filled(count, devices)
          servers.push(await startWaybill({ adapter, dataDir, env: NO_QUEUE_LIMIT }))
        }
        const tokenFor = await tokensFor(servers)
        for (const { mode, title: what } of MODES) {
          const measured = await rounds(servers, runs, (server) =>
            commands(mode, { token: tokenFor(server), seconds, devices, connections }),
          )
          const [few = [], many = []] = servers.map((server) => cpuOf(measured.get(server) as Measured[]))
          const ratio = atMost(medianRatio(many, few), WANTED)
          rows.push([
            `${title}: ${what} (${adapter})`,
            median(few).toFixed(1),
            median(many).toFixed(1),
            ratio,
          ])
        }
      } finally {
        for (const server of servers) await server.stop()
      }
    }
  }
  const columns = [FEW, messages].map((count) => `CPU µs/request, ${count.toLocaleString('en')} wait`)
  printTable('Growth', ['request', ...columns, 'ratio'], rows)
}

/** Measures a start: from the command to the log line with the address. */
export async function startUp({ runs, messages }: Options): Promise<void> {
  const rows: string[][] = []
  for (const [stored, waiting] of [
    [0, 0],
    [messages, STARTED_WAITING],
    [messages, messages],
  ] as const) {
    const dataDir = await filledWith('fill-history.ts', stored, waiting)
    const tookSec: number[] = []
    const cpuSec: number[] = []
    // The first one makes the admin, and reads from a cold disk.
    for (let run = 0; run <= runs; run++) {
      const begun = performance.now()
      const server = await startWaybill({ adapter: 'node', dataDir, env: START_ENV })
      if (run > 0) {
        tookSec.push((performance.now() - begun) / 1_000)
        cpuSec.push(server.cpuMs() / 1_000)
      }
      await server.stop()
    }
    const cpu = median(cpuSec)
    rows.push([
      stored.toLocaleString('en'),
      waiting.toLocaleString('en'),
      median(tookSec).toFixed(2),
      waiting === STARTED_WAITING ? atMost(cpu, START_WANTED_CPU_SEC) : cpu.toFixed(2),
    ])
  }
  printTable('Start', ['stored', 'waiting', 'seconds', 'CPU seconds'], rows)
}

/** @returns a data directory with messages that wait, as many for each device */
function filled(messages: number, devices: number): Promise<string> {
  return filledWith('fill.ts', messages, devices)
}

async function filledWith(file: string, ...numbers: readonly number[]): Promise<string> {
  const dataDir = dataDirectory()
  const script = fileURLToPath(new URL(file, import.meta.url))
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script, dataDir, ...numbers.map(String)])
  return dataDir
}
