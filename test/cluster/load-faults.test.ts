/** Fault runs with one hot device, with clocks that differ, and the control that shows that the checks find something. */
import { expect, test } from 'vitest'
import { clusterRig, describeCluster } from './_support/cluster-rig.ts'
import { expectNoViolation } from './_support/expect-run.ts'
import { type Fault, faultRun } from './_support/fault-run.ts'
import { killNode, moveDevices } from './_support/faults.ts'
import { removeFence } from './_support/postgres-faults.ts'
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
      ...{ name: 'hot device', ...rig, devices: 1, producers: 64, mqttShare: 0, perSecond: 200, gapMs: 100 },
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

  test('control: the fence is removed from the database → violations are found', async () => {
    const rig = await clusterRig()
    const { violations } = await faultRun({
      ...{ name: 'control: no fence', ...rig, devices: 30, acknowledgesWithinMs: 120, gapMs: 100 },
      prepare: () => removeFence(rig.store),
      faults: [moveDevices],
    })
    const { twoInFlight, intervals, outOfOrder, doubled } = violations
    expect([...twoInFlight, ...intervals, ...outOfOrder, ...doubled]).not.toEqual([])
  })
})
