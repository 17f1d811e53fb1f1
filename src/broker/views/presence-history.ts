/** Shows admins the presence of a device over a time, and the runs of the servers. Knows no SQL. */
import type { PresenceStore, Run } from '../contract/presence-store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import type { PresenceRecorder } from './presence-recorder.ts'
import { type PresenceReport, presenceReport } from './presence-spans.ts'

/** Maximum time of a report. */
export const MAX_RANGE_MS = 366 * 86_400_000
/** Maximum periods and runs that a report reads, the newest first. */
const MAX_READ = 5_000

export interface PresenceHistoryOptions {
  readonly store: Pick<PresenceStore, 'periods' | 'runs' | 'sightings'>
  readonly recorder: Pick<PresenceRecorder, 'flushChanges'>
  readonly clock: Clock
}

export class PresenceHistory {
  readonly #options: PresenceHistoryOptions

  constructor(options: PresenceHistoryOptions) {
    this.#options = options
  }

  /** Returns the time of the server, for the defaults of a range. */
  nowMs(): number {
    return this.#options.clock.wallMs()
  }

  /** Returns the presence of a device with any id. @throws {BrokerError} bad-range */
  async report(deviceId: string, fromMs: number, toMs: number): Promise<PresenceReport> {
    checkRange(fromMs, toMs)
    const { store, recorder } = this.#options
    await recorder.flushChanges()
    const [periods, runs, [sighting]] = await Promise.all([
      store.periods(deviceId, fromMs, toMs, MAX_READ),
      store.runs(fromMs, toMs, MAX_READ),
      store.sightings([deviceId]),
    ])
    const { firstMs = null, pollSeconds = null } = sighting ?? {}
    return presenceReport({ periods, runs, firstMs, pollSeconds, fromMs, toMs, nowMs: this.nowMs() })
  }

  /** Returns the runs that overlap a time, the newest first. @throws {BrokerError} bad-range */
  async runs(fromMs: number, toMs: number, limit: number): Promise<readonly Run[]> {
    checkRange(fromMs, toMs)
    return this.#options.store.runs(fromMs, toMs, limit)
  }
}

function checkRange(fromMs: number, toMs: number): void {
  if (fromMs < toMs && toMs - fromMs <= MAX_RANGE_MS) return
  throw new BrokerError('bad-range', 'The range must begin before it ends, and have at most 366 days.')
}
