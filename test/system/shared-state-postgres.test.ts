/** The PostgreSQL driver of what nodes share, and two servers over it. Each server has its messages in a database of its own. */
import { describe, expect, test } from 'vitest'
import type { News } from '../../src/broker/cluster.ts'
import { openPostgres } from '../../src/store/postgres/database.ts'
import type { SharedState } from '../../src/store/shared-state.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { withClients } from '../_support/clients.ts'
import { PolledCluster } from '../_support/polled-cluster.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { clusterSessionsSuite } from '../contract/cluster-sessions.ts'
import { sharedStateSuite } from '../contract/shared-state.ts'

interface OpenNode {
  readonly shared: SharedState
  readonly cluster: PolledCluster
}

async function openNodes(): Promise<[OpenNode, OpenNode]> {
  const schema = newSchema()
  const open = async (): Promise<OpenNode> => {
    let cluster: PolledCluster | null = null
    const node = await openPostgres({
      ...{ hosts: [postgresServer().config], schema },
      cluster: (...parts) => {
        cluster = new PolledCluster(...parts)
        return cluster
      },
    })
    whenDone(() => node.close())
    return { shared: node.nodes as SharedState, cluster: cluster as unknown as PolledCluster }
  }
  return [await open(), await open()]
}

describe('contract', () => {
  sharedStateSuite(async () => {
    const [a, b] = await openNodes()
    const news: News[] = []
    a.cluster.onNews((each) => void news.push(each))
    return { a: a.shared, b: b.shared, news: async () => news, killB: () => b.cluster.end() }
  })
})

describe('servers', () => {
  clusterSessionsSuite(async () => {
    const [first, second] = await openNodes()
    const start = async ({ shared }: OpenNode): Promise<BrokerUnderTest> =>
      BrokerUnderTest.start({
        dataDir: await withClients('lamp', 'panel'),
        mqtt: true,
        env: { MQTT_EXTRA_TOPICS: 't/#' },
        replaced: { open: (options) => ({ ...openStorage(options), nodes: shared }) },
      })
    const [a, b] = [await start(first), await start(second)]
    return { a, b, lapse: null, kill: () => first.cluster.end() }
  })
})

test('five thousand clients move to another node within a moment → a few dozen statements', async () => {
  const [a, b] = await openNodes()
  const ids = Array.from({ length: 5_000 }, (_, i) => `lamp ${i}\none`)
  const claim = ({ shared }: OpenNode) =>
    Promise.all(ids.map((sessionId) => shared.sessions.take({ sessionId, isClean: false, expirySeconds: 0 })))
  const before = await claim(a)
  const after = await claim(b)
  expect(after.map(({ previous }) => previous)).toEqual(before.map(({ fence }) => fence))
  expect(await b.cluster.statements()).toBeLessThanOrEqual(40)
})
