/** Says from which time on the log of a device is complete, because a bound removed or left out what was before. Pure. */
import { entryId, type LogEntry, PLAIN_ENTRY } from './device-log-entry.ts'

/**
 * Bounds of a log. DAYS: earlier periods and events are removed. ROWS: a read has a maximum of rows, the newest ones, and a
 * list continues behind them.
 */
export interface LogBound {
  readonly atMs: number
  readonly reason: 'DAYS' | 'ROWS'
}

/** Rows of one source, and the time of the oldest of them. */
export interface ReadRows {
  readonly count: number
  readonly oldestMs: number | undefined
}

/** Returns the bound of a read with a maximum of rows for each source; null if it has all rows. */
export function rowsBound(sources: readonly ReadRows[], maxRows: number): LogBound | null {
  const cut = sources.filter(({ count }) => count >= maxRows)
  if (cut.length === 0) return null
  return { atMs: Math.max(...cut.map(({ oldestMs }) => oldestMs ?? 0)), reason: 'ROWS' }
}

/** Returns the entry of a bound, which is the first one of its time. */
export function entryOfBound({ atMs, reason }: LogBound): LogEntry {
  return { ...PLAIN_ENTRY, id: entryId(atMs, 0), kind: 'CUT', atMs, reason, detail: {} }
}
