/** Defines the report of an import, and its state after each line. */
import type { ImportLine, LineEffect, LineProblem } from './import-lines.ts'

export interface RefusedLine extends LineProblem {
  readonly line: number
  readonly deviceId: string | null
  /** False if only the id of the line is readable. */
  readonly isReadable: boolean
}

export interface ImportReport {
  readonly id: number
  /** State of the import. PLANNED: a dry run, without changes. STOPPED: the server shut down before the end. */
  readonly state: 'PLANNED' | 'RUNNING' | 'DONE' | 'STOPPED'
  readonly lines: number
  /** Number of finished lines, including refused lines. */
  readonly done: number
  readonly created: number
  readonly changed: number
  readonly unchanged: number
  readonly refused: readonly RefusedLine[]
}

export function blankReport(
  id: number,
  state: ImportReport['state'],
  lines: readonly ImportLine[],
): ImportReport {
  return { id, state, lines: lines.length, done: 0, created: 0, changed: 0, unchanged: 0, refused: [] }
}

export function countsOf({ state, lines, created, changed, unchanged, refused }: ImportReport) {
  return { state, lines, created, changed, unchanged, refused: refused.length }
}

export function countLine(report: ImportReport, effect: LineEffect): ImportReport {
  return { ...report, done: report.done + 1, [effect]: report[effect] + 1 }
}

export function refuseLine(
  report: ImportReport,
  line: ImportLine,
  { code, message, params }: LineProblem,
): ImportReport {
  const isReadable = 'entry' in line
  const deviceId = isReadable ? line.entry.deviceId : line.deviceId
  const refused = { line: line.line, deviceId, isReadable, code, message, params }
  return { ...report, done: report.done + 1, refused: [...report.refused, refused] }
}
