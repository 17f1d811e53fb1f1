/** Fault runs with three nodes whose database, or whose network to it, fails under load. */
import { expect, test } from 'vitest'
import { NO_SMALL_DISK } from '../_support/small-disk.ts'
import {
  clusterRig,
  describeCluster,
  replicatedServers,
  startServer,
  tablesOnSmallDisk,
} from './_support/cluster-rig.ts'
import { expectNoViolation } from './_support/expect-run.ts'
import { faultRun, LEASE_AND_MORE_MS } from './_support/fault-run.ts'
import { moveDevices } from './_support/faults.ts'
import {
  breakNetwork,
  cancelStorm,
  commitWithoutSync,
  crashAfterAnswers,
  crashBackend,
  crashPostgres,
  failOver,
  fillDisk,
  killBackend,
  lockTable,
  slowAnswers,
  takeConnections,
} from './_support/postgres-faults.ts'

/** Commits that ask for no sync stay in memory for long. */
const LATE_SYNC = ['wal_writer_delay = 10s', 'wal_writer_flush_after = 1GB']

describeCluster('three nodes', () => {
  test('connections to PostgreSQL are killed, PostgreSQL crashes → no violation', async () => {
    const rig = await clusterRig()
    const kill = killBackend(rig.store)
    const faults = [kill, kill, crashBackend(rig.store), crashPostgres(rig.store)]
    await expectNoViolation({ name: 'kill PostgreSQL', ...rig, faults })
  })

  test('the network between a node and PostgreSQL stops, breaks, or loses answers → no violation', async () => {
    const rig = await clusterRig()
    const faults = [breakNetwork(rig, ['stop', 'refuse', 'mute'], 500, 4_000)]
    await expectNoViolation({ name: 'partition', ...rig, faults })
  })

  test('a node is cut off from PostgreSQL for longer than its lease → no violation', async () => {
    const rig = await clusterRig()
    const faults = [breakNetwork(rig, ['stop'], LEASE_AND_MORE_MS, LEASE_AND_MORE_MS + 2_000)]
    await expectNoViolation({ name: 'long partition', ...rig, faults })
  })

  test('every notification is lost → no violation', async () => {
    const rig = await clusterRig({ dropsNotifications: true })
    await expectNoViolation({ name: 'lost hints', ...rig, faults: [moveDevices] })
  })

  test('a table is locked for some seconds → no violation', async () => {
    const rig = await clusterRig()
    const faults = [
      lockTable(rig.store, ['messages', 'pending', 'device_lines', 'changes', 'nodes', 'tickets']),
    ]
    await expectNoViolation({ name: 'locks', ...rig, faults })
  })

  test('PostgreSQL answers late → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'slow disk', ...rig, faults: [slowAnswers(rig)] })
  })

  test('running statements are cancelled again and again → no violation', async () => {
    const rig = await clusterRig()
    await expectNoViolation({ name: 'cancel storm', ...rig, faults: [cancelStorm(rig.store)] })
  })

  test('other sessions take all connections, and connections of nodes end → no violation', async () => {
    const server = startServer('max_connections = 90')
    const rig = await clusterRig({ servers: [server] })
    await expectNoViolation({ name: 'no free connection', ...rig, faults: [takeConnections(rig.store)] })
  })

  test('the disk of the tables is full for some seconds → no violation', async ({ skip }) => {
    const server = startServer()
    const disk = await tablesOnSmallDisk(server, 64)
    if (disk === null) return skip(NO_SMALL_DISK)
    const rig = await clusterRig({ servers: [server] })
    await expectNoViolation({ name: 'full disk', ...rig, faults: [fillDisk(disk)] })
  })

  test('synchronous_commit is off for the role, and PostgreSQL crashes → no violation', async () => {
    const server = startServer(...LATE_SYNC)
    await server.query('ALTER ROLE waybill SET synchronous_commit = off')
    const rig = await clusterRig({ servers: [server] })
    await expectNoViolation({
      name: 'synchronous_commit = off',
      ...rig,
      faults: [crashAfterAnswers(rig.store)],
    })
  })

  test('control: sessions commit without a sync, and PostgreSQL crashes → answered commands are lost, or their ids are given out again', async () => {
    const rig = await clusterRig({ servers: [startServer(...LATE_SYNC)] })
    const { violations } = await faultRun({
      ...{ name: 'control: no sync', ...rig, faults: [crashAfterAnswers(rig.store)] },
      prepare: () => commitWithoutSync(rig.store),
    })
    expect([...violations.lost, ...violations.doubled]).not.toEqual([])
  })

  test('the primary crashes and its synchronous standby is promoted → no violation', async () => {
    const servers = await replicatedServers()
    const rig = await clusterRig({ servers: [servers.primary, servers.standby] })
    await expectNoViolation({ name: 'failover', ...rig, faults: [failOver(rig.store, servers)] })
  })
})
