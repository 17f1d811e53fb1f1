/** Counts durations by buckets, for histograms. An observation only increments numbers. Knows no text format. */

/** Upper bounds in seconds for work of the server: requests, commits and syncs. */
export const WORK_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60] as const
/** Upper bounds in seconds for the life of a message. */
export const LIFE_BOUNDS = [0.01, 0.1, 1, 5, 30, 60, 300, 1_800, 3_600, 21_600, 86_400] as const

export class Durations {
  readonly bounds: readonly number[]
  /** Number of durations by bucket: above the previous bound and up to its own. The last bucket has no bound. */
  readonly counts: number[]
  /** Sum of all durations, in seconds. */
  sum = 0

  /** @param bounds upper bounds in seconds, in ascending order */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  /** Counts a duration. A negative duration, after the clock was set back, counts as no time. */
  observe(seconds: number): void {
    const { bounds, counts } = this
    let at = 0
    while (at < bounds.length && seconds > (bounds[at] as number)) at++
    counts[at] = (counts[at] as number) + 1
    if (seconds > 0) this.sum += seconds
  }

  get count(): number {
    return this.counts.reduce((sum, each) => sum + each, 0)
  }
}
