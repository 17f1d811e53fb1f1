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

/** The columns of the table: the heading, and the value of several runs. */
const COLUMNS: readonly (readonly [string, (runs: readonly RunReport[]) => number | string])[] = [
  ['runs', (runs) => runs.length],
  ['faults', (runs) => sum(runs, ({ faults }) => faults)],
  ['answered', (runs) => sum(runs, ({ answered }) => answered)],
  ['lost', (runs) => sum(runs, ({ violations }) => violations.lost.length)],
  ['doubled', (runs) => sum(runs, ({ violations }) => violations.doubled.length)],
  ['completed, not received', (runs) => sum(runs, ({ violations }) => violations.unseen.length)],
  ['out of order', (runs) => sum(runs, ({ violations }) => violations.outOfOrder.length)],
  ['two in flight', (runs) => sum(runs, ({ violations }) => violations.twoInFlight.length)],
  ['intervals too short', (runs) => sum(runs, ({ violations }) => violations.intervals.length)],
  ['stuck', (runs) => sum(runs, ({ violations }) => violations.stuck.length)],
  ['unexpected', (runs) => sum(runs, ({ violations }) => violations.unexpected.length)],
  [
    'empty after at most',
    (runs) => `${(Math.max(...runs.map(({ drainMs }) => drainMs)) / 1000).toFixed(1)} s`,
  ],
]

/** Returns a table in Markdown with a row for each fault. */
export function tableOf(reports: readonly RunReport[]): string {
  const rows = [...new Set(reports.map(({ name }) => name))].map((name) => {
    const runs = reports.filter((report) => report.name === name)
    return [name, ...COLUMNS.map(([, textOf]) => String(textOf(runs)))]
  })
  const lines = [
    ['fault', ...COLUMNS.map(([heading]) => heading)],
    COLUMNS.map(() => '---').concat('---'),
    ...rows,
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function sum(runs: readonly RunReport[], countOf: (run: RunReport) => number): number {
  return runs.reduce((total, run) => total + countOf(run), 0)
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
