/** Dispatches messages and notifications to all transports, because each may have connections of the client. */

import type { MaybePromise } from '../broker/contract/store.ts'
import type { DispatchedMessage, DispatchResult } from '../broker/vocabulary/message.ts'
import type { MessageResult } from '../wire/results.ts'
import type { Transport } from './transport.ts'

/** Dispatches a message to the connections of a device, over each transport. Never rejects. */
export function dispatchToAll(
  transports: readonly Pick<Transport, 'dispatch'>[],
  deviceId: string,
  message: DispatchedMessage,
): MaybePromise<DispatchResult> {
  let result: DispatchResult = false
  let pending: Promise<DispatchResult>[] | null = null
  for (const transport of transports) {
    const taken = transport.dispatch(deviceId, message)
    if (taken instanceof Promise) pending = [...(pending ?? []), taken]
    else if (result !== true) result = taken || result
  }
  if (result === true || pending === null) return result
  return pending.length === 1 ? (pending[0] as Promise<DispatchResult>) : anyOf(pending)
}

export function notifyAll(transports: readonly Transport[], producerId: string, result: MessageResult): void {
  for (const transport of transports) transport.notify(producerId, result)
}

async function anyOf(results: readonly Promise<DispatchResult>[]): Promise<boolean> {
  return (await Promise.all(results)).includes(true)
}
