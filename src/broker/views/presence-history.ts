/** Shows admins the presence of a device over a time, and the runs of the servers. Knows no SQL. */
import { type AuditStore, EVERY_LINE } from '../../audit/audit.ts'
import type { IncidentStore } from '../contract/incident-store.ts'
import type { Page } from '../contract/message-log.ts'
import type { PresenceStore, Run } from '../contract/presence-store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import type { LogKind } from '../vocabulary/presence.ts'
import { deviceLog } from './device-log.ts'
import type { LogEntry } from './device-log-entry.ts'
import type { PresenceRecorder } from './presence-recorder.ts'
import { type PresenceReport, presenceReport } from './presence-spans.ts'

/** Maximum time of a report. */
export const MAX_RANGE_MS = 366 * 86_400_000
/** Maximum periods and runs that a report reads, the newest first. */
const MAX_READ = 5_000

export interface PresenceHistoryOptions {
  readonly store: Pick<PresenceStore, 'periods' | 'events' | 'runs' | 'sightings'>
  readonly audit: Pick<AuditStore, 'list'>
  readonly incidents: Pick<IncidentStore, 'ofDevice'>
  readonly recorder: Pick<PresenceRecorder, 'flushChanges'>
  readonly clock: Clock
}

export interface DeviceLogQuery {
  readonly fromMs: number
  readonly toMs: number
  readonly kinds: readonly LogKind[]
  readonly before?: string | undefined
  readonly limit: number
}

export class PresenceHistory {
  readonly #options: PresenceHistoryOptions

  constructor(options: PresenceHistoryOptions) {
    this.#options = options
  }

  /** Returns the time of the server, for the defaults of a range. */
  nowMs(): number {
    return this.#options.clock.wallMs()
  }

  /** Returns the presence of a device with any id. @throws {BrokerError} bad-range */
  async report(deviceId: string, fromMs: number, toMs: number): Promise<PresenceReport> {
    checkRange(fromMs, toMs)
    const { store, recorder } = this.#options
    await recorder.flushChanges()
    const [periods, events, runs, [sighting]] = await Promise.all([
      store.periods(deviceId, fromMs, toMs, MAX_READ),
      store.events(deviceId, fromMs, toMs, MAX_READ),
      store.runs(fromMs, toMs, MAX_READ),
      store.sightings([deviceId]),
    ])
    const { firstMs = null, pollSeconds = null } = sighting ?? {}
    return presenceReport({ periods, events, runs, firstMs, pollSeconds, fromMs, toMs, nowMs: this.nowMs() })
  }

  /**
   * Returns the log of a device with any id, the newest entries first.
   *
   * @param query.kinds empty: all
   * @param query.before id of an entry: the list continues behind the entry
   * @throws {BrokerError} bad-range
   */
  async log(deviceId: string, query: DeviceLogQuery): Promise<Page<LogEntry, string>> {
    const { fromMs, toMs, kinds, before, limit } = query
    checkRange(fromMs, toMs)
    const { store, audit, incidents: incidentStore, recorder } = this.#options
    await recorder.flushChanges()
    const about = { ...EVERY_LINE, object: deviceId }
    const [periods, events, runs, lines, services, incidents] = await Promise.all([
      store.periods(deviceId, fromMs, toMs, MAX_READ),
      store.events(deviceId, fromMs, toMs, MAX_READ),
      store.runs(fromMs, toMs, MAX_READ),
      audit.list({ ...about, fromMs, toMs }, MAX_READ),
      audit.list({ ...about, action: 'device.service', toMs: fromMs }, 1),
      incidentStore.ofDevice(deviceId, fromMs, toMs, MAX_READ),
    ])
    const sources = {
      periods,
      events,
      runs,
      lines: [...lines, ...services],
      incidents,
      nowMs: this.nowMs(),
    }
    const found = deviceLog(sources, fromMs, toMs).filter(
      ({ id, kind }) => (before === undefined || id < before) && (kinds.length === 0 || kinds.includes(kind)),
    )
    const items = found.slice(0, limit)
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null }
  }

  /** Returns the runs that overlap a time, the newest first. @throws {BrokerError} bad-range */
  async runs(fromMs: number, toMs: number, limit: number): Promise<readonly Run[]> {
    checkRange(fromMs, toMs)
    return this.#options.store.runs(fromMs, toMs, limit)
  }
}

function checkRange(fromMs: number, toMs: number): void {
  if (fromMs < toMs && toMs - fromMs <= MAX_RANGE_MS) return
  throw new BrokerError('bad-range', 'The range must begin before it ends, and have at most 366 days.')
}
