/** Global setup: collects the reports of all fault runs, and prints one table of them at the end. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import '../../_support/provided.ts'
import { type RunReport, tableOf } from './report.ts'

export function setup(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'waybill-faults-'))
  const file = join(directory, 'reports')
  project.provide('faultReports', file)
  return () => {
    if (existsSync(file)) process.stdout.write(`\n${tableOf(reportsIn(file))}\n\n`)
    rmSync(directory, { recursive: true, force: true })
  }
}

function reportsIn(file: string): RunReport[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as RunReport)
}
