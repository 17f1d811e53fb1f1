/**
 * Fault runs with three nodes on PostgreSQL: nodes, connections and the database fail under load. Each run has many faults of
 * its kind, and checks all promises at its end. `SEED=n` repeats the choices of a run, `SECONDS=600` makes long runs.
 */
import { expect, test, vi } from 'vitest'
import { LIMIT_MS } from '../_support/limits.ts'
import { clusterRig, describeCluster } from './_support/cluster-rig.ts'
import { type FaultRunOptions, faultRun } from './_support/fault-run.ts'
import { killNode, moveDevices, pauseNode, rollingRestart, takeoverStorm } from './_support/faults.ts'
import { listOf } from './_support/invariants.ts'
import { breakNetwork, crashPostgres, killBackend, slowAnswers } from './_support/postgres-faults.ts'

const seconds = Number(process.env.SECONDS ?? 0)
vi.setConfig({ testTimeout: 4 * LIMIT_MS + 2_000 * seconds })

/** Time for which a node is paused, longer than its lease of 10 s. */
const PAUSE_MS = 12_000

/** Performs a run, and expects no violation. */
async function expectNoViolation(options: FaultRunOptions): Promise<void> {
  const report = await faultRun(options)
  expect(report.answered, 'enough requests were answered to show something').toBeGreaterThan(100)
  expect(listOf(report.violations)).toEqual([])
}

describeCluster('three nodes', () => {
  test('nodes are killed → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'kill a node', ...rig, faults: [killNode] })
  })

  test('devices move, their old connections stay open for a while → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'moves', ...rig, faults: [moveDevices], acknowledgesWithinMs: 120 })
  })

  test('all devices move twice within a second → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'takeover storm', ...rig, faults: [takeoverStorm] })
  })

  test('a node is paused for longer than its lease → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'pause a node', ...rig, faults: [pauseNode(PAUSE_MS)] })
  })

  test('connections to PostgreSQL are killed, PostgreSQL crashes → no violation', async () => {
    const rig = await clusterRig()
    const kill = killBackend(rig.store)
    const faults = [kill, kill, kill, crashPostgres(rig.store)]
    await expectNoViolation({ name: 'kill PostgreSQL', ...rig, faults })
  })

  test('the network between a node and PostgreSQL stops, breaks, or loses answers → no violation', async () => {
    const rig = await clusterRig()
    const faults = [breakNetwork(rig.proxiesOf, ['stop', 'refuse', 'mute'], 4_000)]
    await expectNoViolation({ name: 'partition', ...rig, faults })
  })

  test('a node is cut off from PostgreSQL for longer than its lease → no violation', async () => {
    const rig = await clusterRig()
    const faults = [breakNetwork(rig.proxiesOf, ['stop'], 4 * PAUSE_MS)]
    await expectNoViolation({ name: 'long partition', ...rig, faults })
  })

  test('every notification is lost → no violation', async () => {
    const rig = await clusterRig({ dropsNotifications: true })
    await expectNoViolation({ name: 'lost hints', ...rig, faults: [moveDevices] })
  })

  test('PostgreSQL answers late → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'slow disk', ...rig, faults: [slowAnswers(rig.proxies)] })
  })

  test('nodes are restarted one after the other → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'rolling restart', ...rig, faults: [rollingRestart] })
  })
})
