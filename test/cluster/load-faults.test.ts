/** Fault runs with one hot device, with clocks that differ, and the control that shows that the checks find something. */
import { expect, test } from 'vitest'
import { clusterRig, describeCluster } from './_support/cluster-rig.ts'
import { expectNoViolation } from './_support/expect-run.ts'
import { type Fault, faultRun } from './_support/fault-run.ts'
import { killNode, moveDevices, moveSome } from './_support/faults.ts'
import { listOf } from './_support/invariants.ts'
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

  test.each([true, false])(
    'control: devices move, the fence is in the database: %s → violations only without',
    async (isFenced) => {
      const rig = await clusterRig()
      const { violations } = await faultRun({
        ...{
          name: `control, ${isFenced ? 'with' : 'without'} the fence`,
          ...rig,
          devices: 30,
          perSecond: 90,
        },
        // A device acknowledges long before the interval is over, so a second node that dispatches to it is too early.
        ...{ intervalMs: 200, gapMs: 500 },
        prepare: async () => {
          if (!isFenced) await removeFence(rig.store)
        },
        faults: [moveSome(2_000)],
      })
      if (isFenced) expect(listOf(violations)).toEqual([])
      else expect(violations.intervals).not.toEqual([])
    },
  )
})
