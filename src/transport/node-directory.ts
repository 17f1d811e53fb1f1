/**
 * Contracts by which the nodes of one installation find each other's transport listeners, and share retained messages.
 * Types only.
 */

/** Address where the other nodes reach the transport of a node. */
export interface NodeAddress {
  readonly scheme: string
  /** Null: the address of this node as seen by the storage. */
  readonly host: string | null
  readonly port: number
}

export interface OtherNode {
  readonly nodeId: number
  readonly scheme: string
  readonly host: string
  readonly port: number
}

export interface NodeDirectory {
  /** Stores the address of this node under its current number. The other nodes receive the news `node-listens`. */
  announce(address: NodeAddress): Promise<void>

  /** Returns the other nodes with an announced address and a valid lease. */
  others(): Promise<readonly OtherNode[]>
}

export interface RetainedEntry {
  readonly topic: string
  /** The message as the transport encoded it; null if none is retained. */
  readonly content: string | null
  /** Milliseconds since 1970. The storage removes a message some time after it; null for never. */
  readonly expiresAtMs: number | null
}

export interface RetainedDirectory {
  /** Stores or removes the message of a topic. The last call wins, in the order of the storage. */
  put(entry: RetainedEntry): Promise<void>

  read(topics: readonly string[]): Promise<readonly RetainedEntry[]>

  /** Returns messages in the order of their topics. @param after the list begins after this topic */
  list(after: string, limit: number): Promise<readonly RetainedEntry[]>

  /**
   * Calls the listener with each topic whose message another node has changed, or with null if any may have changed.
   * Returns a function that unsubscribes.
   */
  watch(listener: (topic: string | null) => void): () => void
}

/** Issues and checks the proof that a connection comes from a node of this installation. */
export interface NodeProofs {
  /** Returns a short-lived password for a connection from one node to another. */
  issue(from: number, to: number): string
  /** Returns whether a password proves that a node connects to the node with this number. */
  isValid(password: string, to: number): boolean
}
