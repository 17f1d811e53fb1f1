/** Connects the broker's delivery with the transports: the one place that knows both. */
import type { Unanswered } from '../broker/attention.ts'
import type { Broker } from '../broker/broker.ts'
import { Delivery } from '../broker/delivery.ts'
import type { LineState } from '../broker/messages.ts'
import type { Presence } from '../broker/presence.ts'
import type { MessageStore } from '../broker/store.ts'
import type { Tally } from '../broker/tally.ts'
import type { Settings } from '../config/settings.ts'
import { dispatchToAll, notifyAll } from '../transport/dispatch.ts'
import type { Gateway, Transport } from '../transport/transport.ts'
import type { Log } from '../web/app.ts'

export interface Dispatch extends Pick<Gateway, 'attach' | 'detach'> {
  /** Tells how the delivery to a device stands; null when the device has no connection. */
  line(deviceId: string): LineState | null
  /** Lists messages to connected devices whose acknowledgement failed to come at least `times` times. */
  unanswered(times: number): Unanswered[]
  /** Dispatches nothing more. Resolves when the dispatches that have begun are over. */
  close(): Promise<void>
}

export interface DispatchOptions {
  readonly broker: Broker
  readonly messages: MessageStore
  readonly transports: readonly Transport[]
  readonly presence: Presence
  readonly tally: Tally
  readonly settings: Pick<Settings, 'sendMessagePeriodMs' | 'responseTimeoutMs'>
  readonly log: Log
}

export function openDispatch(options: DispatchOptions): Dispatch {
  const { broker, messages, transports, presence, tally, settings, log } = options
  let isClosed = false
  const delivery = new Delivery({
    broker,
    messages,
    publish: (deviceId, { id, command, guarantee, data }, atMs) =>
      dispatchToAll(transports, deviceId, { id, command, guarantee, data, atMs }),
    gapMs: settings.sendMessagePeriodMs,
    responseTimeoutMs: settings.responseTimeoutMs,
    tally,
    log,
  })
  return {
    attach(deviceId, transport) {
      presence.connected(deviceId, transport)
      // A device that connects while the server stops gets its messages after the next start.
      if (!isClosed) delivery.attach(deviceId)
    },
    detach(deviceId, transport) {
      presence.disconnected(deviceId, transport)
      void delivery.detach(deviceId)
    },
    line: (deviceId) => delivery.line(deviceId),
    unanswered: (times) => delivery.unanswered(times),
    close() {
      isClosed = true
      return delivery.close()
    },
  }
}

/** Sends every change of a status to the producer that asked for it. Returns a function that ends this. */
export function notifyProducers(broker: Broker, transports: readonly Transport[]): () => void {
  // Without a listener the broker need not look up whom a change concerns.
  if (transports.length === 0) return () => {}
  return broker.onChange(({ messageId, status, tmpId, producerId }) => {
    // tmpId 0: the producer wants no notification.
    if (!tmpId || producerId === null) return
    notifyAll(transports, producerId, { id: messageId, tmpId, deliveryStatus: status })
  })
}
