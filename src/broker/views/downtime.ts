/** Knows the times before this process in which no server ran, so that they do not count as silence of a device. */
import type { PresenceStore, Run } from '../contract/presence-store.ts'
import type { Clock } from '../vocabulary/clock.ts'

interface Gap {
  readonly fromMs: number
  readonly toMs: number
}

/** Time that is read, before the first call. */
const READ_MS = 366 * 86_400_000
/** Maximum runs that are read, the newest first. */
const MAX_RUNS = 5_000

export class Downtime {
  readonly #store: Pick<PresenceStore, 'runs'>
  readonly #clock: Pick<Clock, 'wallMs'>
  #gaps: readonly Gap[] = []

  constructor(store: Pick<PresenceStore, 'runs'>, clock: Pick<Clock, 'wallMs'>) {
    this.#store = store
    this.#clock = clock
  }

  /** Reads the runs, after this process has begun its own. */
  async load(): Promise<void> {
    const nowMs = this.#clock.wallMs()
    this.#gaps = gapsOf(await this.#store.runs(nowMs - READ_MS, nowMs + 1, MAX_RUNS), nowMs)
  }

  /** Returns the time since another in which no server ran, in milliseconds. */
  msSince(atMs: number): number {
    return this.#gaps.reduce((sum, { fromMs, toMs }) => sum + Math.max(0, toMs - Math.max(fromMs, atMs)), 0)
  }
}

/** Returns the times between runs. A lost run watched devices up to its last sign of life. */
function gapsOf(runs: readonly Run[], nowMs: number): Gap[] {
  const watches = runs
    .map(({ startedMs, aliveMs, endedMs, how }) => ({
      fromMs: startedMs,
      toMs: how === 'LOST' ? aliveMs : (endedMs ?? nowMs),
    }))
    .sort((one, other) => one.fromMs - other.fromMs)
  const gaps: Gap[] = []
  let untilMs = watches[0]?.toMs ?? nowMs
  for (const { fromMs, toMs } of watches) {
    if (fromMs > untilMs) gaps.push({ fromMs: untilMs, toMs: fromMs })
    untilMs = Math.max(untilMs, toMs)
  }
  return gaps
}
