/** Performs a fault run in a test, and expects that all promises held. */
import { expect, vi } from 'vitest'
import { LIMIT_MS } from '../../_support/limits.ts'
import { type FaultRunOptions, faultRun } from './fault-run.ts'
import { listOf } from './invariants.ts'

/** Time for the start, the end and the checks of the longest run. */
const AROUND_MS = 3 * LIMIT_MS

vi.setConfig({ testTimeout: AROUND_MS + 2_000 * Number(process.env.SECONDS ?? 0) })

export async function expectNoViolation(options: FaultRunOptions): Promise<void> {
  const report = await faultRun(options)
  expect(report.answered, 'number of answered requests').toBeGreaterThan(20)
  expect(listOf(report.violations)).toEqual([])
}
