/** Applies the limits of both sides to a newly connected client of version 5. Knows no access control. */
import type { Log } from '../process/log.ts'
import type { Peer } from './aedes-internals.ts'
import type { MqttConnection } from './connection.ts'
import { OutgoingLimits } from './outgoing-limits.ts'
import { givenId } from './session-id.ts'
import type { Sessions } from './sessions.ts'

/** Number of packet identifiers, and so the maximum number of messages in flight. */
const MAX_IDENTIFIERS = 65_535

export function applyClientLimits(peer: Peer, sessions: Sessions, log: Log): void {
  const connection = peer.conn as MqttConnection
  const { receiveMaximum, maximumPacketSize } = peer
  if (receiveMaximum >= MAX_IDENTIFIERS && maximumPacketSize === undefined) return
  connection.outgoingLimits = new OutgoingLimits({
    receiveMaximum,
    maximumPacketSize: maximumPacketSize ?? Number.POSITIVE_INFINITY,
    write: (bytes) => connection.queue(bytes),
    onDropped: (bytes, messageId) => {
      const message = `a packet of ${bytes} bytes was dropped: the client takes at most ${maximumPacketSize}`
      log.info({ clientId: givenId(peer.id) }, message)
      // A dropped message counts as sent and acknowledged [MQTT-3.1.2-25].
      if (messageId !== null) void sessions.outgoingClearMessageId(peer, { messageId })
    },
  })
}
