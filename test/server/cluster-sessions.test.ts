/** Two servers share sessions, connections and counts in memory. Each has a database of its own, with the same clients. */

import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { MemoryCluster, type MemoryNode } from '../../src/store/memory/memory-cluster.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { withClientsTwice } from '../_support/clients.ts'
import { clusterSessionsSuite } from '../contract/cluster-sessions.ts'

clusterSessionsSuite(async () => {
  const cluster = new MemoryCluster()
  const { statistics } = openMemory({ clock: systemClock, random: Math.random })
  const directories = await withClientsTwice('lamp', 'panel')
  const start = async (shared: MemoryNode, dataDir: string): Promise<BrokerUnderTest> =>
    BrokerUnderTest.start({
      dataDir,
      mqtt: true,
      env: { MQTT_EXTRA_TOPICS: 't/#' },
      replaced: { open: (options) => ({ ...openStorage(options), nodes: shared, statistics }) },
    })
  const [first, second] = [cluster.node(), cluster.node()]
  const [a, b] = [await start(first, directories[0]), await start(second, directories[1])]
  return { a, b, lapse: () => first.lapse(), kill: () => first.kill() }
})
