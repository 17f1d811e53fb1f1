/** Contract by which the nodes of one installation list each other's connections. Knows no SQL. */
import type { ConnectionFilter, FoundConnections, ListedConnection } from './connections.ts'

export interface ConnectionDirectory {
  /** Stores the current state of a connection of this node. */
  put(connection: ListedConnection): Promise<void>

  remove(id: number): Promise<void>

  /** Lists connections of the other live nodes in the order of their ids. @param after begins after this id */
  list(after: number, limit: number, deviceId: string | null): Promise<readonly ListedConnection[]>

  /** Lists connections like `list`, and counts all matches. */
  search(after: number, limit: number, filter: ConnectionFilter): Promise<FoundConnections>

  /** Returns a connection of another live node; null if none has the id. */
  get(id: number): Promise<ListedConnection | null>

  /** Returns the number of connections of the other live nodes. */
  count(): Promise<number>
}

/**
 * Number of ids per node. The id of a connection is this times the number of its node, plus a number that grows by one.
 */
export const IDS_OF_NODE = 2 ** 32

export function nodeOfConnection(id: number): number {
  return Math.floor(id / IDS_OF_NODE)
}
