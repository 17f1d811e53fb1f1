/**
 * Contract by which the nodes of one installation share the sessions of a transport: at most one connection owns a
 * session, and the later connection wins. Knows no protocol and no SQL.
 */

export interface SessionClaim {
  /** Id of the session. It contains the name of its owner. */
  readonly sessionId: string
  /** True discards the state of an earlier connection. */
  readonly isClean: boolean
  /** Time for which the session outlives its connection, in seconds; 0: it ends with the connection. */
  readonly expirySeconds: number
}

export interface TakenSession {
  /** Number of this claim. A later claim of the session, on any node, has a larger number. */
  readonly fence: number
  /** Number of the previous claim; null without a session, or if the claim discarded it. */
  readonly previous: number | null
  /** Subscriptions of the session as the transport encoded them; null without any. */
  readonly subscriptions: string | null
}

export interface SessionDirectory {
  /**
   * Claims a session for a connection of this node. Every other node that had the session receives the news
   * `session-taken`.
   */
  take(claim: SessionClaim): Promise<TakenSession>

  /** Stores the subscriptions of a session. Does nothing if a later claim took the session. */
  keep(sessionId: string, fence: number, subscriptions: string | null): Promise<void>

  /**
   * Reports that the connection of a session ended. The session ends after `expirySeconds`, at once with 0. Does
   * nothing if a later claim took the session.
   */
  release(sessionId: string, fence: number, expirySeconds: number): Promise<void>
}
