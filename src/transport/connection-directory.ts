/** The contract by which the nodes of one installation list the connections of each other. Knows no SQL. */
import type { ConnectionFilter, FoundConnections, ListedConnection } from './connections.ts'

export interface ConnectionDirectory {
  /** Stores the present state of a connection of this node. */
  put(connection: ListedConnection): Promise<void>

  /** Removes a connection of this node. */
  remove(id: number): Promise<void>

  /** Lists connections of the other living nodes in the order of their ids. @param after begins behind this id */
  list(after: number, limit: number, deviceId: string | null): Promise<readonly ListedConnection[]>

  /** Lists connections as `list` does, and counts all that match. */
  search(after: number, limit: number, filter: ConnectionFilter): Promise<FoundConnections>

  /** Returns a connection of another living node; null when there is none with that id. */
  get(id: number): Promise<ListedConnection | null>

  /** Returns the number of connections of the other living nodes. */
  count(): Promise<number>
}

/** Number of ids of one node. The id of a connection is this times the number of its node, plus a number that grows by one. */
export const IDS_OF_NODE = 2 ** 32

/** Returns the node of a connection. */
export function nodeOfConnection(id: number): number {
  return Math.floor(id / IDS_OF_NODE)
}
