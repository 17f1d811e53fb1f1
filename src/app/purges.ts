/** Starts the purges of messages, audit lines and idempotency keys. */
import type { Clock } from '../broker/clock.ts'
import { startKeyPurge } from '../broker/key-purge.ts'
import { startRetention } from '../broker/retention.ts'
import type { Settings } from '../config/settings.ts'
import type { Storage } from '../store/storage.ts'
import type { Log } from '../web/app.ts'

export interface PurgesOptions {
  readonly storage: Pick<Storage, 'messages' | 'audit'>
  readonly settings: Pick<Settings, 'historyDays' | 'auditDays' | 'idempotencyHours'>
  /** Called after old messages were removed. */
  readonly onRemoved: () => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

/** Removes what is too old, now and then every hour. Returns a function that ends this. */
export function startPurges({
  storage,
  settings,
  onRemoved,
  clock,
  log,
}: PurgesOptions): () => Promise<unknown> {
  const { messages, audit } = storage
  const { historyDays, auditDays, idempotencyHours } = settings
  const auditLines = {
    purge: (beforeMs: number) => audit.purge(beforeMs),
    // Weeks may pass without a change by an admin, so the messages also say what time it was.
    newestMs: async () => {
      const times = await Promise.all([messages.newestMs(), audit.newestMs()])
      return times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a))
    },
  }
  const stops = [
    startRetention({ records: messages, name: 'messages', days: historyDays, onRemoved, clock, log }),
    startRetention({ records: auditLines, name: 'audit lines', days: auditDays, clock, log }),
    startKeyPurge({ messages, hours: idempotencyHours, clock, log }),
  ]
  return () => Promise.all(stops.map((stop) => stop()))
}
