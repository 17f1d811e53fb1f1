/**
 * The contracts by which the nodes of one installation find each other's listener of a transport, and share the messages that
 * the transport retains. Types only.
 */

/** Address where the other nodes reach the transport of a node. */
export interface NodeAddress {
  readonly scheme: string
  /** Null: the address that the storage sees of this node. */
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
  /** Stores the address of this node under its present number. The other nodes receive the news `node-listens`. */
  announce(address: NodeAddress): Promise<void>

  /** Returns the other nodes that have announced an address and whose lease holds. */
  others(): Promise<readonly OtherNode[]>
}

/** A retained message, or the removal of one. */
export interface RetainedEntry {
  readonly topic: string
  /** The message as the transport wrote it; null: none is retained. */
  readonly content: string | null
  /** Milliseconds since 1970. The storage removes a message some time after it; null: it never expires. */
  readonly expiresAtMs: number | null
}

export interface RetainedDirectory {
  /** Stores or removes the message of a topic. The last call wins, in the order of the storage. */
  put(entry: RetainedEntry): Promise<void>

  /** Returns the messages of these topics that there are. */
  read(topics: readonly string[]): Promise<readonly RetainedEntry[]>

  /** Returns messages in the order of their topics. @param after the list begins behind this topic */
  list(after: string, limit: number): Promise<readonly RetainedEntry[]>

  /**
   * Calls the listener with each topic whose message another node has changed, or with null when any may have changed.
   * Returns a function that ends the subscription.
   */
  watch(listener: (topic: string | null) => void): () => void
}

/** Issues and checks the proof that a connection comes from a node of this installation. */
export interface NodeProofs {
  /** Returns a password that is valid for a short time, from one node to one other. */
  issue(from: number, to: number): string
  /** Tells whether a password proves that a node connects to the node with this number. */
  isValid(password: string, to: number): boolean
}
