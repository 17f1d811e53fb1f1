/** Builds and reads the ids of MQTT sessions. Knows no connection. */

/**
 * Builds the id of a session from the user name and the MQTT client id. The id contains the user name, so that no other
 * client can take over the session with the same MQTT client id. Neither part has a line break.
 */
export function sessionId(username: string | undefined, clientId: string): string {
  return `${username ?? ''}\n${clientId}`
}

/** Returns the client id in a session id; empty if the client sent none and the library generated one. */
export function givenId(sessionId: string): string {
  const end = sessionId.indexOf('\n')
  return end < 0 ? '' : sessionId.slice(end + 1)
}

/** Log fields that name a session to operators. */
export interface SessionFields {
  /** Client id that the client sent, or that the library generated. */
  readonly clientId: string
  readonly deviceId: string
}

/** Returns the names of a session for the log and `$SYS`. @param owner device id, for a session id without one */
export function sessionFields(sessionId: string | null | undefined, owner?: string): SessionFields {
  const id = sessionId ?? ''
  const end = id.indexOf('\n')
  return { clientId: id.slice(end + 1), deviceId: owner ?? id.slice(0, Math.max(end, 0)) }
}
