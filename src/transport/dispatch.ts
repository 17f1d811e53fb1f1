/** Hands messages and notifications to all transports, since each may have connections of the client. */
import type { DispatchedMessage } from '../broker/message.ts'
import type { Soon } from '../broker/store.ts'
import type { MessageResult } from '../wire/results.ts'
import type { Transport } from './transport.ts'

/** Hands a message to the connections of a device. Resolves to true if at least one took it whole; never rejects. */
export function dispatchToAll(
  transports: readonly Pick<Transport, 'dispatch'>[],
  deviceId: string,
  message: DispatchedMessage,
): Soon<boolean> {
  let isTaken = false
  let pending: Promise<boolean>[] | null = null
  for (const transport of transports) {
    const taken = transport.dispatch(deviceId, message)
    if (typeof taken !== 'boolean') pending = [...(pending ?? []), taken]
    else if (taken) isTaken = true
  }
  if (isTaken || pending === null) return isTaken
  return pending.length === 1 ? (pending[0] as Promise<boolean>) : anyOf(pending)
}

/** Sends the status of a message to its producer, over every transport. */
export function notifyAll(transports: readonly Transport[], producerId: string, result: MessageResult): void {
  for (const transport of transports) transport.notify(producerId, result)
}

async function anyOf(results: readonly Promise<boolean>[]): Promise<boolean> {
  return (await Promise.all(results)).includes(true)
}
