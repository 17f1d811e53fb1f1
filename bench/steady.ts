/** Measures the p99 of an enqueue and of a poll at a third of the product's maximum, beside the server by hand. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { commands, DEVICES, NO_QUEUE_LIMIT } from './enqueue.ts'
import { CONNECTIONS, type Options } from './rounds.ts'
import {
  ADAPTERS,
  dataDirectory,
  JWT_SECRET,
  LOAD_CORE,
  type Server,
  startRival,
  startWaybill,
  tokensFor,
} from './server.ts'
import type { SteadyJob } from './steady-load.ts'
import { atMost, median, medianRatio, printTable } from './table.ts'
import { measure } from './wrk.ts'

const WANTED = 1.3
const SHARE = 1 / 3
const WORKS = ['enqueue', 'poll'] as const
const LOAD = fileURLToPath(new URL('steady-load.ts', import.meta.url))

export async function steady({ runs, seconds }: Options): Promise<void> {
  const rows: string[][] = []
  for (const adapter of ADAPTERS) {
    const ours = await startWaybill({ adapter, dataDir: dataDirectory(), env: NO_QUEUE_LIMIT })
    const env = { ENGINE: adapter, RUNG: '1', DATA_DIR: dataDirectory(), JWT_SECRET }
    const byHand = await startRival(`by hand (${adapter})`, 'by-hand.js', env)
    try {
      const token = (await tokensFor([ours]))(ours)
      for (const work of WORKS) {
        const { perSecond: most } = await measure(ours, commands(work, { token, seconds }))
        // The queues of the rival get messages too.
        if (work === 'enqueue') await measure(byHand, commands(work, { token, seconds: 1 }))
        const job = {
          token,
          do: work,
          devices: DEVICES,
          perSecond: most * SHARE,
          connections: CONNECTIONS,
          seconds,
        }
        const [us, them]: [number[], number[]] = [[], []]
        for (let run = 0; run < runs; run++) {
          us.push(await p99(ours, job))
          them.push(await p99(byHand, job))
        }
        const ratio = atMost(medianRatio(us, them), WANTED)
        rows.push([
          `${work} (${adapter})`,
          Math.round(most * SHARE).toLocaleString('en'),
          median(us).toFixed(2),
          median(them).toFixed(2),
          ratio,
        ])
      }
    } finally {
      await ours.stop()
      await byHand.stop()
    }
  }
  printTable(
    "p99 at a third of the product's maximum",
    ['work', 'requests/s', 'waybill p99 ms', 'by hand p99 ms', 'ratio'],
    rows,
  )
}

async function p99(server: Server, job: Omit<SteadyJob, 'port'>): Promise<number> {
  const whole: SteadyJob = { ...job, port: Number(new URL(server.url).port) }
  const argv = ['-c', LOAD_CORE, process.execPath, '--import', 'tsx', LOAD, JSON.stringify(whole)]
  const { stdout } = await promisify(execFile)('taskset', argv)
  return (JSON.parse(stdout) as { p99Ms: number }).p99Ms
}
