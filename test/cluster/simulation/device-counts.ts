/** Counters of the simulated devices of one process, and latencies in a histogram. */

/** Upper bounds of the classes of latencies, in milliseconds. */
const BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, Number.POSITIVE_INFINITY]

export class Latencies {
  readonly counts: number[]

  constructor(counts: readonly number[] = BOUNDS_MS.map(() => 0)) {
    this.counts = [...counts]
  }

  add(ms: number): void {
    const at = BOUNDS_MS.findIndex((bound) => ms <= bound)
    this.counts[at] = (this.counts[at] ?? 0) + 1
  }

  plus(counts: readonly number[]): Latencies {
    return new Latencies(this.counts.map((count, at) => count + (counts[at] ?? 0)))
  }

  /** Returns a bound that is not below this share of the latencies. */
  quantile(share: number): number {
    const total = this.counts.reduce((sum, count) => sum + count, 0)
    let sum = 0
    const at = this.counts.findIndex((count) => {
      sum += count
      return sum >= total * share
    })
    return BOUNDS_MS[at] ?? 0
  }
}

/** Counts what the devices of a process saw. */
export class DeviceCounts {
  connected = 0
  refused = 0
  closed = 0
  received = 0
  repeated = 0
  outOfOrder = 0
  twoInFlight = 0
  readonly latencies = new Latencies()
}

/** The counts as a message between processes. */
export type ReportedCounts = Omit<DeviceCounts, 'latencies'> & { readonly latencies: readonly number[] }

export function reportOf({ latencies, ...counts }: DeviceCounts): ReportedCounts {
  return { ...counts, latencies: latencies.counts }
}
