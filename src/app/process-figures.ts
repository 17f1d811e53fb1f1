/** Measures the load of this process between two readings: CPU, event loop, commits. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Durations } from '../broker/vocabulary/durations.ts'

export interface ProcessFigures {
  /** Share of one CPU that the process used, in percent. Several threads may exceed 100. */
  readonly cpuPercent: number
  /** Resident memory of the process (RSS). */
  readonly memoryBytes: number
  /** 99th percentile of the delay of the event loop; null at the first reading. */
  readonly lagP99Ms: number | null
  /** 99th percentile of the time until a commit was durable, to a factor of 2.5; null before the first commit. */
  readonly commitP99Ms: number | null
}

export interface ProcessFiguresOptions {
  readonly syncs: Durations
  readonly monotonicMs: () => number
  readonly cpuUs?: () => number
}

/**
 * Minimum time between two measurements. An earlier reading returns the last measurement, so that all viewers see the
 * same.
 */
const WINDOW_MS = 1_000

/** Creates a function that reads the figures since the previous reading. */
export function processFigures({
  syncs,
  monotonicMs,
  cpuUs = usedCpuUs,
}: ProcessFiguresOptions): () => ProcessFigures {
  let delays: IntervalHistogram | null = null
  let last: ProcessFigures | null = null
  let before = { atMs: monotonicMs(), cpuUs: cpuUs(), counts: syncs.counts.map(() => 0) }
  return () => {
    const atMs = monotonicMs()
    if (last && atMs - before.atMs < WINDOW_MS) return last
    const now = { atMs, cpuUs: cpuUs(), counts: [...syncs.counts] }
    const usedMs = (now.cpuUs - before.cpuUs) / 1_000
    const counts = now.counts.map((count, index) => count - (before.counts[index] as number))
    const cpuPercent = atMs > before.atMs ? (100 * usedMs) / (atMs - before.atMs) : 0
    const lagP99Ms = delays && delays.count > 0 ? delays.percentile(99) / 1e6 : null
    const commitP99Ms = percentileMs(syncs.bounds, counts, 0.99) ?? last?.commitP99Ms ?? null
    delays ??= monitorEventLoopDelay({ resolution: 20 })
    delays.enable()
    delays.reset()
    before = now
    last = { cpuPercent, memoryBytes: process.memoryUsage.rss(), lagP99Ms, commitP99Ms }
    return last
  }
}

function usedCpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Returns a percentile of durations counted in buckets, interpolated within its bucket; null without durations. */
export function percentileMs(
  bounds: readonly number[],
  counts: readonly number[],
  share: number,
): number | null {
  const total = counts.reduce((sum, each) => sum + each, 0)
  if (total === 0) return null
  let rank = share * total
  const at = counts.findIndex((count) => {
    rank -= count
    return rank <= 0
  })
  const lower = bounds[at - 1] ?? 0
  const upper = bounds[at] ?? lower
  const count = counts[at] as number
  return 1_000 * (lower + ((upper - lower) * (rank + count)) / count)
}
