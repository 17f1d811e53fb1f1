/** Throttles the states of jobs for subscribers: the start, one state per interval, and the end. */
import type { Clock } from '../vocabulary/clock.ts'
import type { BulkReport } from './bulk-report.ts'

/** Minimum time between two states of a running job. */
export const PROGRESS_MS = 250

export interface BulkProgressOptions {
  readonly bulk: { onChange(listener: (report: BulkReport) => void): () => void }
  readonly clock: Pick<Clock, 'monotonicMs'>
}

export class BulkProgress {
  readonly #options: BulkProgressOptions

  constructor(options: BulkProgressOptions) {
    this.#options = options
  }

  /**
   * Calls the listener when a job starts, at most every {@link PROGRESS_MS} while it runs, and when it ends. Returns a
   * function that unsubscribes.
   */
  onChange(listener: (report: BulkReport) => void): () => void {
    const { bulk, clock } = this.#options
    let lastId = 0
    let lastMs = 0
    return bulk.onChange((report) => {
      const nowMs = clock.monotonicMs()
      if (report.id === lastId && report.state === 'RUNNING' && nowMs - lastMs < PROGRESS_MS) return
      lastId = report.id
      lastMs = nowMs
      listener(report)
    })
  }
}
