import { HOUR_MS, MINUTE_MS, type RowStep } from '../broker/contract/statistics-store.ts'
import { startKeyPurge } from '../broker/engine/key-purge.ts'
import { type DatedRecords, startRetention } from '../broker/engine/retention.ts'
import { HOURS_KEPT_MS, MINUTES_KEPT_MS } from '../broker/views/statistics-report.ts'
import { levelOf } from '../broker/vocabulary/errors.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../process/log.ts'
import type { Storage } from '../store/storage.ts'
import type { Domain } from './domain.ts'

const DAY_MS = 86_400_000

export interface PurgesOptions extends Pick<Domain, 'clock' | 'duties' | 'parked'> {
  readonly storage: Pick<Storage, 'messages' | 'audit' | 'statistics' | 'presence'>
  readonly settings: Pick<Settings, 'historyDays' | 'auditDays' | 'idempotencyHours' | 'deviceLogDays'>
  readonly log: Log
}

/** Removes expired data, at once and then every hour. Returns a function that stops this. */
export function startPurges({
  storage,
  settings,
  parked,
  duties,
  clock,
  log,
}: PurgesOptions): () => Promise<unknown> {
  const { messages, audit, statistics, presence } = storage
  const { historyDays, auditDays, idempotencyHours, deviceLogDays } = settings
  const auditLines = {
    purge: (beforeMs: number) => audit.purge(beforeMs),
    // Weeks may pass without a change by an admin, so the messages also indicate the time.
    newestMs: async () => {
      const times = await Promise.all([messages.newestMs(), audit.newestMs()])
      return times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a))
    },
  }
  const onRemoved = (): Promise<void> =>
    duties.perform(
      () => parked.load(),
      (error) =>
        log[levelOf(error, 'warn')](
          { err: error },
          'the parked messages were not counted; it is tried again',
        ),
    )
  const debug = (fields: object, text: string): void => log.debug(fields, text)
  const rows = (name: string, days: number, purge: DatedRecords['purge']) =>
    startRetention({
      records: { purge, newestMs: () => messages.newestMs() },
      name,
      days,
      clock,
      // Rows are removed each hour, and the purge of messages already warns of a wrong clock.
      log: { info: debug, warn: debug, error: (fields, text) => log.error(fields, text) },
    })
  const counts = (stepMs: RowStep, keptMs: number) =>
    rows('statistics', keptMs / DAY_MS, (beforeMs) => statistics.purge(stepMs, beforeMs))
  const stops = [
    startRetention({ records: messages, name: 'messages', days: historyDays, onRemoved, clock, log }),
    startRetention({ records: auditLines, name: 'audit lines', days: auditDays, clock, log }),
    counts(MINUTE_MS, MINUTES_KEPT_MS),
    counts(HOUR_MS, HOURS_KEPT_MS),
    // Without a log, the periods that were stored before are removed after a day.
    rows('periods of presence', deviceLogDays || 1, (beforeMs) => presence.purge(beforeMs)),
    startKeyPurge({ messages, hours: idempotencyHours, clock, log }),
  ]
  return () => Promise.all(stops.map((stop) => stop()))
}
