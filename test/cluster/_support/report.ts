/** Prints one row for each fault run: what was done, and how often a promise was broken. */
import type { Violations } from './invariants.ts'
import type { RunRecords, StoredRun } from './records.ts'

export interface RunReport {
  readonly name: string
  readonly seed: number
  readonly seconds: number
  /** Number of injected faults. */
  readonly faults: number
  readonly submitted: number
  readonly answered: number
  readonly dispatched: number
  /** NO messages that left the queue and did not reach their device, which the guarantee allows. */
  readonly dropped: number
  /** Time from the end of the faults until all queues were empty. */
  readonly drainMs: number
  readonly violations: Violations
}

/** Returns the number of NO messages that left their queue without reaching the device. */
export function droppedOf({ devices }: RunRecords, { messages }: StoredRun): number {
  const seen = new Set([...devices.values()].flatMap((events) => events.map(({ id }) => id)))
  return messages.filter(({ id, guarantee, status }) => {
    return guarantee === 'NO' && status !== 'CANCELLED' && status !== 'NOT_DELIVERED' && !seen.has(id)
  }).length
}

/** Returns the row as one line of text. */
export function lineOf({ name, seed, violations, ...report }: RunReport): string {
  const { seconds, faults, answered, submitted, dispatched, dropped, drainMs } = report
  const counts = Object.entries(violations).map(
    ([key, found]: [string, string[]]) => `${key} ${found.length}`,
  )
  return [
    `${name}: SEED=${seed}`,
    `${seconds} s`,
    `${faults} faults`,
    `${answered} of ${submitted} answered`,
    `${dispatched} attempts`,
    `${dropped} NO dropped`,
    `empty after ${drainMs} ms`,
    ...counts,
  ].join(' · ')
}
