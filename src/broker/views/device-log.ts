/** Merges what is stored about a device into its log: periods, events, changes by people, and runs of the servers. Pure. */
import type { AuditLine } from '../../audit/audit.ts'
import type { DeviceIncident } from '../contract/incident-store.ts'
import type { DeviceEvent, DeviceEventKind, Period, Run } from '../contract/presence-store.ts'
import type { LogKind } from '../vocabulary/presence.ts'
import { AFTER_RUNS, entryId, type LogEntry, PLAIN_ENTRY } from './device-log-entry.ts'
import { entriesOfLines } from './device-log-lines.ts'
import { entriesOfPeriods, momentsOf, periodsSince } from './device-log-periods.ts'
import { entriesOfRuns } from './device-log-runs.ts'
import { entryOfBound, type LogBound } from './log-bounds.ts'

/** Connections of a device or a gateway, and what happened to them. */
interface LogRows {
  /** The newest first. */
  readonly periods: readonly Period[]
  readonly events: readonly DeviceEvent[]
}

export interface GatewaySources extends LogRows {
  readonly id: string
}

export interface LogSources extends LogRows {
  /** Connections of the gateway of the device; null without a gateway. */
  readonly gateway: GatewaySources | null
  /** Lines of the time, and the line of the latest change of the service before it. */
  readonly lines: readonly AuditLine[]
  readonly runs: readonly Run[]
  /** Incidents with signals of the device within the time. */
  readonly incidents: readonly DeviceIncident[]
  /** Bounds that removed or left out something. */
  readonly bounds: readonly LogBound[]
  readonly nowMs: number
}

/** Entries that a log has. */
export interface LogRange {
  readonly fromMs: number
  readonly toMs: number
  /** Empty: all kinds. */
  readonly kinds: readonly LogKind[]
  /** Number of entries that are enough. */
  readonly limit: number
}

/**
 * Returns the entries of a time, the newest first: all of them, or the newest ones, more than the limit. A device may have
 * thousands of periods and events, so those that are too old for the limit become no entries.
 */
export function deviceLog(sources: LogSources, range: LogRange): LogEntry[] {
  const { lines, runs, incidents, bounds, nowMs } = sources
  const { toMs, kinds } = range
  const gateway = sources.gateway && withConnectionEvents(sources.gateway)
  const fromMs = Math.max(range.fromMs, startOfNewest(gateway ? [sources, gateway] : [sources], range))
  const runOf = new Map(runs.map((run) => [run.id, run]))
  const entries = [
    ...entriesOfRows(sources, fromMs, runOf),
    ...(gateway ? entriesOfRows(gateway, fromMs, runOf).map((entry) => withGateway(entry, gateway.id)) : []),
    ...entriesOfLines(lines, nowMs),
    ...entriesOfRuns(runs),
    ...incidents.flatMap(entriesOfIncident),
    ...bounds.map(entryOfBound),
  ]
  const wants = wanted(kinds)
  return entries
    .filter(({ atMs, kind }) => atMs >= fromMs && atMs < toMs && wants(kind))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
}

function wanted(kinds: readonly LogKind[]): (kind: LogKind) => boolean {
  return (kind) => kinds.length === 0 || kinds.includes(kind)
}

/** Returns a time since which periods and events have more entries than the limit; the begin of the range if it has fewer. */
function startOfNewest(sources: readonly LogRows[], { fromMs, toMs, kinds, limit }: LogRange): number {
  const wants = wanted(kinds)
  const times: number[] = []
  // Entries of the last millisecond may stand before the cursor of a page, so they do not count.
  const add = ({ kind, atMs }: Pick<LogEntry, 'kind' | 'atMs'>): void => {
    if (atMs >= fromMs && atMs < toMs - 1 && wants(kind)) times.push(atMs)
  }
  for (const { periods, events } of sources) {
    for (const period of periods) for (const moment of momentsOf(period)) add(moment)
    for (const event of events) add(event)
  }
  return (
    Float64Array.from(times)
      .sort()
      .at(-limit - 1) ?? fromMs
  )
}

function entriesOfRows(
  { periods, events }: LogRows,
  fromMs: number,
  runs: ReadonlyMap<number, Run>,
): LogEntry[] {
  const newer = events.filter(({ atMs }) => atMs >= fromMs)
  return [
    ...entriesOfPeriods(periodsSince(periods, fromMs), runs),
    ...newer.map((event) => entryOfEvent(event, runs)),
  ]
}

/** Kinds of events of a gateway that concern its connections, and with them its devices. */
const CONNECTION_EVENTS: ReadonlySet<DeviceEventKind> = new Set(['REFUSED', 'FLAPPING', 'WILL'])

function withConnectionEvents(gateway: GatewaySources): GatewaySources {
  return { ...gateway, events: gateway.events.filter(({ kind }) => CONNECTION_EVENTS.has(kind)) }
}

/** Returns an entry of a gateway for the log of one of its devices, marked with its id. */
function withGateway(entry: LogEntry, gatewayId: string): LogEntry {
  return { ...entry, detail: { ...entry.detail, via: gatewayId } }
}

function entryOfEvent(event: DeviceEvent, runs: ReadonlyMap<number, Run>): LogEntry {
  const { runId, number, kind, atMs, lastMs, count, detail } = event
  const { reason = null, address = null, transport = null, ...rest } = detail as Record<string, string | null>
  return {
    ...PLAIN_ENTRY,
    id: entryId(atMs, runId, 3, number),
    kind,
    atMs,
    nodeId: runs.get(runId)?.nodeId ?? null,
    transport,
    address,
    reason,
    detail: { ...rest, count, lastDate: lastMs },
  }
}

/** Order of the entries of an incident among those of one time. */
const INCIDENT = 6

function entriesOfIncident({ id, key, beganMs, endedMs }: DeviceIncident): LogEntry[] {
  const entry = (atMs: number, reason: 'STARTED' | 'ENDED', order: number): LogEntry => ({
    ...PLAIN_ENTRY,
    id: entryId(atMs, AFTER_RUNS, id, INCIDENT, order),
    kind: 'INCIDENT',
    atMs,
    reason,
    detail: { id, key },
  })
  const started = entry(beganMs, 'STARTED', 0)
  return endedMs === null ? [started] : [started, entry(endedMs, 'ENDED', 1)]
}
