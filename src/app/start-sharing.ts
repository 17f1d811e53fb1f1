/** Exchanges presence and rejections with the other nodes. Does nothing for a storage with one node. */

import { SharedPresence } from '../broker/views/shared-presence.ts'
import { levelOf } from '../broker/vocabulary/errors.ts'
import type { Log } from '../process/log.ts'
import type { Domain } from './domain.ts'

const FLUSH_MS = 10_000

/** Starts the exchange. Returns a function that stops it. */
export async function startSharing(
  { storage, presence, rejections }: Domain,
  log: Log,
): Promise<() => Promise<void>> {
  const shared = storage.nodes
  if (!shared) return async () => {}
  const exchange = new SharedPresence({
    cluster: shared.cluster,
    directory: shared.presence,
    presence,
    log,
  })
  await exchange.start()
  const flush = async (): Promise<void> => {
    await rejections.flush().catch((error: unknown) => {
      log[levelOf(error, 'warn')]({ err: error }, 'rejections were not stored; they are tried again')
    })
  }
  const timer = setInterval(() => void flush(), FLUSH_MS).unref()
  return async () => {
    clearInterval(timer)
    await exchange.close()
    await flush()
  }
}
