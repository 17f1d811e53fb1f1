/** The list of connections that nodes share, when this node registers again. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Cluster } from '../../src/broker/contract/cluster.ts'
import type { ListedConnection } from '../../src/transport/connections.ts'
import { SharedConnections } from '../../src/transport/shared-connections.ts'

const listed = new Set<number>()
const open = new Set<number>()
const removed: number[] = []
let nodeId = 1
let shared: SharedConnections

beforeEach(() => {
  vi.useFakeTimers()
  nodeId = 1
  for (const each of [listed, open]) each.clear()
  removed.length = 0
  const cluster = {
    get nodeId() {
      return nodeId
    },
    onNews: () => () => {},
  } as unknown as Cluster
  shared = new SharedConnections({
    cluster,
    directory: {
      put: async ({ id }) => void listed.add(id),
      remove: async (id) => {
        removed.push(id)
        listed.delete(id)
      },
      list: async () => [],
      search: async () => ({ items: [], total: 0 }),
      get: async () => null,
      count: async () => 0,
    },
    log: console as never,
  })
  shared.start(
    (id) => (open.has(id) ? ({ id } as ListedConnection) : null),
    () => {},
  )
})

afterEach(() => {
  shared.close()
  vi.useRealTimers()
})

async function change(id: number, isOpen: boolean): Promise<void> {
  if (isOpen) open.add(id)
  else open.delete(id)
  shared.changed(id)
  await vi.runAllTimersAsync()
}

test('shared connections: one began before this node registered again, and logged in afterwards → listed until it closes', async () => {
  const id = shared.base + 1
  nodeId = 2
  await change(id, true)
  expect([...listed]).toEqual([id])
  await change(id, false)
  expect([...listed]).toEqual([])
})

test('shared connections: one was listed by an earlier number of this node, and closes → no removal', async () => {
  const id = shared.base + 1
  await change(id, true)
  nodeId = 2
  await change(id, false)
  expect(removed).toEqual([])
})
