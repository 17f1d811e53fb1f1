/** Starts and ends of servers in the log of a device: how long none ran. */
import { expect, test } from 'vitest'
import type { Run } from '../../src/broker/contract/presence-store.ts'
import { entriesOfRuns } from '../../src/broker/views/device-log-runs.ts'

const runOf = (id: number, startedMs: number, endedMs: number | null, how: Run['how'] = null): Run => ({
  ...{ id, nodeId: id, release: '1.0.0', startedMs, aliveMs: endedMs ?? 99_000, endedMs, how },
})
const secondsOf = (runs: readonly Run[]) =>
  entriesOfRuns(runs)
    .filter(({ reason }) => reason === 'STARTED')
    .map(({ detail }) => detail.seconds ?? null)

test('runs: stopped, lost, and started again → the seconds without a server; unknown before the first', () => {
  const lost: Run = { ...runOf(2, 20_000, 50_000, 'LOST'), aliveMs: 40_000 }
  const runs = [runOf(3, 50_000, null), lost, runOf(1, 1_000, 10_000, 'STOPPED')]
  expect(secondsOf(runs)).toEqual([null, 10, 10])
})

test('runs: another node ran meanwhile → no time without a server', () => {
  const runs = [runOf(3, 30_000, null), runOf(2, 5_000, null), runOf(1, 1_000, 10_000, 'STOPPED')]
  expect(secondsOf(runs)).toEqual([null, null, null])
})
