/** Builds and reads the ids of MQTT sessions. Knows no connection. */

/**
 * Builds the id of a session from the user name and the MQTT client id. It contains the user name, so that no other client
 * can take the session over with the same MQTT client id. Neither part has a line break.
 */
export function sessionId(username: string | undefined, clientId: string): string {
  return `${username ?? ''}\n${clientId}`
}

/** Returns the client id in the id of a session; empty if the client gave none and the library made one. */
export function givenId(sessionId: string): string {
  const end = sessionId.indexOf('\n')
  return end < 0 ? '' : sessionId.slice(end + 1)
}

/** Fields of a log line that name a session to people. */
export interface SessionFields {
  /** Client id that the client gave, or that the library made. */
  readonly clientId: string
  readonly deviceId: string
}

/** Returns the names of a session for the log and `$SYS`. @param owner device id, for a session whose id has none */
export function sessionFields(sessionId: string | null | undefined, owner?: string): SessionFields {
  const id = sessionId ?? ''
  const end = id.indexOf('\n')
  return { clientId: id.slice(end + 1), deviceId: owner ?? id.slice(0, Math.max(end, 0)) }
}
