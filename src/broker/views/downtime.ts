/** Knows the times before this process in which no server ran, so that they do not count as silence of a device. */
import type { PresenceStore } from '../contract/presence-store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { type Interval, timesWithoutServer } from './presence-spans.ts'

/** Time before the start of the process for which runs are read, in milliseconds. */
const READ_MS = 366 * 86_400_000
/** Maximum runs that are read, the newest first. */
const MAX_RUNS = 5_000

export class Downtime {
  readonly #store: Pick<PresenceStore, 'runs'>
  readonly #clock: Pick<Clock, 'wallMs'>
  /** Times without a server, the newest first. */
  #gaps: readonly Interval[] = []

  constructor(store: Pick<PresenceStore, 'runs'>, clock: Pick<Clock, 'wallMs'>) {
    this.#store = store
    this.#clock = clock
  }

  /** Reads the runs, after this process has begun its own. */
  async load(): Promise<void> {
    const nowMs = this.#clock.wallMs()
    const runs = await this.#store.runs(nowMs - READ_MS, nowMs + 1, MAX_RUNS)
    this.#gaps = timesWithoutServer(runs, nowMs).reverse()
  }

  /** Returns how long no server ran since a time, in milliseconds. */
  msSince(atMs: number): number {
    let sum = 0
    for (const { fromMs, toMs } of this.#gaps) {
      if (toMs <= atMs) break
      sum += toMs - Math.max(fromMs, atMs)
    }
    return sum
  }
}
