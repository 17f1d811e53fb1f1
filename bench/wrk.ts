/** Runs wrk on the core that the servers do not have, and reads what it reports. */
import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { LOAD_CORE, type Server } from './server.ts'

export interface Load {
  readonly path: string
  readonly connections: number
  readonly seconds: number
  /** Script in `lua/` that makes the requests. */
  readonly script?: string
  /** Environment of the script. */
  readonly env?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

export interface Measured {
  readonly requests: number
  readonly perSecond: number
  /** CPU time of all threads of the server, until the server rests again. */
  readonly cpuMicros: number
  /** Part of it that the garbage collector took on the event loop; 0 for a server that does not count it. */
  readonly gcMicros: number
  readonly p99Ms: number
  /** Values that the script's `done` printed as `name=value`. */
  readonly printed: Readonly<Record<string, number>>
}

/** A server rests when it takes no more CPU time than this in that time. */
const REST_MS = 10
const REST_AFTER_MS = 500
/** One that never does is waited for no longer. */
const REST_TURNS = 40

const LUA = fileURLToPath(new URL('lua/', import.meta.url))

/** @throws {Error} when a request failed or was refused: such a figure would mean nothing */
export async function measure(server: Server, load: Load): Promise<Measured> {
  const before = server.cpuMs()
  const gcBefore = gcMs(server)
  const report = await wrk(server.url, load)
  await atRest(server)
  return {
    ...report,
    cpuMicros: ((server.cpuMs() - before) * 1_000) / report.requests,
    gcMicros: ((gcMs(server) - gcBefore) * 1_000) / report.requests,
  }
}

const gcMs = (server: Server): number => server.gcMs?.() ?? 0

/** Waits until the server rests, so that its deferred work does not fall into the turn of the next server. */
async function atRest(server: Server): Promise<void> {
  let last = Number.NEGATIVE_INFINITY
  for (let turn = 0; turn < REST_TURNS && server.cpuMs() - last > REST_MS; turn++) {
    last = server.cpuMs()
    await setTimeout(REST_AFTER_MS)
  }
}

async function wrk(
  url: string,
  { path, connections, seconds, script, env, headers = {} }: Load,
): Promise<Omit<Measured, 'cpuMicros' | 'gcMicros'>> {
  const argv = [
    '-c',
    LOAD_CORE,
    'wrk',
    '--latency',
    '--timeout',
    '30s',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
  ]
  for (const [name, value] of Object.entries(headers)) argv.push('-H', `${name}: ${value}`)
  if (script) argv.push('-s', `${LUA}${script}`)
  argv.push(`${url}${path}`)
  const { stdout } = await promisify(execFile)('taskset', argv, { env: { ...process.env, ...env } })
  const refused = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout)?.[0]
  if (refused) throw new Error(`wrk ${path}: ${refused}\n${stdout}`)
  const [, count, time] = /(\d+) requests in ([\d.]+\w+)/.exec(stdout) as RegExpExecArray
  const requests = Number(count)
  const p99 = /99%\s+([\d.]+\w+)/.exec(stdout)?.[1] as string
  const printed = [...stdout.matchAll(/^(\w+)=(\d+)$/gm)].map(([, name, value]) => [name, Number(value)])
  return {
    requests,
    perSecond: requests / (millis(time as string) / 1_000),
    p99Ms: millis(p99),
    printed: Object.fromEntries(printed),
  }
}

/** wrk writes `310.00us`, `2.03ms`, `1.50s`, `1.20m`. */
function millis(text: string): number {
  const units: Record<string, number> = { us: 0.001, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
  const [, number, unit] = /^([\d.]+)(\w+)$/.exec(text) as RegExpExecArray
  return Number(number) * (units[unit as string] as number)
}
