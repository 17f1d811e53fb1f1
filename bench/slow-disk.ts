/** Measures a server whose syncs are slow: the waiting time of other requests while commands are stored, and the rate of the commands. */
import { execFileSync } from 'node:child_process'
import { commands, DEVICES, NO_QUEUE_LIMIT } from './enqueue.ts'
import { CONNECTIONS, type Options } from './rounds.ts'
import { ADAPTERS, dataDirectory, startWaybill, tokensFor } from './server.ts'
import { atMost, median, printTable } from './table.ts'
import { type Load, type Measured, measure } from './wrk.ts'

const DELAY_MICROS = 20_000
const WANTED_P99_MS = 50
/** Command that delays syncs. With `--seccomp-bpf` strace stops at syncs alone, so other calls cost what they always do. */
const SLOW = [
  'strace',
  '-f',
  '--seccomp-bpf',
  '-o',
  '/dev/null',
  '-e',
  'trace=fdatasync,fsync',
  '-e',
  `inject=fdatasync,fsync:delay_exit=${DELAY_MICROS}`,
]
const OTHERS = [
  { title: 'GET /auth/me', path: '/auth/me' },
  { title: 'GET /producer/getMessageStatus/1', path: '/producer/getMessageStatus/1' },
  { title: 'GET /consumer/getLastMessage/d1', path: '/consumer/getLastMessage/d1' },
]

export async function slowDisk({ runs, seconds }: Options): Promise<void> {
  try {
    execFileSync('strace', ['-V'], { stdio: 'ignore' })
  } catch {
    console.log('\nThe slow disk is left out: strace is not installed (apt-get install strace).')
    return
  }
  const rows: string[][] = []
  for (const adapter of ADAPTERS) {
    const dataDir = dataDirectory()
    const server = await startWaybill({ adapter, dataDir, env: NO_QUEUE_LIMIT, under: SLOW })
    try {
      const token = (await tokensFor([server]))(server)
      const stored = () => measure(server, commands('enqueue', { token, seconds: seconds + 1 }))
      await stored()
      for (const { title, path } of OTHERS) {
        const load: Load = { path, connections: 4, seconds, headers: { authorization: `Bearer ${token}` } }
        const others: Measured[] = []
        const enqueues: Measured[] = []
        for (let run = 0; run < runs; run++) {
          const [enqueue, other] = await Promise.all([stored(), measure(server, load)])
          enqueues.push(enqueue)
          others.push(other)
        }
        const rate = Math.round(median(enqueues.map(({ perSecond }) => perSecond)))
        const p99 = median(others.map(({ p99Ms }) => p99Ms))
        rows.push([`${title} (${adapter})`, atMost(p99, WANTED_P99_MS, 1), rate.toLocaleString('en')])
      }
    } finally {
      await server.stop()
    }
  }
  printTable(
    `Every sync ${DELAY_MICROS / 1_000} ms slower, ${CONNECTIONS} connections enqueue for ${DEVICES.toLocaleString('en')} devices`,
    ['other request', 'p99 ms', 'enqueues/s meanwhile'],
    rows,
  )
}
