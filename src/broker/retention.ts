/** Removes messages whose time in the history is over, once an hour. Never touches one that still waits. */
import type { BrokerLog } from './broker.ts'
import type { MessageStore } from './store.ts'

const DAY_MS = 86_400_000
const PERIOD_MS = 3_600_000

/**
 * @param days how long a message is kept after its last change; 0: for ever
 * @returns stops it; resolves when a run that is under way has ended
 */
export function startRetention(messages: MessageStore, days: number, log: BrokerLog): () => Promise<void> {
  if (days === 0) return async () => {}
  let running = Promise.resolve()
  const run = async (): Promise<void> => {
    try {
      const removed = await messages.purge(Date.now() - days * DAY_MS)
      if (removed > 0) log.info({ removed, days }, 'old messages removed from the history')
    } catch (error) {
      log.error({ err: error }, 'the history could not be shortened; the next try is in an hour')
    }
  }
  const start = (): void => {
    running = run()
  }
  const timer = setInterval(start, PERIOD_MS).unref()
  start()
  return async () => {
    clearInterval(timer)
    await running
  }
}
