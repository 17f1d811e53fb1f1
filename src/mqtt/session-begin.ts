/** Implements the MQTT 5 rules for the start of a session, which the library omits. Knows no access control. */
import type { Aedes } from 'aedes'
import { hasCleanStart, type Peer, publishDelayedWill, resume } from './aedes-internals.ts'
import type { Sessions } from './sessions.ts'

/** Returns whether a session outlives its connection (MQTT 5 section 3.1.2.11.2). */
export function outlivesConnection(peer: Peer): boolean {
  return peer.sessionExpiryInterval > 0
}

/** Prepares the session of a client that has just logged in. */
export async function beginSession(aedes: Aedes, sessions: Sessions, peer: Peer): Promise<void> {
  const before = (aedes as unknown as { clients: Record<string, Peer | undefined> }).clients[peer.id]
  // A session ends with its taken-over connection, unless the connection asked for a longer session.
  if (before && !outlivesConnection(before)) await sessions.cleanSubscriptions(before)
  // A delayed will is due when its session ends (section 3.1.3.2.2).
  if (hasCleanStart(peer)) publishDelayedWill(aedes, peer, await sessions.getWill(peer))
  // The library would drop the content of a session that does not outlive this connection.
  else resume(peer)
}
