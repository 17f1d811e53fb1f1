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
  readonly storage: Pick<Storage, 'messages' | 'audit' | 'statistics' | 'presence' | 'incidents'>
  readonly settings: Pick<
    Settings,
    'historyDays' | 'auditDays' | 'incidentDays' | 'idempotencyHours' | 'deviceLogDays'
  >
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
  const { messages, audit, statistics, presence, incidents } = storage
  const { historyDays, auditDays, incidentDays, idempotencyHours, deviceLogDays } = settings
  // Weeks may pass without a change by an admin, and without an incident, so the messages also indicate the time.
  const withMessages = (records: DatedRecords): DatedRecords => ({
    purge: (beforeMs) => records.purge(beforeMs),
    newestMs: async () => {
      const times = await Promise.all([messages.newestMs(), records.newestMs()])
      return times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a))
    },
  })
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
  // Rows are removed each hour, and the purge of messages already warns of a wrong clock.
  const quiet = { info: debug, warn: debug, error: (fields: object, text: string) => log.error(fields, text) }
  const rows = (name: string, days: number, purge: DatedRecords['purge']) =>
    startRetention({
      records: { purge, newestMs: () => messages.newestMs() },
      name,
      days,
      clock,
      log: quiet,
    })
  const counts = (stepMs: RowStep, keptMs: number) =>
    rows('statistics', keptMs / DAY_MS, (beforeMs) => statistics.purge(stepMs, beforeMs))
  const stops = [
    startRetention({ records: messages, name: 'messages', days: historyDays, onRemoved, clock, log }),
    startRetention({ records: withMessages(audit), name: 'audit lines', days: auditDays, clock, log }),
    startRetention({
      records: withMessages(incidents),
      name: 'incidents',
      days: incidentDays,
      clock,
      log: quiet,
    }),
    counts(MINUTE_MS, MINUTES_KEPT_MS),
    counts(HOUR_MS, HOURS_KEPT_MS),
    // Without a log, the periods that were stored before are removed after a day.
    rows('periods of presence', deviceLogDays || 1, (beforeMs) => presence.purge(beforeMs)),
    startKeyPurge({ messages, hours: idempotencyHours, clock, log }),
  ]
  return () => Promise.all(stops.map((stop) => stop()))
}
