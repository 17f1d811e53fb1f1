/** One node of a fault run: a process that can be killed, paused and started again. */
import { ADMIN_PASSWORD, JWT_SECRET } from '../../_support/broker.ts'
import { temporaryDirectory } from '../../_support/cleanup.ts'
import { type Command, spawnCommand } from '../../_support/server.ts'
import type { RunStore } from './run-store.ts'

/** Number of tries to start a node whose database may be away. */
const START_TRIES = 20

export class ClusterNode {
  readonly index: number
  readonly #store: RunStore
  readonly #env: Readonly<Record<string, string>>
  #process: Command | null = null
  #isStarting = false
  httpPort = 0
  mqttPort = 0
  isPaused = false
  /** Lines of the log that tell of a defect. */
  readonly problems: string[] = []

  constructor(index: number, store: RunStore, env: Readonly<Record<string, string>>) {
    this.index = index
    this.#store = store
    this.#env = env
  }

  get isRunning(): boolean {
    return this.#process !== null
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  get url(): string {
    return `http://127.0.0.1:${this.httpPort}`
  }

  /** Starts the process, and waits until it listens. @param env added to the environment of the node */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    if (this.#process !== null || this.#isStarting) return
    this.#isStarting = true
    try {
      for (let tries = 1; ; tries++) {
        try {
          return await this.#tryToStart(env)
        } catch (error) {
          if (tries === START_TRIES) throw error
        }
      }
    } finally {
      this.#isStarting = false
    }
  }

  async #tryToStart(env: Readonly<Record<string, string>>): Promise<void> {
    const command = spawnCommand({
      args: ['--host', '127.0.0.1:0', '--mqtt', '127.0.0.1:0', ...this.#store.argsOf(this.index)],
      env: { ADMIN_PASSWORD, JWT_SECRET, ...this.#env, ...env },
      cwd: temporaryDirectory(),
    })
    const line = await command.logged(({ http }) => typeof http === 'string')
    const mqtt = await command.logged((each) => typeof each.mqtt === 'string')
    this.httpPort = portOf(line.http)
    this.mqttPort = portOf(mqtt.mqtt)
    this.#process = command
    void command.exited.then(({ code, stderr }) => {
      if (stderr !== '') this.problems.push(`node ${this.index} wrote: ${stderr.slice(0, 2_000)}`)
      const wrong = command.log.filter(({ level, msg }) => level === 'fatal' || /unexpected error/.test(msg))
      this.problems.push(...wrong.map((each) => `node ${this.index} logged: ${JSON.stringify(each)}`))
      if (this.#process !== command) return
      // The run goes on without a process that ended by itself.
      this.problems.push(`node ${this.index} ended by itself with code ${code}`)
      this.#process = null
    })
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const process = this.#process
    this.#process = null
    this.isPaused = false
    await process?.kill(signal)
  }

  pause(): void {
    this.#signal('SIGSTOP')
    this.isPaused = true
  }

  resume(): void {
    if (this.isPaused) this.#signal('SIGCONT')
    this.isPaused = false
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#process) process.kill(this.#process.pid, signal)
  }
}

function portOf(url: unknown): number {
  return Number(new URL(String(url)).port)
}
