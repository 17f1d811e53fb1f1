/** Fault runs with one hot device, with clocks that differ, and the control that shows that the checks find something. */
import { expect, test } from 'vitest'
import { seedOfRun } from '../_support/random.ts'
import { clusterRig, describeCluster } from './_support/cluster-rig.ts'
import { expectNoViolation } from './_support/expect-run.ts'
import { type Fault, faultRun } from './_support/fault-run.ts'
import { killNode, moveDevices, moveSome } from './_support/faults.ts'
import { listOf, type Violations } from './_support/invariants.ts'
import { removeFence } from './_support/postgres-faults.ts'
import type { PostgresRunStore } from './_support/run-store.ts'
import { SteppingClocks } from './_support/stepping-clocks.ts'

const QUEUE_LIMIT = 40

describeCluster('three nodes', () => {
  test('64 producers send to one device → its limit is exact, no violation', async () => {
    const rig = await clusterRig()
    const checkLimit: Fault = async ({ records }) => {
      const pending = await rig.store.pending()
      if (pending > QUEUE_LIMIT) records.unexpected.push(`${pending} messages are pending`)
    }
    await expectNoViolation({
      ...{
        name: 'hot device',
        ...rig,
        devices: 1,
        pollers: 0,
        producers: 64,
        mqttShare: 0,
        perSecond: 200,
        gapMs: 100,
      },
      env: { WAYBILL_QUEUE_LIMIT: String(QUEUE_LIMIT) },
      faults: [checkLimit],
    })
  })

  test.skipIf(SteppingClocks.isMissing)('clocks of nodes differ and step → no violation', async () => {
    const rig = await clusterRig()
    const clocks = new SteppingClocks(rig.nodes)
    const step: Fault = async (run) => {
      clocks.set(Math.floor(run.random() * rig.nodes), Math.round((run.random() - 0.5) * 7_200))
    }
    const faults = [step, moveDevices, killNode]
    await expectNoViolation({ name: 'clock of a node', ...rig, faults, envOf: (node) => clocks.envOf(node) })
  })

  test('control: the same run with and without the fence in the database → violations only without', async () => {
    const seed = seedOfRun()
    const fenced = await controlRun('control: with the fence', seed)
    expect(listOf(fenced)).toEqual([])
    const open = await controlRun('control: the fence is removed', seed, removeFence)
    expect(open.intervals).not.toEqual([])
  })
})

/** Performs a run in which devices acknowledge long before the interval is over, so that a second node dispatches too early. */
async function controlRun(
  name: string,
  seed: number,
  prepare: (store: PostgresRunStore) => Promise<void> = async () => {},
): Promise<Violations> {
  const rig = await clusterRig()
  const { violations } = await faultRun({
    ...{ name, seed, ...rig, devices: 30, perSecond: 90, intervalMs: 200, gapMs: 500 },
    prepare: () => prepare(rig.store),
    faults: [moveSome(2_000)],
  })
  return violations
}
