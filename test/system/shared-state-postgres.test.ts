/** The PostgreSQL driver of what nodes share, and two servers over it. Each server has its messages in a database of its own. */
import { describe, expect, test } from 'vitest'
import type { News } from '../../src/broker/contract/cluster.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { withClientsTwice } from '../_support/clients.ts'
import { NodesUnderTest, type OpenNode } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { clusterSessionsSuite } from '../contract/cluster-sessions.ts'
import { sharedStateSuite } from '../contract/shared-state.ts'

/** The tests wait for beats. */
const TIMES = { times: { beatMs: 200 } }

interface Opened {
  readonly nodes: readonly [OpenNode, OpenNode]
  /** Removes a node from the table, as other nodes do with a dead one. */
  remove(node: OpenNode): Promise<unknown>
  /** Returns the number of statements by which a node changed something. */
  statementsOf(node: OpenNode): Promise<number>
}

async function openNodes(): Promise<Opened> {
  const under = new NodesUnderTest(postgresServer())
  const nodes = [await under.open(TIMES), await under.open(TIMES)] as const
  const session = await under.session()
  return {
    nodes,
    remove: ({ node }) => session.query('DELETE FROM nodes WHERE node_id = $1', [node.id]),
    async statementsOf({ node }) {
      const { rows } = await session.query<{ sum: number }>(
        'SELECT sum(no)::int AS sum FROM tickets WHERE node_id = $1',
        [node.id],
      )
      return rows[0]?.sum ?? 0
    },
  }
}

describe('contract', () => {
  sharedStateSuite(async () => {
    const { nodes, remove } = await openNodes()
    const [a, b] = nodes
    const news: News[] = []
    a.cluster.onNews((each) => void news.push(each))
    return { a: a.nodes, b: b.nodes, news: async () => news, killB: async () => void (await remove(b)) }
  })
})

describe('servers', () => {
  clusterSessionsSuite(async () => {
    const opened = await openNodes()
    const [first, second] = opened.nodes
    const directories = await withClientsTwice('lamp', 'panel')
    const start = async ({ nodes, statistics }: OpenNode, dataDir: string): Promise<BrokerUnderTest> =>
      BrokerUnderTest.start({
        dataDir,
        mqtt: true,
        env: { MQTT_EXTRA_TOPICS: 't/#' },
        replaced: { open: (options) => ({ ...openStorage(options), nodes, statistics }) },
      })
    const [a, b] = [await start(first, directories[0]), await start(second, directories[1])]
    const remove = async () => void (await opened.remove(first))
    return { a, b, lapse: () => void remove(), kill: () => remove() }
  })
})

test('five thousand clients move to another node within a moment → a few dozen statements', async () => {
  const {
    nodes: [a, b],
    statementsOf,
  } = await openNodes()
  const ids = Array.from({ length: 5_000 }, (_, i) => `lamp ${i}\none`)
  const claim = ({ nodes }: OpenNode) =>
    Promise.all(ids.map((sessionId) => nodes.sessions.take({ sessionId, isClean: false, expirySeconds: 0 })))
  const before = await claim(a)
  const after = await claim(b)
  expect(after.map(({ previous }) => previous)).toEqual(before.map(({ fence }) => fence))
  expect(await statementsOf(b)).toBeLessThanOrEqual(40)
})
