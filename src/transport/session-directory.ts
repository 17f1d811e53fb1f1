/**
 * The contract by which the nodes of one installation share the sessions of a transport: at most one connection has a
 * session, and the later one wins. Knows no protocol and no SQL.
 */

/** A session that a connection begins or continues. */
export interface SessionClaim {
  /** Id of the session. It contains the name of its owner. */
  readonly sessionId: string
  /** True discards what an earlier connection left. */
  readonly isClean: boolean
  /** Time for which the session outlives its connection, in seconds; 0: it ends with the connection. */
  readonly expirySeconds: number
}

export interface TakenSession {
  /** Number of this claim. A later claim of the session, on any node, has a larger one. */
  readonly fence: number
  /** Number of the claim before; null when there was no session, or the claim discarded it. */
  readonly previous: number | null
  /** Subscriptions that the session kept, as the transport wrote them; null: none. */
  readonly subscriptions: string | null
}

export interface SessionDirectory {
  /**
   * Takes a session for a connection of this node. Every other node that had the session receives the news
   * `session-taken`.
   */
  take(claim: SessionClaim): Promise<TakenSession>

  /** Stores the subscriptions of a session. Changes nothing when a later claim took the session. */
  keep(sessionId: string, fence: number, subscriptions: string | null): Promise<void>

  /**
   * Reports that the connection of a session ended. The session ends after the time, at once with 0. Changes nothing when a
   * later claim took the session.
   */
  release(sessionId: string, fence: number, expirySeconds: number): Promise<void>
}
