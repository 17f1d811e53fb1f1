/**
 * Fault runs with three nodes on PostgreSQL whose nodes and devices fail under load. Each run has many faults of its kind, and
 * checks all promises at its end. `SEED=n` repeats the choices of a run, `SECONDS=600` makes long runs.
 */
import { test } from 'vitest'
import { clusterRig, describeCluster } from './_support/cluster-rig.ts'
import { expectNoViolation } from './_support/expect-run.ts'
import { LEASE_AND_MORE_MS } from './_support/fault-run.ts'
import {
  killNode,
  moveDevices,
  pauseAndMove,
  pauseNode,
  rollingRestart,
  takeoverStorm,
} from './_support/faults.ts'

/** `PAUSE=60` pauses a node for 60 seconds, after which the other nodes have removed it. */
const PAUSE_MS = process.env.PAUSE ? 1_000 * Number(process.env.PAUSE) : LEASE_AND_MORE_MS

describeCluster('three nodes', () => {
  test('nodes are killed → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'kill a node', ...rig, faults: [killNode] })
  })

  test('a node is paused for longer than its lease → no violation', async () => {
    const rig = await clusterRig()
    const faults = [pauseAndMove(PAUSE_MS)]
    // The devices keep their connections to the paused node, so that node has to end them.
    await expectNoViolation({ name: 'pause a node', ...rig, faults, patienceMs: 3 * PAUSE_MS })
  })

  test('devices move, their old connections stay open for a while → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'moves', ...rig, faults: [moveDevices], acknowledgesWithinMs: 120 })
  })

  test('all devices move twice within a second → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'takeover storm', ...rig, faults: [takeoverStorm] })
  })

  test('nodes are restarted one after the other → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'rolling restart', ...rig, faults: [rollingRestart] })
  })

  test('nodes are killed and paused, half of the devices are behind a gateway → no violation', async () => {
    const rig = await clusterRig()
    const faults = [killNode, pauseNode(3_000), moveDevices]
    await expectNoViolation({ name: 'gateway', ...rig, devices: 26, behindGateway: 28, faults })
  })

  test('nodes are killed and paused while devices move → no violation', async () => {
    const rig = await clusterRig()
    const faults = [killNode, pauseNode(3_000), moveDevices, moveDevices]
    await expectNoViolation({ name: 'all faults of nodes', ...rig, faults })
  })
})
