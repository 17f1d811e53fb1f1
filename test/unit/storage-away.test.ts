/** The duties of the server while the storage is away for a while. */
import { beforeEach, expect, test, vi } from 'vitest'
import { ClientList } from '../../src/auth/client-list.ts'
import { Imports } from '../../src/auth/imports.ts'
import { Presence } from '../../src/broker/views/presence.ts'
import { EXCHANGE_MS, SharedPresence } from '../../src/broker/views/shared-presence.ts'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { BrokerError } from '../../src/broker/vocabulary/errors.ts'
import { MemoryCluster } from '../../src/store/memory/memory-cluster.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { whenDone } from '../_support/cleanup.ts'
import { DispatchRig, holdClock } from '../_support/dispatch-rig.ts'
import { hold } from '../_support/held.ts'
import { Outage } from '../_support/outage.ts'
import { seeded } from '../_support/random.ts'
import { TemporaryStore } from '../_support/store.ts'

const AWAY = new BrokerError('storage-away', 'The database does not answer.')
const BY = { clientId: 'boss', keyId: null, address: null }

beforeEach(() => holdClock())

test('NO: its failed send cannot be stored → UNKNOWN when the storage is back, announced once', async () => {
  const store: MemoryStore = openMemory({ clock: systemClock, random: seeded(1) })
  const rig = new DispatchRig(() => store)
  rig.onDispatch = async () => false
  for (let n = 0; n < 3; n++) store.hold('sendFailed', 'effect').fail(AWAY)
  const id = await rig.enqueue({ guarantee: 'NO' })
  rig.dispatcher.attach('pump', 'MQTT')
  await rig.settle()
  expect(store.record(id)?.status).toBe('DELIVERED')
  await rig.passSeconds(5)
  expect(store.record(id)?.status).toBe('UNKNOWN')
  await rig.passSeconds(60)
  expect(rig.changes.filter(({ status }) => status === 'UNKNOWN')).toHaveLength(1)
})

test('import: its line of the audit trail cannot be written → another node may import', async () => {
  const cluster = new MemoryCluster()
  const clients = await ClientList.open(new TemporaryStore().clients)
  const audit = new TemporaryStore().audit
  const [first, second] = [cluster.node(), cluster.node()]
  const here = new Imports(
    clients,
    { add: () => Promise.reject(AWAY), complete: async () => {} },
    first.imports,
  )
  const there = new Imports(clients, audit, second.imports)
  await expect(here.start([], BY, hold)).rejects.toBe(AWAY)
  expect((await there.start([], BY, hold)).state).toBe('RUNNING')
  await there.close()
})

test('import: its end cannot be shown on the other nodes → shown when the storage is back', async () => {
  const cluster = new MemoryCluster()
  const outage = new Outage()
  const clients = await ClientList.open(new TemporaryStore().clients)
  const [first, second] = [cluster.node(), cluster.node()]
  const imports = new Imports(clients, new TemporaryStore().audit, outage.over(first.imports, 'imports'))
  outage.begin('imports.save')
  const { id } = await imports.start([], BY, hold)
  await imports.close()
  expect((await second.imports.get(id))?.state).toBe('RUNNING')
  outage.end()
  await vi.advanceTimersByTimeAsync(5_000)
  expect((await second.imports.get(id))?.state).toBe('DONE')
})

test('presence: the time of a device cannot be stored → stored with the next exchange', async () => {
  const node = new MemoryCluster().node()
  const outage = new Outage()
  const presence = new Presence()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const exchange = new SharedPresence({
    ...{ cluster: node.cluster, directory: outage.over(node.presence, 'presence'), presence },
    log: { debug() {}, warn() {} },
  })
  await exchange.start()
  whenDone(() => exchange.close())
  presence.seen('pump')
  outage.begin('presence.seen')
  await vi.advanceTimersByTimeAsync(EXCHANGE_MS)
  outage.end()
  await vi.advanceTimersByTimeAsync(EXCHANGE_MS)
  expect((await node.presence.seenSince(null)).devices).toMatchObject([{ deviceId: 'pump' }])
})
