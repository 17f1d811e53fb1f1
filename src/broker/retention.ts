/** Removes old messages once an hour. A pending message is never removed. */
import type { BrokerLog } from './broker.ts'
import type { MessageStore } from './store.ts'

const DAY_MS = 86_400_000
const PERIOD_MS = 3_600_000

/**
 * Removes old messages now and then every hour.
 *
 * @param days number of days for which a message is kept after its latest change; 0: for ever
 * @returns ends this; resolves when the present run is over
 */
export function startRetention(messages: MessageStore, days: number, log: BrokerLog): () => Promise<void> {
  if (days === 0) return async () => {}
  let running = Promise.resolve()
  const run = async (): Promise<void> => {
    try {
      const removed = await messages.purge(Date.now() - days * DAY_MS)
      if (removed > 0) log.info({ removed, days }, 'old messages removed')
    } catch (error) {
      log.error({ err: error }, 'old messages could not be removed; the next try is in an hour')
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
