/** Shows admins the presence of a device over a time, and the runs of the servers. Knows no SQL. */
import { type AuditStore, EVERY_LINE } from '../../audit/audit.ts'
import type { IncidentStore } from '../contract/incident-store.ts'
import type { Page } from '../contract/message-log.ts'
import type { DeviceEvent, Period, PresenceStore, Run } from '../contract/presence-store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import type { LogKind } from '../vocabulary/presence.ts'
import { deviceLog } from './device-log.ts'
import { endBehind, type LogEntry } from './device-log-entry.ts'
import { TAKE_OVER_MS } from './device-log-periods.ts'
import { entryOfBound, type LogBound, rowsBound } from './log-bounds.ts'
import type { PresenceRecorder } from './presence-recorder.ts'
import { type PresenceReport, presenceReport } from './presence-spans.ts'

const DAY_MS = 86_400_000
/** Maximum time of a report. */
export const MAX_RANGE_MS = 366 * DAY_MS
/** Maximum rows of one kind that a report reads, the newest first. */
const MAX_READ = 5_000
/** Maximum periods that a read looks through after its range. A device has at most 60 in an hour. */
const MAX_AROUND = 100

export interface PresenceHistoryOptions {
  readonly store: Pick<PresenceStore, 'periods' | 'events' | 'runs' | 'sightings'>
  readonly audit: Pick<AuditStore, 'list'>
  readonly incidents: Pick<IncidentStore, 'ofDevice'>
  /** Returns the gateway of a device; null without one. */
  readonly gatewayOf: (deviceId: string) => string | null
  readonly recorder: Pick<PresenceRecorder, 'flushChanges' | 'unstoredOf'>
  /** Days for which periods and events are kept; 0: none are stored. */
  readonly logDays: number
  readonly clock: Clock
  /** Maximum rows of one kind that a report reads; {@link MAX_READ} by default. */
  readonly maxRead?: number
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
  readonly #maxRead: number

  constructor(options: PresenceHistoryOptions) {
    this.#options = options
    this.#maxRead = options.maxRead ?? MAX_READ
  }

  /** Returns the time of the server, for the defaults of a range. */
  nowMs(): number {
    return this.#options.clock.wallMs()
  }

  /** Returns the presence of a device with any id. @throws {BrokerError} bad-range */
  async report(deviceId: string, fromMs: number, toMs: number): Promise<PresenceReport> {
    checkRange(fromMs, toMs)
    await this.#options.recorder.flushChanges()
    const { periods, events, runs, sighting, rows } = await this.#read(deviceId, fromMs, toMs)
    const { firstMs = null, pollSeconds = null } = sighting ?? {}
    const knownMs = Math.max(this.#keptMs(), rowsBound(rows, this.#maxRead)?.atMs ?? 0)
    const nowMs = this.nowMs()
    return presenceReport({ periods, events, runs, firstMs, pollSeconds, fromMs, toMs, nowMs, knownMs })
  }

  /**
   * Returns the log of a device with any id, the newest entries first. What this node has not stored yet is read from
   * memory: a log that somebody follows writes nothing, and it can be read while the disk is full.
   *
   * @param query.kinds empty: all
   * @param query.before id of an entry: the list continues behind the entry
   * @throws {BrokerError} bad-range
   */
  async log(deviceId: string, query: DeviceLogQuery): Promise<Page<LogEntry, string>> {
    const { fromMs, kinds, before, limit } = query
    checkRange(fromMs, query.toMs)
    const toMs = before === undefined ? query.toMs : Math.min(query.toMs, endBehind(before))
    if (toMs <= fromMs) return { items: [], next: null }
    const { audit, gatewayOf, incidents: incidentStore } = this.#options
    const gatewayId = gatewayOf(deviceId)
    const about = { ...EVERY_LINE, object: deviceId }
    const [read, via, lines, services, incidents] = await Promise.all([
      this.#read(deviceId, fromMs, toMs),
      gatewayId === null ? null : this.#readDevice(gatewayId, fromMs, toMs),
      audit.list({ ...about, fromMs, toMs }, this.#maxRead),
      audit.list({ ...about, action: 'device.service', toMs: fromMs }, 1),
      incidentStore.ofDevice(deviceId, fromMs, toMs, this.#maxRead),
    ])
    const { periods, events, runs, sighting } = read
    const isBehind = gatewayId !== null && via !== null && periods.length === 0
    const gateway = isBehind ? { id: gatewayId, ...via } : null
    const rows = rowsBound(
      [...read.rows, ...(gateway?.rows ?? []), { count: lines.length, oldestMs: lines.at(-1)?.atMs }],
      this.#maxRead,
    )
    const keptMs = this.#keptMs()
    const isOlder = sighting !== undefined && sighting.firstMs < keptMs
    const bounds: LogBound[] = isOlder ? [{ atMs: keptMs, reason: 'DAYS' }] : []
    if (rows !== null) bounds.push(rows)
    const found = deviceLog(
      {
        periods,
        events,
        gateway,
        runs,
        lines: [...lines, ...services],
        incidents,
        bounds,
        nowMs: this.nowMs(),
      },
      { fromMs: Math.max(fromMs, rows?.atMs ?? 0), toMs, kinds, limit },
    ).filter(({ id }) => before === undefined || id < before)
    const items = found.slice(0, limit)
    const behind = rows === null ? null : entryOfBound(rows).id
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : behind }
  }

  /** Reads what the stores of presence have about a device and a time, and when it was seen. */
  async #read(deviceId: string, fromMs: number, toMs: number) {
    const { store } = this.#options
    const [{ periods, events, rows }, runs, [sighting]] = await Promise.all([
      this.#readDevice(deviceId, fromMs, toMs),
      store.runs(fromMs, toMs, this.#maxRead),
      store.sightings([deviceId]),
    ])
    const allRows = [...rows, { count: runs.length, oldestMs: runs.at(-1)?.startedMs }]
    return { periods, events, runs, sighting, rows: allRows }
  }

  async #readDevice(deviceId: string, fromMs: number, toMs: number) {
    const { store, recorder } = this.#options
    const unstored = await recorder.unstoredOf(deviceId)
    // The end of a connection names the one that took it over, which may begin after the range.
    const [around, storedPeriods, storedEvents] = await Promise.all([
      store.periods(deviceId, toMs, toMs + TAKE_OVER_MS, MAX_AROUND),
      store.periods(deviceId, fromMs, toMs, this.#maxRead),
      store.events(deviceId, fromMs, toMs, this.#maxRead),
    ])
    const after = around.filter(({ beganMs }) => beganMs >= toMs)
    const periods = merged(unstored.periods, [...after, ...storedPeriods], ({ beganMs }) => beganMs)
    const events = merged(unstored.events, storedEvents, ({ atMs }) => atMs)
    const rows = [
      { count: storedPeriods.length, oldestMs: storedPeriods.at(-1)?.beganMs },
      { count: storedEvents.length, oldestMs: storedEvents.at(-1)?.atMs },
    ]
    return { periods, events, rows }
  }

  /** Returns the time before which periods and events are removed. */
  #keptMs(): number {
    return this.nowMs() - this.#options.logDays * DAY_MS
  }

  /** Returns the runs that overlap a time, the newest first. @throws {BrokerError} bad-range */
  async runs(fromMs: number, toMs: number, limit: number): Promise<readonly Run[]> {
    checkRange(fromMs, toMs)
    return this.#options.store.runs(fromMs, toMs, limit)
  }
}

/** Returns the rows of both lists, the newest first. A row in memory replaces the stored one with its run and number. */
function merged<Row extends Pick<Period | DeviceEvent, 'runId' | 'number'>>(
  unstored: readonly Row[],
  stored: readonly Row[],
  timeOf: (row: Row) => number,
): readonly Row[] {
  if (unstored.length === 0) return stored
  const isReplaced = (row: Row): boolean =>
    unstored.some(({ runId, number }) => runId === row.runId && number === row.number)
  return [...unstored, ...stored.filter((row) => !isReplaced(row))].sort((a, b) => timeOf(b) - timeOf(a))
}

function checkRange(fromMs: number, toMs: number): void {
  if (fromMs < toMs && toMs - fromMs <= MAX_RANGE_MS) return
  throw new BrokerError('bad-range', 'The range must begin before it ends, and have at most 366 days.')
}
