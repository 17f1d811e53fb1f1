/** Converts rows of the statistics into the columns of the overview. */
import {
  HOUR_MS,
  MINUTE_MS,
  type RowStep,
  type StatisticsRow,
  type StatisticsStore,
} from '../contract/statistics-store.ts'

export const SERIES_NAMES = ['stored', 'completed', 'failed'] as const

/** Columns of equal length. The last item is the current, incomplete minute or hour. */
export type Series = {
  /** Start of the first item, in milliseconds since 1970. */
  readonly fromMs: number
  readonly stepMs: number
} & Readonly<Record<(typeof SERIES_NAMES)[number], readonly number[]>>

type Rows = Pick<StatisticsStore, 'rows'>

/** Returns the last 60 minutes, including the current minute. */
export function byMinute(store: Rows, nowMs: number): Promise<Series> {
  return series(store, MINUTE_MS, 60, nowMs)
}

/** Returns the last 24 hours (UTC), including the current hour. */
export function byHour(store: Rows, nowMs: number): Promise<Series> {
  return series(store, HOUR_MS, 24, nowMs)
}

/** Estimates the messages stored in the last 60 seconds, assuming that the previous minute's were evenly spread. */
export function perMinute({ stored }: Pick<Series, 'stored'>, nowMs: number): number {
  const [before = 0, now = 0] = stored.slice(-2)
  return Math.round(before * (1 - (nowMs % MINUTE_MS) / MINUTE_MS) + now)
}

async function series(store: Rows, stepMs: RowStep, items: number, nowMs: number): Promise<Series> {
  const fromMs = nowMs - (nowMs % stepMs) - (items - 1) * stepMs
  const toMs = fromMs + items * stepMs
  const rows = new Map((await store.rows(stepMs, fromMs, toMs)).map((row) => [row.atMs, row]))
  const column = (name: keyof Pick<StatisticsRow, 'stored' | 'completed' | 'failed'>) =>
    Array.from({ length: items }, (_, i) => rows.get(fromMs + i * stepMs)?.[name] ?? 0)
  return {
    fromMs,
    stepMs,
    stored: column('stored'),
    completed: column('completed'),
    failed: column('failed'),
  }
}
