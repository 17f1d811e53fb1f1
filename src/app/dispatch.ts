/** Connects the dispatcher to the transports and the open polls. No other file knows all of them. */

import type { MessageStore } from '../broker/contract/store.ts'
import type { Broker } from '../broker/engine/broker.ts'
import type { Hold } from '../broker/engine/dispatch-holds.ts'
import { Dispatcher } from '../broker/engine/dispatcher.ts'
import { PollWaits } from '../broker/engine/poll-waits.ts'
import type { WaitLimit } from '../broker/engine/waits.ts'
import type { Presence } from '../broker/views/presence.ts'
import type { Clock } from '../broker/vocabulary/clock.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../process/log.ts'
import { dispatchToAll, notifyAll } from '../transport/dispatch.ts'
import type { Transport, TransportServices } from '../transport/transport.ts'

export interface Dispatch extends Pick<TransportServices, 'attach' | 'detach'> {
  readonly pollWaits: PollWaits
  /** Returns the reason why dispatch to a device is on hold; null if the device has no connection. */
  hold(deviceId: string): Hold | null
  /** Stops all dispatches. Resolves when the running dispatches have finished. */
  close(): Promise<void>
}

export interface DispatchOptions {
  readonly broker: Broker
  readonly clock: Clock
  readonly messages: MessageStore
  readonly transports: readonly Transport[]
  readonly presence: Presence
  readonly waitLimit: WaitLimit
  readonly settings: Pick<Settings, 'sendMessagePeriodMs' | 'responseTimeoutMs' | 'maxAttempts'>
  readonly log: Log
}

export function openDispatch(options: DispatchOptions): Dispatch {
  const { broker, clock, messages, transports, presence, waitLimit, settings, log } = options
  let isClosed = false
  const attach = (deviceId: string, transport: string): void => {
    // A device that connects during shutdown gets its messages after the next start.
    if (!isClosed) dispatcher.attach(deviceId, transport)
  }
  const pollWaits: PollWaits = new PollWaits({
    presence,
    limit: waitLimit,
    connections: {
      attach,
      detach: (deviceId, transport) => void dispatcher.detach(deviceId, transport),
      decided: (deviceId) => dispatcher.decided(deviceId),
    },
  })
  const connections = [...transports, pollWaits]
  const dispatcher: Dispatcher = new Dispatcher({
    broker,
    clock,
    messages,
    log,
    connections: {
      dispatch: (deviceId, message) => dispatchToAll(connections, deviceId, message),
      disconnect(deviceId) {
        for (const each of connections) each.disconnect(deviceId)
      },
    },
    intervalMs: settings.sendMessagePeriodMs,
    attemptMs: settings.responseTimeoutMs,
    maxAttempts: settings.maxAttempts,
  })
  return {
    pollWaits,
    attach(deviceId, transport) {
      presence.connected(deviceId, transport)
      attach(deviceId, transport)
    },
    detach(deviceId, transport) {
      presence.disconnected(deviceId, transport)
      void dispatcher.detach(deviceId, transport)
    },
    hold: (deviceId) => dispatcher.hold(deviceId),
    close() {
      isClosed = true
      return dispatcher.close()
    },
  }
}

/**
 * Sends every change of a status to its producer, if the producer asked for it. Returns a function that unsubscribes.
 */
export function notifyProducers(broker: Broker, transports: readonly Transport[]): () => void {
  // Without a listener the broker need not look up the producer of a message.
  if (transports.length === 0) return () => {}
  return broker.onChange(({ messageId, status, cause, replyTo, details }) => {
    // A correlation id of 0 means that the producer wants no notification.
    if (!replyTo?.correlationId || replyTo.producerId === null) return
    const result = { id: messageId, tmpId: replyTo.correlationId, deliveryStatus: status }
    if (details === null) return notifyAll(transports, replyTo.producerId, result)
    const { atMs: date, ...reported } = details
    notifyAll(transports, replyTo.producerId, { ...result, details: { cause, ...reported, date } })
  })
}
