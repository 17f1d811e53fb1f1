/** Shows the library's own messages under `$SYS` with readable session names. Knows no connection. */
import type { AedesPublishPacket } from 'aedes'
import { sessionFields } from './session-id.ts'

/**
 * Replaces the ids of sessions in a message of the library: in text by the client id, in JSON by the client id and the
 * device id. Returns any other message unchanged.
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
