/** A Cluster that reads the journal at a short period, for tests of what nodes share. */
import type { Cluster, News } from '../../src/broker/cluster.ts'
import type { Connection } from '../../src/store/postgres/connection.ts'
import type { Node } from '../../src/store/postgres/node.ts'
import { whenDone } from './cleanup.ts'

const PERIOD_MS = 20

export class PolledCluster implements Cluster {
  readonly #node: Node
  readonly #connection: Connection
  readonly #listeners = new Set<(news: News, from: number) => void>()
  #seq = 0

  constructor(node: Node, connection: Connection) {
    this.#node = node
    this.#connection = connection
    let reading: Promise<void> | null = null
    const timer = setInterval(() => {
      reading ??= this.#read().finally(() => {
        reading = null
      })
    }, PERIOD_MS)
    whenDone(async () => {
      clearInterval(timer)
      await reading
    })
  }

  get nodeId(): number {
    return this.#node.id
  }

  async tell(news: News): Promise<void> {
    await this.#connection.run('SELECT add_news($1, $2, $3)', [this.nodeId, '', JSON.stringify(news)])
  }

  onNews(listener: (news: News, from: number) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onLapse(): () => void {
    return () => {}
  }

  /** Ends the lease of the node as seen by the others. */
  async end(): Promise<void> {
    await this.#connection.run('UPDATE nodes SET lease_until_ms = 0 WHERE node_id = $1', [this.nodeId])
  }

  /** Returns the number of statements that the node sent to change something. */
  async statements(): Promise<number> {
    const [row] = await this.#connection.run<{ sum: number }>(
      'SELECT sum(no)::int AS sum FROM tickets WHERE node_id = $1',
      [this.nodeId],
    )
    return row?.sum ?? 0
  }

  async #read(): Promise<void> {
    // The only other transactions of these tests are short, so the order of the numbers is that of the commits.
    const rows = await this.#connection
      .run<{ seq: number; origin: number; content: News }>(
        `WITH beat AS (UPDATE nodes SET lease_until_ms = now_ms() + 10000 WHERE node_id = $2 AND lease_until_ms > 0)
         SELECT seq, origin, content FROM changes WHERE seq > $1 AND kind = 'news' ORDER BY seq`,
        [this.#seq, this.nodeId],
      )
      .catch(() => [])
    for (const { seq, origin, content } of rows) {
      this.#seq = seq
      if (origin !== this.nodeId) for (const listener of this.#listeners) listener(content, origin)
    }
  }
}
