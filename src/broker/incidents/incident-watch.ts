/**
 * Notifies listeners of incidents that changed, on this node or another. Reads them only while there are listeners.
 * Knows neither HTTP nor SQL.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Log } from '../../process/log.ts'
import type { IncidentRecord, IncidentStore } from '../contract/incident-store.ts'
import { startPeriodic } from '../engine/periodic.ts'
import { levelOf } from '../vocabulary/errors.ts'
import { type ListedIncident, listedIncidents } from './incidents.ts'

const PERIOD_MS = 2_000
/** Incidents that one turn of the event loop reads. */
const STEP_INCIDENTS = 500
/**
 * Time that two readings have in common, because a change with an earlier time may be committed later: the clocks of
 * nodes differ.
 */
const OVERLAP_MS = 60_000

type Listener = (change: ListedIncident) => void

export interface IncidentWatchOptions {
  readonly store: Pick<IncidentStore, 'changedAfter' | 'signalsOf'>
  readonly now: () => number
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly periodMs?: number
}

export class IncidentWatch {
  readonly #options: IncidentWatchOptions
  readonly #listeners = new Set<Listener>()
  #sinceMs = 0
  /** Times of the changes since `#sinceMs` that were reported, by the id of the incident. */
  #reported: ReadonlyMap<number, number> = new Map()
  #reading: Promise<void> = Promise.resolve()
  #stop: () => void = () => {}

  constructor(options: IncidentWatchOptions) {
    this.#options = options
  }

  /**
   * Calls the listener with each later change. The first listener also receives the changes of the minute before.
   * Returns a function that unsubscribes.
   */
  onChange(listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#start()
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** Reads the changes, after a running reading. Never rejects. */
  read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read())
    return this.#reading
  }

  #start(): void {
    const { now, periodMs = PERIOD_MS } = this.#options
    this.#sinceMs = now() - OVERLAP_MS
    this.#reported = new Map()
    const endPeriod = startPeriodic(() => this.read(), periodMs, { atOnce: true })
    this.#stop = () => void endPeriod()
  }

  async #read(): Promise<void> {
    if (this.#listeners.size === 0) return
    try {
      const found = await this.#changes()
      const isNew = ({ id, changedMs }: IncidentRecord): boolean => this.#reported.get(id) !== changedMs
      const changes = await listedIncidents(this.#options.store, found.filter(isNew))
      if (this.#listeners.size === 0) return
      this.#sinceMs = Math.max(this.#sinceMs, (found.at(-1)?.changedMs ?? 0) - OVERLAP_MS)
      this.#reported = new Map(found.map(({ id, changedMs }) => [id, changedMs]))
      for (const change of changes) for (const listener of this.#listeners) listener(change)
    } catch (error) {
      this.#options.log[levelOf(error, 'warn')]({ err: error }, 'the incidents could not be read')
    }
  }

  async #changes(): Promise<readonly IncidentRecord[]> {
    const changes: IncidentRecord[] = []
    let after: Pick<IncidentRecord, 'changedMs' | 'id'> | undefined = { changedMs: this.#sinceMs, id: 0 }
    while (after !== undefined) {
      const page: readonly IncidentRecord[] = await this.#options.store.changedAfter(after, STEP_INCIDENTS)
      changes.push(...page)
      after = page[STEP_INCIDENTS - 1]
      if (after !== undefined) await turn()
    }
    return changes
  }
}
