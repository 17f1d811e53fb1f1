/** Stores the counts of this process once a second, so that a crash loses at most one second of them. */

import type { Statistics } from '../broker/views/statistics.ts'
import { levelOf } from '../broker/vocabulary/errors.ts'
import type { Log } from '../process/log.ts'

const FLUSH_MS = 1_000

/** Starts to store the counts. Returns a function that stores the rest and stops. */
export function startStatistics(
  statistics: Pick<Statistics, 'flush' | 'flushDue'>,
  log: Log,
): () => Promise<void> {
  let running: Promise<void> | null = null
  let hasFailed = false
  const store = async (flush: () => Promise<void>): Promise<void> => {
    try {
      await flush()
      hasFailed = false
    } catch (error) {
      if (!hasFailed) {
        const text = 'the statistics were not stored; they are tried again each second'
        log[levelOf(error, 'warn')]({ err: error }, text)
      }
      hasFailed = true
    }
  }
  const timer = setInterval(() => {
    running ??= store(() => statistics.flushDue()).finally(() => {
      running = null
    })
  }, FLUSH_MS).unref()
  return async () => {
    clearInterval(timer)
    await running
    await store(() => statistics.flush())
  }
}
