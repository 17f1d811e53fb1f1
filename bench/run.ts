/** The command: which tables, how many runs; prints the caveat above them. */
import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { enqueue } from './enqueue.ts'
import { growth, startUp } from './growth.ts'
import { ladder } from './ladder.ts'
import { lists } from './lists.ts'
import { logins } from './logins.ts'
import { memory } from './memory.ts'
import { mqttCrowd, mqttMemory, mqttRates } from './mqtt.ts'
import { page } from './page.ts'
import { pair } from './pair.ts'
import { postgres } from './postgres.ts'
import { presence } from './presence.ts'
import type { Options } from './rounds.ts'
import { routing } from './routing.ts'
import { searches } from './searches.ts'
import { slowDisk } from './slow-disk.ts'
import { stands } from './stands.ts'
import { steady } from './steady.ts'
import { trip } from './trip.ts'
import { writes } from './writes.ts'

const TABLES: Record<string, (options: Options) => Promise<void>> = {
  routing,
  enqueue,
  ladder,
  trip,
  growth,
  start: startUp,
  lists,
  searches,
  page,
  'slow-disk': slowDisk,
  memory,
  logins,
  stands,
  steady,
  writes,
  mqtt: mqttRates,
  'mqtt-memory': mqttMemory,
  'mqtt-crowd': mqttCrowd,
  presence,
  postgres,
  pair,
}

const USAGE = `npm run bench -- [table ...] [--runs 3] [--seconds 4] [--minutes 10] [--messages 1000000]
Tables: ${Object.keys(TABLES).join(', ')}; all but pair when none is named.
npm run bench -- pair --before DIR --runs 9 compares this build with that of an earlier clone.
npm run bench -- writes --before DIR compares the bytes and syncs.`

const CAVEAT = `
Server on core 0, load (wrk, 64 connections) on core 1 of one machine, over loopback, the servers in turns of a second;
medians of the runs, ratios as medians of the runs' own ratios. "CPU" is the server's user and system time in all its
threads, the kernel's share of its sockets included, divided by the requests it answered. Absolute figures hold for this
machine and this hour only, on a shared one they swing by a third; ratios within one table are what to read, and those
only to about 5 %.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    minutes: { type: 'string', default: '10' },
    messages: { type: 'string', default: '1000000' },
    before: { type: 'string' },
  },
})
const unknown = positionals.filter((name) => !Object.hasOwn(TABLES, name))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}\n${USAGE}`)
  process.exit(2)
}
try {
  execFileSync('wrk', ['-v'], { stdio: 'ignore' })
} catch (error) {
  // `wrk -v` ends with 1 where it is there.
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
    console.error('wrk makes the load, and is not installed: apt-get install wrk')
    process.exit(1)
  }
}
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.versions.node}${CAVEAT}`)
const all = Object.keys(TABLES).filter((name) => name !== 'pair')
for (const name of positionals.length > 0 ? positionals : all) {
  await TABLES[name]?.({
    runs: Number(values.runs),
    seconds: Number(values.seconds),
    minutes: Number(values.minutes),
    messages: Number(values.messages),
    before: values.before ?? null,
  })
}
