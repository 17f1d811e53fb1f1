/** Shows the library's own messages under `$SYS` with the names that people know. Knows no connection. */
import type { AedesPublishPacket } from 'aedes'
import { sessionFields } from './session-id.ts'

/**
 * Replaces the ids of sessions in a message of the library: the client's own id as text, or in JSON, the client id and the
 * device id. Returns any other message as it is.
 */
export function withShownIds(packet: AedesPublishPacket): AedesPublishPacket {
  const [, kind, verb] = /^\$SYS\/[^/]+\/(new|disconnect)\/(\w+)$/.exec(packet.topic) ?? []
  if (kind === undefined) return packet
  const text = packet.payload.toString()
  return { ...packet, payload: Buffer.from(verb === 'clients' ? sessionFields(text).clientId : inJson(text)) }
}

function inJson(text: string): string {
  const { clientId, ...fields } = JSON.parse(text) as { clientId: string }
  return JSON.stringify({ ...sessionFields(clientId), ...fields })
}
