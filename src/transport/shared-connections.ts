/**
 * Publishes the connections of this node to the other nodes, and ends connections of other nodes. Changes are batched
 * for a moment, so that a mass reconnect costs few writes.
 */
import type { Cluster } from '../broker/contract/cluster.ts'
import { levelOf } from '../broker/vocabulary/errors.ts'
import type { Log } from '../process/log.ts'
import { type ConnectionDirectory, IDS_OF_NODE, nodeOfConnection } from './connection-directory.ts'
import type { ConnectionFilter, FoundConnections, ListedConnection } from './connections.ts'

/** Time for which changes are batched, in milliseconds. */
const GATHER_MS = 200

export interface SharedConnectionsOptions {
  readonly cluster: Cluster
  readonly directory: ConnectionDirectory
  readonly log: Pick<Log, 'debug' | 'warn'>
}

export class SharedConnections {
  readonly #options: SharedConnectionsOptions
  /** Connections that have changed since the last write. */
  readonly #changed = new Set<number>()
  /** Written connections, with the node number at that time. */
  readonly #written = new Map<number, number>()
  #describe: (id: number) => ListedConnection | null = () => null
  #timer: NodeJS.Timeout | null = null
  #unsubscribe: () => void = () => {}

  constructor(options: SharedConnectionsOptions) {
    this.#options = options
  }

  /**
   * Starts the exchange for the connections of this node.
   *
   * @param describe returns the current state of a connection; null if it has closed or has not logged in
   * @param end ends a connection of this node
   */
  start(
    describe: (id: number) => ListedConnection | null,
    end: (id: number, by: string | null, discardsWill: boolean) => void,
  ): void {
    this.#describe = describe
    this.#unsubscribe = this.#options.cluster.onNews((news) => {
      if (news.is === 'connection-ended') end(news.connectionId, news.by, news.discardsWill)
    })
  }

  /** Lower bound of the ids of new connections. */
  get base(): number {
    return this.#options.cluster.nodeId * IDS_OF_NODE
  }

  /** Reports that a connection of this node was opened, has changed or was closed. */
  changed(id: number): void {
    this.#changed.add(id)
    this.#timer ??= setTimeout(() => this.#write(), GATHER_MS).unref()
  }

  /** Lists own connections together with the connections of the other nodes. */
  async list(
    own: readonly ListedConnection[],
    after: number,
    limit: number,
    deviceId: string | undefined,
  ): Promise<ListedConnection[]> {
    const others = await this.#options.directory.list(after, limit, deviceId ?? null)
    return [...own, ...others].sort((a, b) => a.id - b.id).slice(0, limit)
  }

  /** Searches own connections together with the connections of the other nodes. */
  async search(
    own: FoundConnections,
    after: number,
    limit: number,
    filter: ConnectionFilter,
  ): Promise<FoundConnections> {
    const others = await this.#options.directory.search(after, limit, filter)
    const items = [...own.items, ...others.items].sort((a, b) => a.id - b.id).slice(0, limit)
    return { items, total: own.total + others.total }
  }

  get(id: number): Promise<ListedConnection | null> {
    return this.#options.directory.get(id)
  }

  count(): Promise<number> {
    return this.#options.directory.count()
  }

  /** Ends a connection of another node. Resolves when the other node is certain to learn of it. */
  end(connectionId: number, by: string | null, discardsWill: boolean): Promise<void> {
    const nodeId = nodeOfConnection(connectionId)
    return this.#options.cluster.tell({ is: 'connection-ended', nodeId, connectionId, by, discardsWill })
  }

  close(): void {
    this.#unsubscribe()
    if (this.#timer) clearTimeout(this.#timer)
  }

  #write(): void {
    this.#timer = null
    const ids = [...this.#changed]
    this.#changed.clear()
    for (const id of ids) {
      this.#store(id).catch((error: unknown) => {
        this.#options.log[levelOf(error, 'warn')](
          { err: error },
          'a connection was not listed for other nodes; it is tried again',
        )
        this.changed(id)
      })
    }
  }

  async #store(id: number): Promise<void> {
    const { directory, cluster } = this.#options
    const { nodeId } = cluster
    const connection = this.#describe(id)
    if (connection !== null) {
      // The connection may have begun before this node registered again, and logged in afterwards.
      this.#written.set(id, nodeId)
      return directory.put(connection)
    }
    // Connections under an earlier number of this node no longer count, so they need no removal.
    if (this.#written.get(id) === nodeId) await directory.remove(id)
    this.#written.delete(id)
  }
}
