/** The memory driver of what nodes share. */
import type { News } from '../../src/broker/contract/cluster.ts'
import { MemoryCluster } from '../../src/store/memory/memory-cluster.ts'
import { sharedStateSuite } from '../contract/shared-state.ts'

sharedStateSuite(async () => {
  const cluster = new MemoryCluster()
  const [a, b] = [cluster.node(), cluster.node()]
  const news: News[] = []
  a.cluster.onNews((each) => void news.push(each))
  return { a, b, news: async () => news, killB: async () => b.kill() }
})
