/** Decides what signals do to a server: two stop it, the others only write a log line. */
import type { Log } from './log.ts'

/**
 * Signals that operators send to daemons for log files and settings, and that a closed terminal sends. By default each
 * ends the process, except SIGUSR1, which opens Node's debugger.
 */
const IGNORED = ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const

const STOPPING = ['SIGTERM', 'SIGINT'] as const

/** Signal handlers of this process, from the beginning of a start. */
export class Signals {
  readonly #log: Pick<Log, 'info'>
  /** During a start the server has not accepted work that a stop would have to finish. */
  #stop: (signal: NodeJS.Signals) => void = () => process.exit(0)
  #isStopping = false
  readonly #onIgnored = (signal: NodeJS.Signals): void =>
    this.#log.info({ signal }, `${signal} is ignored: SIGTERM stops the server`)
  // npm forwards the signals of a terminal, which the server has already received. So later signals have no effect.
  readonly #onStopping = (signal: NodeJS.Signals): void => {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#stop(signal)
  }

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log
    for (const each of IGNORED) process.on(each, this.#onIgnored)
    for (const each of STOPPING) process.on(each, this.#onStopping)
  }

  /** Sets the function that stops the running server. It is called once, with the first signal. */
  onStop(stop: (signal: NodeJS.Signals) => void): void {
    this.#stop = stop
  }

  /** Restores the default effect of all signals. */
  close(): void {
    for (const each of IGNORED) process.off(each, this.#onIgnored)
    for (const each of STOPPING) process.off(each, this.#onStopping)
  }
}
