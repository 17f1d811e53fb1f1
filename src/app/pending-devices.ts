/** Tells the transports which devices have pending messages. */
import type { MessageStore } from '../broker/contract/store.ts'
import type { PendingDevices } from '../transport/transport.ts'

/**
 * Subscribes to the queues of a store. It must subscribe before the dispatcher does: a gateway then becomes a
 * connection of the device before the message is dispatched. In the other order, a device with its own connection would
 * receive the message twice.
 */
export function followPendingDevices(messages: MessageStore): PendingDevices & { close(): void } {
  const listeners = new Set<(deviceId: string) => void>()
  const close = messages.watch({
    added({ deviceId }) {
      for (const listener of listeners) listener(deviceId)
    },
  })
  return {
    list: () => messages.pendingDevices(),
    onAdded: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close,
  }
}
