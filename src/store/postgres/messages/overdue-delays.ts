/**
 * Ends delays whose whole duration has passed while the clock of the database, which was set back, is still before the
 * time at which their messages were stored. Each node measures with its monotonic clock from the moment at which it
 * notices the step, or from its start. The first node that ends a delay notifies the others.
 */

import { DutyTimer } from '../../../broker/engine/duty-timer.ts'
import { systemClock } from '../../../broker/vocabulary/clock.ts'
import { decodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'

interface Ended {
  readonly devices: readonly string[]
  /** Shortest duration of the other delays; null without any. */
  readonly next_ms: number | null
}

/** Minimum time between two runs, in milliseconds. A locked row is left for the next run. */
const REST_MS = 100

/** Kind of the journal change that reports a due message of a device. */
export const DUE = 'due'

export class OverdueDelays {
  readonly #parts: Pick<PostgresParts, 'reads' | 'journal' | 'events' | 'node'>
  readonly #timer: DutyTimer
  readonly #unsubscribe: readonly (() => void)[]
  /** Time from which this node measures, on the monotonic clock. */
  #sinceMs = systemClock.monotonicMs()

  /** @param onFailure called with the error of a run, which is repeated */
  constructor(
    parts: Pick<PostgresParts, 'reads' | 'journal' | 'events' | 'node'>,
    onFailure: (error: unknown) => void,
  ) {
    this.#parts = parts
    this.#timer = new DutyTimer({ clock: systemClock, run: () => this.#end(), onFailure })
    this.#unsubscribe = [
      parts.journal.onSetBack(() => this.start()),
      parts.journal.on(DUE, ({ subject }) => this.#report(subject)),
    ]
  }

  start(): void {
    this.#sinceMs = systemClock.monotonicMs()
    this.#timer.wakeIn(0)
  }

  /** Stops the timer. Resolves when the current run is over. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    await this.#timer.close()
  }

  /** Ends the delays that are over. Resolves to the time until the next delay ends. */
  async #end(): Promise<number> {
    const { reads, node } = this.#parts
    const sinceMs = this.#sinceMs
    const elapsedMs = Math.floor(systemClock.monotonicMs() - sinceMs)
    const [row] = await reads.run<{ ended: Ended }>('SELECT end_delays($1, $2) AS ended', [
      node.id,
      elapsedMs,
    ])
    const { devices, next_ms: nextMs } = row?.ended ?? { devices: [], next_ms: null }
    for (const each of devices) this.#report(each)
    if (nextMs === null) return Number.POSITIVE_INFINITY
    return Math.max(REST_MS, sinceMs + nextMs - systemClock.monotonicMs())
  }

  #report(device: string): void {
    this.#parts.events.emit({ is: 'added', deviceId: decodeText(device) })
  }
}
