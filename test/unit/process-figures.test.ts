/** Load of the process: figures of the time between two readings. */
import { expect, test } from 'vitest'
import { percentileMs, processFigures } from '../../src/app/process-figures.ts'
import { Durations } from '../../src/broker/vocabulary/durations.ts'

test('process figures: CPU and commits → of the time since the reading before; a commit p99 stays without commits', () => {
  const syncs = new Durations([0.001, 0.01, 0.1])
  const at = { ms: 0, cpuUs: 0 }
  const read = processFigures({ syncs, monotonicMs: () => at.ms, cpuUs: () => at.cpuUs })
  Object.assign(at, { ms: 1_000, cpuUs: 250_000 })
  expect(read()).toMatchObject({ cpuPercent: 25, lagP99Ms: null, commitP99Ms: null })
  for (let i = 0; i < 100; i++) syncs.observe(0.05)
  Object.assign(at, { ms: 1_900, cpuUs: 900_000 })
  expect(read()).toMatchObject({ cpuPercent: 25, commitP99Ms: null })
  at.ms = 2_000
  const busy = read()
  expect(busy.cpuPercent).toBe(65)
  expect(busy.commitP99Ms).toBeCloseTo(99.1)
  at.ms = 4_000
  expect(read()).toMatchObject({ cpuPercent: 0, commitP99Ms: busy.commitP99Ms })
  expect(busy.memoryBytes).toBeGreaterThan(1e6)
})

test.each([
  ['none', [0, 0, 0], null],
  ['all in the first bucket', [4, 0, 0], 0.99],
  ['above the last bound', [0, 0, 1], 10],
])('percentile: %s → in its bucket', (_what, counts, expected) => {
  expect(percentileMs([0.001, 0.01], counts, 0.99)).toBe(expected)
})
