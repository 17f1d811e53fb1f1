/**
 * The contract for what the nodes of one installation tell each other beside messages and clients. A storage for one node
 * has none. Knows no SQL.
 */

/** News from one node to the others. */
export type News =
  /** A session of a transport began on the sender, so the connection of any other node with that session ends. */
  | {
      readonly is: 'session-taken'
      readonly sessionId: string
      /** Number of the claim. A claim with a larger number, on the receiver, is a later one. */
      readonly fence: number
      /** The new connection discards the session. */
      readonly isClean: boolean
    }
  /** An operator ended a connection of the receiver. */
  | {
      readonly is: 'connection-ended'
      readonly nodeId: number
      readonly connectionId: number
      /** True: a will of the client is not published. */
      readonly discardsWill: boolean
    }
  /** The first connection of a device was opened, or its last one closed, on the sender. */
  | {
      readonly is: 'presence'
      readonly deviceId: string
      readonly connected: boolean
      readonly transport: string
      readonly atMs: number
    }
  /** The sender announced where the other nodes reach it. */
  | { readonly is: 'node-listens' }
  /** The retained message of a topic was changed. */
  | { readonly is: 'retained'; readonly topic: string }

export interface Cluster {
  /** Number of this node. It changes when the node lost its lease and registered again. */
  readonly nodeId: number

  /** Tells whether the lease of this node holds at this moment. */
  isLive(): boolean

  /**
   * Tells every other node. Resolves when the news is durable: each node receives it, perhaps twice, or loses its lease and
   * begins again.
   */
  tell(news: News): Promise<void>

  /** Calls the listener with the news from other nodes. Returns a function that ends the subscription. */
  onNews(listener: (news: News, from: number) => void): () => void

  /**
   * Calls the listener when the lease of this node is over: the other nodes act as if this one were dead. The listener must
   * end every connection of a device before it returns. The node then registers again, under another number.
   */
  onLapse(listener: () => void): () => void
}
