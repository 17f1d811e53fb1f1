/** Sends news between the nodes through the journal. */
import type { Cluster, News } from '../../../broker/contract/cluster.ts'
import { SHARED, type Verbs } from '../database/verbs.ts'
import type { Journal } from './journal.ts'
import type { Node } from './node.ts'

const KIND = 'news'

export interface ClusterOptions {
  readonly verbs: Verbs
  readonly journal: Journal
  readonly node: Node
}

export class PostgresCluster implements Cluster {
  readonly #node: Node
  readonly #journal: Journal
  readonly #tell: (news: News) => Promise<null>

  constructor({ verbs, journal, node }: ClusterOptions) {
    this.#node = node
    this.#journal = journal
    this.#tell = verbs.write<News, null>({ name: 'tell', keysOf: () => SHARED })
  }

  get nodeId(): number {
    return this.#node.id
  }

  isLive(): boolean {
    return this.#node.isLive()
  }

  async tell(news: News): Promise<void> {
    await this.#tell(news)
  }

  onNews(listener: (news: News, from: number) => void): () => void {
    return this.#journal.on(KIND, ({ content, origin }) => listener(content as News, origin))
  }

  onLapse(listener: () => void): () => void {
    return this.#node.onLapse(listener)
  }
}
