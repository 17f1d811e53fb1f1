/** Builds and reads the ids of MQTT sessions. Knows no connection. */

/**
 * Builds the id of a session. A session belongs to one client, so that no other client takes it over by its MQTT client
 * id. Neither part has a line break.
 */
export function sessionId(username: string | undefined, clientId: string): string {
  return `${username ?? ''}\n${clientId}`
}

/** Reads the client id in a session's id; empty where the client gave none, and the library made one. */
export function givenId(sessionId: string): string {
  const end = sessionId.indexOf('\n')
  return end < 0 ? '' : sessionId.slice(end + 1)
}
