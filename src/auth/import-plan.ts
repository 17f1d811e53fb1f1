/** Plans an import: lists the changes of each line without making them. */
import type { ClientList } from './client-list.ts'
import type { Role } from './clients.ts'
import { lastAdmin } from './errors.ts'
import {
  effectOf,
  findWarning,
  ImportCheck,
  type ImportEntry,
  type ImportLine,
  type LineEffect,
  type LineProblem,
} from './import-lines.ts'
import { blankReport, countLine, type ImportReport, refuseLine } from './import-report.ts'

export interface PlannedChange {
  readonly line: number
  readonly deviceId: string
  readonly effect: Exclude<LineEffect, 'unchanged'>
  /** Current role; null for a new client. */
  readonly roleBefore: Role | null
  readonly role: Role
  readonly warning: LineProblem | null
}

export interface ImportPlan extends ImportReport {
  readonly changes: readonly PlannedChange[]
}

/** Returns the changes of a list, line by line, as `Imports` would make them. */
export function planImport(lines: readonly ImportLine[], clients: ClientList): ImportPlan {
  const check = new ImportCheck(clients)
  let report = blankReport(0, 'PLANNED', lines)
  const changes: PlannedChange[] = []
  let admins = clients.all().filter(({ role }) => role === 'MAN').length
  for (const line of lines) {
    const problem = check.findProblem(line)
    if (problem !== null || !('entry' in line)) {
      if (problem) report = refuseLine(report, line, problem)
      continue
    }
    const change = changeOf(line.line, line.entry, clients)
    if (change?.roleBefore === 'MAN' && change.role !== 'MAN' && admins === 1) {
      report = refuseLine(report, line, lastAdmin(change.deviceId))
      continue
    }
    if (change) {
      admins += Number(change.role === 'MAN') - Number(change.roleBefore === 'MAN')
      changes.push(change)
    }
    report = countLine(report, change?.effect ?? 'unchanged')
  }
  return { ...report, changes }
}

function changeOf(line: number, entry: ImportEntry, clients: ClientList): PlannedChange | null {
  const { deviceId } = entry
  const before = clients.byDevice(deviceId)
  const effect = effectOf(entry, before)
  if (effect === 'unchanged') return null
  const roleBefore = before?.role ?? null
  const role = entry.role ?? roleBefore ?? 'DEVISE'
  return { line, deviceId, effect, roleBefore, role, warning: before ? null : findWarning(deviceId) }
}
