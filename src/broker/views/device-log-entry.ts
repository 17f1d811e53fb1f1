/** Defines the entries of the log of a device, and their order. */
import type { LogKind } from '../vocabulary/presence.ts'

/** One line of the log of a device. */
export interface LogEntry {
  /** Order of the entries of one time, and cursor of the list. */
  readonly id: string
  readonly kind: LogKind
  readonly atMs: number
  /** False for the last sign of life of a lost server. */
  readonly isExact: boolean
  readonly nodeId: number | null
  readonly transport: string | null
  readonly address: string | null
  readonly reason: string | null
  /** Client that made the change; null for any other kind. */
  readonly by: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** Members that most entries do not have. */
export const PLAIN_ENTRY = {
  isExact: true,
  nodeId: null,
  transport: null,
  address: null,
  reason: null,
  by: null,
} as const

/** Number in place of a run for changes by people, which no run has. */
export const AFTER_RUNS = 999_999_999

/** Digits of a time in an id, so that ids have the order of their times. */
const DIGITS = 15

/** Returns the time, exclusive, up to which entries may be behind the entry with an id; Infinity for another text. */
export function endBehind(id: string): number {
  const atMs = Number(id.slice(0, DIGITS))
  if (!Number.isInteger(atMs)) return Number.POSITIVE_INFINITY
  // A bound is the first entry of its time.
  return id === entryId(atMs, 0) ? atMs : atMs + 1
}

/** Returns an id that sorts by time, then by run, then by the order of causes within it. */
export function entryId(atMs: number, ...parts: readonly number[]): string {
  return [String(atMs).padStart(DIGITS, '0'), ...parts.map((part) => String(part).padStart(9, '0'))].join('-')
}
