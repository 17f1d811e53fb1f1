/**
 * Contract for the news between the nodes of one installation, other than messages and clients. A storage for one node
 * has none. Knows no SQL.
 */

export type News =
  /** A session of a transport began on the sender, so any other node ends its connection with that session. */
  | {
      readonly is: 'session-taken'
      readonly sessionId: string
      /** Number of the claim. A claim with a larger number, on the receiver, is later. */
      readonly fence: number
      /** True if the new connection discards the session. */
      readonly isClean: boolean
    }
  /** An operator ended a connection of the receiver. */
  | {
      readonly is: 'connection-ended'
      readonly nodeId: number
      readonly connectionId: number
      /** Client of the operator; null when access checks are off. */
      readonly by: string | null
      readonly discardsWill: boolean
    }
  /** The first connection of a device was opened, or its last connection closed, on the sender. */
  | {
      readonly is: 'presence'
      readonly deviceId: string
      readonly connected: boolean
      readonly transport: string
      readonly atMs: number
    }
  /** The sender announced the address at which other nodes reach it. */
  | { readonly is: 'node-listens' }
  /** The retained message of a topic was changed. */
  | { readonly is: 'retained'; readonly topic: string }

export interface Cluster {
  /** Number of this node. It changes when the node loses its lease and registers again. */
  readonly nodeId: number

  /** Returns whether this node currently holds its lease. */
  isLive(): boolean

  /**
   * Sends news to every other node. Resolves when the news is durable: each node receives it, possibly twice, or loses
   * its lease and starts over.
   */
  tell(news: News): Promise<void>

  /** Calls the listener with the news from other nodes. Returns a function that unsubscribes. */
  onNews(listener: (news: News, from: number) => void): () => void

  /**
   * Calls the listener when the lease of this node has lapsed: the other nodes then treat this node as dead. The
   * listener must end every connection of a device before it returns. The node then registers again, under another
   * number.
   */
  onLapse(listener: () => void): () => void
}
