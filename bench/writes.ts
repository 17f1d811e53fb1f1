/** Counts what the product writes to its disk: bytes and syncs for each command trip, and while it is idle. */
import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { commands, NO_QUEUE_LIMIT } from './enqueue.ts'
import type { Options } from './rounds.ts'
import { dataDirectory, startWaybill, tokensFor } from './server.ts'
import { printTable } from './table.ts'
import { measure } from './wrk.ts'

/** Connections that make trips at the same time: more share a sync. */
const CROWDS = [1, 64]
/** Pause after a load, in which deferred work is written. */
const REST_MS = 5_000
const HOUR_MS = 3_600_000
/** Beginnings of calls in a trace, on the files of the database. A call of a busy process may end on a later line. */
const SYNC = /^\d+ +f(?:data)?sync\(\d+<[^>]*\.db/
const WRITE = /^\d+ +pwrite64\(\d+<[^>]*\.db[^>]*>, ".*"(?:\.\.\.)?, (\d+), /

interface Written {
  readonly bytes: number
  readonly syncs: number
}

export async function writes({ before, seconds, minutes }: Options): Promise<void> {
  const programs: [name: string, program: string | undefined][] = [['this build', undefined]]
  if (before !== null) programs.unshift(['before', join(resolve(before), 'dist/bin/waybill.js')])
  const rows: string[][] = []
  for (const [name, program] of programs) {
    const trace = join(mkdtempSync(join(tmpdir(), 'bench-')), 'trace')
    const calls = 'trace=pwrite64,fsync,fdatasync'
    const server = await startWaybill({
      adapter: 'node',
      dataDir: dataDirectory(),
      env: NO_QUEUE_LIMIT,
      program,
      under: ['strace', '-f', '-y', '--seccomp-bpf', '-o', trace, '-e', calls],
    })
    try {
      const token = (await tokensFor([server]))(server)
      for (const connections of CROWDS) {
        const start = statSync(trace).size
        const load = commands('trip', { token, seconds, connections, devices: 1_000 })
        const { printed } = await measure(server, load)
        await pause(REST_MS)
        const trips = printed.trips as number
        const { bytes, syncs } = written(trace, start)
        rows.push([
          `trip, ${connections} connections, ${name}`,
          (bytes / trips).toFixed(0),
          (syncs / trips).toFixed(3),
        ])
      }
      const start = statSync(trace).size
      await pause(minutes * 60_000)
      const { bytes, syncs } = written(trace, start)
      const hours = (minutes * 60_000) / HOUR_MS
      rows.push([`idle hour, ${name}`, (bytes / hours).toFixed(0), (syncs / hours).toFixed(0)])
    } finally {
      await server.stop()
    }
  }
  printTable('Writes to the disk', ['work', 'bytes', 'syncs'], rows)
}

/** Sums the calls on the files of the database since a position in a trace. */
export function written(trace: string, start: number): Written {
  let [bytes, syncs] = [0, 0]
  for (const line of readFileSync(trace).subarray(start).toString('latin1').split('\n')) {
    if (SYNC.test(line)) syncs++
    else bytes += Number(WRITE.exec(line)?.[1] ?? 0)
  }
  return { bytes, syncs }
}
