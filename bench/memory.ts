/** Memory at idle, and memory, handles and write-ahead log while full trips go on. */
import { setTimeout as pause } from 'node:timers/promises'
import { commands } from './enqueue.ts'
import type { Options } from './rounds.ts'
import {
  ADAPTERS,
  dataDirectory,
  handles,
  residentBytes,
  startWaybill,
  tokensFor,
  walBytes,
} from './server.ts'
import { atMost, printTable } from './table.ts'
import { measure } from './wrk.ts'

const MIB = 1_048_576
const WANTED_IDLE_MIB = 75
/** The second half of the soak against the end of its first: level, but for the collector's mood. */
const WANTED_GROWTH = 1.15
const SAMPLES = 10
/** Started, and nothing asked of it: V8 collects what starting left behind when it has had nothing to do for a while. */
const IDLE_MS = 60_000
/** Pause after each load, in which its connections close. */
const SETTLE_MS = 1_000

export async function memory({ minutes }: Options): Promise<void> {
  for (const adapter of ADAPTERS) {
    const dataDir = dataDirectory()
    const server = await startWaybill({ adapter, dataDir, mqtt: '127.0.0.1:0' })
    try {
      await pause(IDLE_MS)
      const idle = residentBytes(server.pid) / MIB
      const token = (await tokensFor([server]))(server)
      const resident: number[] = []
      const rows: string[][] = []
      for (let sample = 1; sample <= SAMPLES; sample++) {
        const seconds = Math.max(1, Math.round((minutes * 60) / SAMPLES))
        const { perSecond } = await measure(server, commands('trip', { token, seconds }))
        await pause(SETTLE_MS)
        const mib = residentBytes(server.pid) / MIB
        resident.push(mib)
        rows.push([
          String(sample * seconds),
          mib.toFixed(0),
          String(handles(server.pid)),
          (walBytes(dataDir) / MIB).toFixed(1),
          Math.round(perSecond).toLocaleString('en'),
        ])
      }
      const half = resident[SAMPLES / 2 - 1] as number
      printTable(
        `Memory (${adapter}): idle ${atMost(idle, WANTED_IDLE_MIB, 0)} MiB; end / half ${atMost((resident.at(-1) as number) / half, WANTED_GROWTH)}`,
        ['seconds of load', 'resident MiB', 'handles', 'WAL MiB', 'requests/s'],
        rows,
      )
    } finally {
      await server.stop()
    }
  }
}
