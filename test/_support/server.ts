/** Runs the real command in a process of its own: as a server with `startServer`, to its end with `runCommand`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { whenDone } from './cleanup.ts'

export interface CommandOptions {
  /** What follows the command's name; `--data-dir` is added when `dataDir` is given. */
  readonly args?: readonly string[]
  /** Added to an environment that holds PATH and HOME only. */
  readonly env?: Readonly<Record<string, string>>
  readonly dataDir?: string
  /** The directory it runs in; the project's own by default. */
  readonly cwd?: string
  /** What node runs: the clone by default, or what `buildPackage` gives. */
  readonly program?: readonly string[]
}

export interface LogLine {
  readonly level: string
  readonly msg: string
  readonly [field: string]: unknown
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Command {
  readonly pid: number
  /** Every line of the log so far; it grows. */
  readonly log: readonly LogLine[]
  /** The first line of the log, written or still to come, that fits. Rejects when the process ends without it. */
  logged(fits: (line: LogLine) => boolean): Promise<LogLine>
  /** Sends a signal, SIGTERM by default; resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<Ended>
  readonly exited: Promise<Ended>
}

export interface Server extends Command {
  /** Where it listens: `http://127.0.0.1:PORT`. */
  readonly url: string
}

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = fileURLToPath(new URL('../../bin/waybill.ts', import.meta.url))
const TSX = import.meta.resolve('tsx')
export const CLONE: readonly string[] = ['--import', TSX, BIN]
/** A free port, no MQTT: what a server gets that is given no arguments of its own. */
export const LOCAL = ['--host', '127.0.0.1:0', '--mqtt', 'off']

/** Starts a server on a free port and waits until it listens. Rejects with what it wrote when it ends before. */
export async function startServer({ args = LOCAL, ...options }: CommandOptions = {}): Promise<Server> {
  const command = spawnCommand({ args, ...options })
  const { url } = await command.logged((line) => typeof line.url === 'string')
  return { ...command, url: url as string }
}

/** An address where nobody listens. */
export async function nobodysUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

/** Runs a command that ends by itself. */
export function runCommand(options: CommandOptions = {}): Promise<Ended> {
  return spawnCommand(options).exited
}

/** Starts a command and does not wait for anything. A process that still runs after the test is killed. */
export function spawnCommand(options: CommandOptions = {}): Command {
  const { args = [], env = {}, dataDir, cwd = PROJECT, program = CLONE } = options
  const { PATH = '', HOME = '' } = process.env
  const all = [...program, ...args, ...(dataDir === undefined ? [] : ['--data-dir', dataDir])]
  const child = spawn(process.execPath, all, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: LogLine[] = []
  const watchers = new Set<(line: LogLine) => void>()
  let stdout = ''
  let stderr = ''
  createInterface({ input: child.stdout }).on('line', (text) => {
    stdout += `${text}\n`
    const line = parse(text)
    if (!line) return
    log.push(line)
    for (const watcher of watchers) watcher(line)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // 'close', not 'exit': all output has been read by then.
  const exited = once(child, 'close').then(
    ([code, signal]): Ended => ({ code, signal, stdout, stderr }),
    (error: unknown): Ended => ({ code: null, signal: null, stdout, stderr: stderr + String(error) }),
  )
  const logged = (fits: (line: LogLine) => boolean): Promise<LogLine> =>
    new Promise((resolve, reject) => {
      const found = log.find(fits)
      if (found) return resolve(found)
      const watcher = (line: LogLine): void => {
        if (!fits(line)) return
        watchers.delete(watcher)
        resolve(line)
      }
      watchers.add(watcher)
      void exited.then(({ code, signal }) =>
        reject(new Error(`the command ended (${signal ?? code}) first:\n${stdout}${stderr}`)),
      )
    })
  const kill = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> => {
    child.kill(signal)
    return exited
  }
  whenDone(() => kill('SIGKILL'))
  return { pid: child.pid ?? 0, log, logged, kill, exited }
}

function parse(text: string): LogLine | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'msg' in value ? (value as LogLine) : null
  } catch {
    return null
  }
}
