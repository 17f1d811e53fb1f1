/** Notifies listeners of changes that it finds by reading. Reads only while there are listeners. Knows no changes. */
import type { Log } from '../../process/log.ts'
import { levelOf } from '../vocabulary/errors.ts'
import { startPeriodic } from './periodic.ts'

const PERIOD_MS = 2_000

type Listener<Change> = (change: Change) => void

export interface WatchOptions<Change> {
  /**
   * Called for the first listener, before the first reading: forgets what earlier readings found.
   *
   * @param read reads at once
   * @returns function that is called when no listener is left
   */
  readonly begin: (read: () => void) => () => void
  /** Returns the changes since the reading before. */
  readonly changes: () => Promise<readonly Change[]>
  /** Message of the log line about a reading that failed. */
  readonly failure: string
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly periodMs?: number | undefined
}

export class Watch<Change> {
  readonly #options: WatchOptions<Change>
  readonly #listeners = new Set<Listener<Change>>()
  #reading: Promise<void> = Promise.resolve()
  /** Reading that begins after the running one; null without one. */
  #waiting: Promise<void> | null = null
  #stop: () => void = () => {}

  constructor(options: WatchOptions<Change>) {
    this.#options = options
  }

  /** Calls the listener with each later change. Returns a function that unsubscribes. */
  onChange(listener: Listener<Change>): () => void {
    if (this.#listeners.size === 0) this.#start()
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** Reads the changes, after a running reading. At most one reading waits for it. Never rejects. */
  read(): Promise<void> {
    this.#waiting ??= this.#reading.then(() => {
      this.#waiting = null
      this.#reading = this.#read()
      return this.#reading
    })
    return this.#waiting
  }

  #start(): void {
    const { begin, periodMs = PERIOD_MS } = this.#options
    const end = begin(() => void this.read())
    const endPeriod = startPeriodic(() => this.read(), periodMs, { atOnce: true })
    this.#stop = () => {
      void endPeriod()
      end()
    }
  }

  async #read(): Promise<void> {
    if (this.#listeners.size === 0) return
    const { changes, failure, log } = this.#options
    try {
      for (const change of await changes()) for (const listener of this.#listeners) listener(change)
    } catch (error) {
      log[levelOf(error, 'warn')]({ err: error }, failure)
    }
  }
}
