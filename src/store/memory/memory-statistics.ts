/** Keeps the statistics of the memory driver. */

import {
  type CountedMinute,
  HOUR_MS,
  MINUTE_MS,
  type RowStep,
  rowStepOf,
  type StatisticsRow,
  type StatisticsStore,
  type StepMs,
} from '../../broker/contract/statistics-store.ts'
import { sumBuckets } from '../../broker/vocabulary/delivery-buckets.ts'
import { STATUS_KINDS, type Status } from '../../broker/vocabulary/status.ts'
import type { MemoryData } from './memory-data.ts'

/** Status of a message, and the time at which the message received it. */
interface Received {
  readonly status: Status
  readonly changedAtMs: number
}

export class MemoryStatistics {
  readonly #rows: Readonly<Record<RowStep, Map<number, StatisticsRow>>> = {
    [MINUTE_MS]: new Map(),
    [HOUR_MS]: new Map(),
  }

  /** Counts a failure or a cancellation, and takes back a failure that the message leaves. */
  changed(before: Received, after: Received): void {
    for (const stepMs of [MINUTE_MS, HOUR_MS] as const) {
      if (isFailed(before.status) && this.#rows[stepMs].has(startOf(before, stepMs)))
        this.#add(stepMs, startOf(before, stepMs), failuresOf(before.status, -1))
      if (after.status === 'CANCELLED' || isFailed(after.status))
        this.#add(stepMs, startOf(after, stepMs), failuresOf(after.status, 1))
    }
  }

  add({ atMs, upFromMs, upToMs, deliveries, ...counts }: CountedMinute): void {
    for (const stepMs of [MINUTE_MS, HOUR_MS] as const)
      this.#add(stepMs, atMs - (atMs % stepMs), { ...counts, upMs: upToMs - upFromMs, deliveries })
  }

  rows(stepMs: RowStep): StatisticsRow[] {
    return [...this.#rows[stepMs].values()].sort((a, b) => a.atMs - b.atMs)
  }

  steps(stepMs: StepMs, fromMs: number, toMs: number): StatisticsRow[] {
    const steps = new Map<number, StatisticsRow>()
    for (const row of this.rows(rowStepOf(stepMs))) {
      if (row.atMs < fromMs || row.atMs >= toMs) continue
      const atMs = row.atMs - (row.atMs % stepMs)
      steps.set(atMs, sumOf(steps.get(atMs) ?? { ...NOTHING, atMs }, row, stepMs))
    }
    return [...steps.values()]
  }

  purge(stepMs: RowStep, beforeMs: number): number {
    const removed = this.rows(stepMs).filter(({ atMs }) => atMs < beforeMs)
    for (const { atMs } of removed) this.#rows[stepMs].delete(atMs)
    return removed.length
  }

  #add(stepMs: RowStep, atMs: number, more: Partial<StatisticsRow>): void {
    const row = this.#rows[stepMs].get(atMs) ?? { ...NOTHING, atMs }
    this.#rows[stepMs].set(atMs, sumOf(row, more, stepMs))
  }
}

/** @param mostMs maximum time in which a node ran */
function sumOf(row: StatisticsRow, more: Partial<StatisticsRow>, mostMs: number): StatisticsRow {
  const sum = (name: 'stored' | 'delivered' | 'completed' | 'failed' | 'unknown' | 'cancelled') =>
    row[name] + (more[name] ?? 0)
  return {
    atMs: row.atMs,
    stored: sum('stored'),
    delivered: sum('delivered'),
    completed: sum('completed'),
    failed: sum('failed'),
    unknown: sum('unknown'),
    cancelled: sum('cancelled'),
    unacknowledged: row.unacknowledged + (more.unacknowledged ?? 0),
    pending: more.pending == null ? row.pending : Math.max(row.pending ?? 0, more.pending),
    upMs: Math.min(mostMs, row.upMs + (more.upMs ?? 0)),
    deliveries: sumBuckets(row.deliveries, more.deliveries ?? null),
  }
}

const NOTHING: Omit<StatisticsRow, 'atMs'> = {
  stored: 0,
  delivered: 0,
  completed: 0,
  failed: 0,
  unknown: 0,
  cancelled: 0,
  unacknowledged: 0,
  pending: null,
  upMs: 0,
  deliveries: null,
}

function startOf({ changedAtMs }: Received, stepMs: RowStep): number {
  return changedAtMs - (changedAtMs % stepMs)
}

function isFailed(status: Status): boolean {
  return STATUS_KINDS[status] === 'failed' || STATUS_KINDS[status] === 'unclear'
}

function failuresOf(status: Status, count: number): Partial<StatisticsRow> {
  if (status === 'CANCELLED') return { cancelled: count }
  return { failed: count, unknown: status === 'UNKNOWN' ? count : 0 }
}

export function memoryStatistics(data: MemoryData): StatisticsStore {
  const { statistics } = data
  return {
    async add(minutes) {
      for (const minute of minutes) statistics.add(minute)
    },
    rows: async (stepMs, fromMs, toMs) => statistics.steps(stepMs, fromMs, toMs),
    async failures(fromMs) {
      const rows = statistics.rows(MINUTE_MS).filter(({ atMs }) => atMs >= fromMs)
      const sum = (name: 'failed' | 'unknown' | 'unacknowledged') =>
        rows.reduce((total, row) => total + row[name], 0)
      return { failed: sum('failed'), unknown: sum('unknown'), unacknowledged: sum('unacknowledged') }
    },
    oldestMs: async (stepMs) => statistics.rows(stepMs)[0]?.atMs ?? null,
    purge: async (stepMs, beforeMs) => statistics.purge(stepMs, beforeMs),
    ofDevice: async (deviceId, limit) =>
      [...data.messages.values()]
        .filter(({ content }) => content.deviceId === deviceId)
        .sort((a, b) => b.id - a.id)
        .slice(0, limit)
        .map(({ status, createdAtMs, changedAtMs, deliveredAtMs }) => {
          return { status, createdAtMs, changedAtMs, deliveredAtMs }
        }),
  }
}
