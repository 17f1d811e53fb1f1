/** Removes expired idempotency keys, once an hour. */
import type { Log } from '../../process/log.ts'
import type { MessageStore } from '../contract/store.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'
import { startPeriodic } from './periodic.ts'

const HOUR_MS = 3_600_000

export interface KeyPurgeOptions {
  readonly messages: Pick<MessageStore, 'purgeSubmissions'>
  /** Number of hours for which a key is kept after its first use; 0 removes all keys. */
  readonly hours: number
  readonly log: Pick<Log, 'debug' | 'error'>
  readonly clock?: Clock
}

/**
 * Removes expired keys now and then every hour. @returns function that stops this; resolves when the current run is
 * over
 */
export function startKeyPurge(options: KeyPurgeOptions): () => Promise<void> {
  return startPeriodic(() => removeOldKeys(options), HOUR_MS, { atOnce: true })
}

/** Removes expired keys. Never rejects: the next run is in an hour. */
export async function removeOldKeys({
  messages,
  hours,
  log,
  clock = systemClock,
}: KeyPurgeOptions): Promise<void> {
  try {
    const removed = await messages.purgeSubmissions(clock.wallMs() - hours * HOUR_MS)
    if (removed > 0) log.debug({ removed, hours }, 'old idempotency keys removed')
  } catch (error) {
    log.error({ err: error }, 'old idempotency keys could not be removed; the next try is in an hour')
  }
}
