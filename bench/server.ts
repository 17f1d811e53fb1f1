/** Starts servers as processes of their own, pinned to one core, and reads what they cost. Knows no load. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The servers have this core, the load the other one. */
export const SERVER_CORE = '0'
export const LOAD_CORE = '1'
/** `CLK_TCK`, the unit of times in /proc: 100 a second on Linux, whatever the machine. */
const TICK_MS = 10
const PAGE_BYTES = 4_096

const HERE = fileURLToPath(new URL('.', import.meta.url))
const WAYBILL = join(HERE, '../dist/bin/waybill.js')
export const ENDPOINTS = join(HERE, 'endpoints')

/** Functions that end processes and remove files when this process ends, in whatever way. */
const leftOvers = new Set<() => void>()
process.once('exit', () => {
  for (const remove of leftOvers) remove()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Calls a function when this process ends before its own end. Returns a function that takes this back. */
export function whenEnding(end: () => void): () => void {
  leftOvers.add(end)
  return () => leftOvers.delete(end)
}

export type Adapter = 'node' | 'uws'
export const ADAPTERS: readonly Adapter[] = ['uws', 'node']

export interface Server {
  readonly name: string
  readonly url: string
  readonly pid: number
  /** CPU time of all threads so far, those of the servers it stands on included. */
  cpuMs(): number
  /** Time of the garbage collector on the event loop so far; only of a server that counts it. */
  readonly gcMs?: () => number
  stop(): Promise<void>
}

export interface Program {
  /** Command and arguments. */
  readonly argv: readonly string[]
  /** Address of the server. Without it, the server has to write a line of JSON with its `http` or `url`. */
  readonly url?: string
  /** Text that a server with `url` writes when it listens. */
  readonly listens?: string
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Servers that this one stands on, whose cost counts too and which end with it. */
  readonly below?: readonly Server[]
}

/** Starts a program on the servers' core. Rejects with what it wrote when it ends before it listens. */
export async function startServer(
  name: string,
  { argv, env, url: known, listens, below = [] }: Program,
): Promise<Server> {
  const child = spawn('taskset', ['-c', SERVER_CORE, ...argv], {
    cwd: HERE,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (): void => {
    child.kill('SIGKILL')
  }
  leftOvers.add(kill)
  const closed = once(child, 'close')
  let wrote = ''
  child.stderr.on('data', (text) => {
    wrote += text
  })
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      wrote += `${line}\n`
      const found = known === undefined ? urlIn(line) : line.includes(listens as string) ? known : null
      if (found) resolve(found)
    })
    closed.then(() => reject(new Error(`${name} ended before it listened:\n${wrote}`)), reject)
  })
  // Drops later output, so that it does not pile up.
  wrote = ''
  const pid = tracedBy(child.pid as number)
  return {
    name,
    url,
    pid,
    cpuMs: () => processCpuMs(pid) + below.reduce((sum, server) => sum + server.cpuMs(), 0),
    async stop() {
      process.kill(pid, 'SIGTERM')
      await closed
      leftOvers.delete(kill)
      for (const server of below) await server.stop()
    },
  }
}

export interface WaybillOptions {
  readonly adapter: Adapter
  readonly dataDir: string
  readonly prefix?: string
  /** Address for MQTT; off by default. */
  readonly mqtt?: string
  readonly env?: Readonly<Record<string, string>>
  /** The command's file, of another build; that of this clone if left out. */
  readonly program?: string | undefined
  /** Program and arguments that start node itself, such as strace. */
  readonly under?: readonly string[]
  readonly below?: readonly Server[]
}

/** The product, through its real command. */
export function startWaybill({
  adapter,
  dataDir,
  prefix = '@broker',
  mqtt = 'off',
  env,
  program = WAYBILL,
  under = [],
  below = [],
}: WaybillOptions): Promise<Server> {
  const flags = ['--host', '127.0.0.1:0', '--mqtt', mqtt, '--adapter', adapter, '--prefix', prefix]
  return startServer(`waybill (${adapter})`, {
    argv: [...under, process.execPath, program, ...flags, '--data-dir', dataDir],
    env: { JWT_SECRET, ADMIN_PASSWORD, WAYBILL_LOG_LEVEL: 'info', ...env },
    below,
  })
}

/** @param file in `rivals/` */
export function startRival(
  name: string,
  file: string,
  env?: Record<string, string>,
  below: readonly Server[] = [],
): Promise<Server> {
  return startServer(name, { argv: [process.execPath, join(HERE, 'rivals', file)], env, below })
}

/** Product and rivals check tokens that this one secret signed. */
export const JWT_SECRET = randomBytes(32).toString('hex')
export const ADMIN_PASSWORD = randomBytes(12).toString('hex')

/** A token for the first admin; rivals with the same secret take it too. */
export async function logIn(url: string): Promise<string> {
  const response = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ deviseId: 'admin', password: ADMIN_PASSWORD }),
  })
  if (!response.ok) throw new Error(`login failed: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { accessToken: string }).accessToken
}

/** A function that has a token for each server: its own for the product, any for a rival. */
export async function tokensFor(products: readonly Server[]): Promise<(server: Server) => string> {
  const tokens = new Map<Server, string>()
  for (const server of products) tokens.set(server, await logIn(server.url))
  const any = tokens.values().next().value as string
  return (server) => tokens.get(server) ?? any
}

/** A directory on the disk of the clone (a temporary one may be in memory, where a sync costs nothing). */
export function dataDirectory(): string {
  const parent = join(HERE, 'data')
  mkdirSync(parent, { recursive: true })
  const path = mkdtempSync(join(parent, 'bench-'))
  leftOvers.add(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
}

export function handles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** The size of the write-ahead log in a data directory. */
export function walBytes(dataDir: string): number {
  const logs = readdirSync(dataDir).filter((name) => name.endsWith('-wal'))
  return logs.reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0)
}

/**
 * Returns the CPU time of a process. proc(5): utime and stime are fields 14 and 15, those of ended children 16 and 17; the
 * name, field 2, may hold blanks, but ends with the last `)`.
 */
export function processCpuMs(pid: number, { withEnded = false } = {}): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11)
  return (user + system + (withEnded ? endedUser + endedSystem : 0)) * TICK_MS
}

/** taskset becomes the program it starts, strace stays and has it as a child. */
function tracedBy(pid: number): number {
  if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'strace') return pid
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}

function urlIn(line: string): string | null {
  try {
    const { http, url = http } = JSON.parse(line) as { http?: unknown; url?: unknown }
    return typeof url === 'string' ? url.replace(/\/$/, '') : null
  } catch {
    return null
  }
}
