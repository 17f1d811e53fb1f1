/**
 * The contracts by which counts and rejections outlive the memory of a process: the nodes of one installation add theirs, and
 * read the sums of all. Knows no SQL.
 */
import type { CountedRejection } from './rejection-log.ts'

/** The number of events of one kind in one minute. */
export interface MinuteCount {
  /** An event of `COUNTERS`. */
  readonly event: string
  /** Number of the minute since 1970. */
  readonly minute: number
  readonly count: number
}

export interface StoredCounts {
  /** Time at which counting began, in milliseconds since 1970; null when nothing was stored. */
  readonly sinceMs: number | null
  readonly counts: readonly MinuteCount[]
}

export interface CountStore {
  /** Adds to the stored counts. */
  add(counts: readonly MinuteCount[]): Promise<void>
  /** Returns the sums of all nodes from a minute on. */
  read(fromMinute: number): Promise<StoredCounts>
}

export interface RejectionStore {
  /** Adds the counts of rejections to the stored ones of the same peer and reason. */
  add(rejections: readonly CountedRejection[]): Promise<void>
  /** Returns the latest rejections of all nodes, newest first. */
  all(): Promise<readonly CountedRejection[]>
}
