/**
 * Runs the command in a separate process: as a server with `startServer`, to its end with `runCommand`. System tier
 * only.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { temporaryDirectory, whenDone } from './cleanup.ts'
import { type LogLine, LogLines } from './log-lines.ts'
import './provided.ts'

export interface CommandOptions {
  /** Arguments after the name of the command; `--data-dir` is added if `dataDir` is given. */
  readonly args?: readonly string[]
  /** Added to an environment that holds PATH, HOME and an empty directory for contexts. */
  readonly env?: Readonly<Record<string, string>>
  readonly dataDir?: string
  /** Working directory; a new one by default. */
  readonly cwd?: string
  /** Arguments of node that start the program: the built package by default, or {@link CLONE}. */
  readonly program?: readonly string[]
}

export type { LogLine }

export interface Ended {
  /** Exit code; null if a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Program that writes a log and can be stopped, in a separate process or in the process of the test. */
export interface Stoppable {
  /** The lines of the log so far. The array grows. */
  readonly log: readonly LogLine[]
  /** Resolves with the first matching line, including earlier ones. Rejects if the process ends without one. */
  logged(fits: (line: LogLine) => boolean): Promise<LogLine>
  /** Stops the program with a signal, SIGTERM by default. Resolves when it has ended. */
  kill(signal?: NodeJS.Signals): Promise<Ended>
}

export interface Server extends Stoppable {
  /** Address of the listener: `http://127.0.0.1:PORT`. */
  readonly url: string
}

export interface Command extends Stoppable {
  readonly pid: number
  readonly exited: Promise<Ended>
}

export interface ServerProcess extends Server, Command {}

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = fileURLToPath(new URL('../../bin/waybill.ts', import.meta.url))
const TSX = import.meta.resolve('tsx')
/** Runs the clone from source. */
export const CLONE: readonly string[] = ['--import', TSX, BIN]
/** Runs the built package. */
export const BUILT: readonly string[] = inject('program')
/** Default arguments of a server: a free port, no MQTT. */
export const LOCAL = ['--host', '127.0.0.1:0', '--mqtt', 'off']

/** Starts a server on a free port and waits until it listens. Rejects with its output if it ends before. */
export async function startServer({ args = LOCAL, ...options }: CommandOptions = {}): Promise<ServerProcess> {
  const command = spawnCommand({ args, ...options })
  const { http } = await command.logged((line) => typeof line.http === 'string')
  return { ...command, url: http as string }
}

/** Returns an address at which no server listens. */
export async function unusedUrl(): Promise<string> {
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

/** Starts a command without waiting. A process that still runs after the test is killed. */
export function spawnCommand(options: CommandOptions = {}): Command {
  const { args = [], env = {}, dataDir, cwd = temporaryDirectory(), program = BUILT } = options
  const { PATH = '', HOME = '', XDG_CONFIG_HOME = '' } = process.env
  const all = [...program, ...args, ...(dataDir === undefined ? [] : ['--data-dir', dataDir])]
  const child = spawn(process.execPath, all, {
    cwd,
    env: { PATH, HOME, XDG_CONFIG_HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = new LogLines()
  let stdout = ''
  let stderr = ''
  createInterface({ input: child.stdout }).on('line', (text) => {
    stdout += `${text}\n`
    log.add(text)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // Waits for 'close' instead of 'exit', so that all output has been read.
  const exited = once(child, 'close').then(
    ([code, signal]): Ended => ({ code, signal, stdout, stderr }),
    (error: unknown): Ended => ({ code: null, signal: null, stdout, stderr: stderr + String(error) }),
  )
  const logged = (fits: (line: LogLine) => boolean): Promise<LogLine> =>
    Promise.race([
      log.next(fits),
      exited.then(({ code, signal }) => {
        throw new Error(`the command ended (${signal ?? code}) first:\n${stdout}${stderr}`)
      }),
    ])
  const kill = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> => {
    child.kill(signal)
    return exited
  }
  whenDone(() => kill('SIGKILL'))
  return { pid: child.pid ?? 0, log: log.lines, logged, kill, exited }
}
