/** Merges what is stored about a device into its log: periods, events, changes by people, and runs of the servers. Pure. */
import type { AuditLine } from '../../audit/audit.ts'
import type { DeviceIncident } from '../contract/incident-store.ts'
import type { DeviceEvent, DeviceEventKind, Period, Run } from '../contract/presence-store.ts'
import { AFTER_RUNS, entryId, type LogEntry, PLAIN_ENTRY } from './device-log-entry.ts'
import { entriesOfLines } from './device-log-lines.ts'
import { entriesOfPeriods } from './device-log-periods.ts'
import { entriesOfRuns } from './device-log-runs.ts'
import { entryOfBound, type LogBound } from './log-bounds.ts'

/** Connections of the gateway of a device, and what happened to them. */
export interface GatewaySources {
  readonly id: string
  /** The newest first. */
  readonly periods: readonly Period[]
  readonly events: readonly DeviceEvent[]
}

export interface LogSources {
  /** The newest first. */
  readonly periods: readonly Period[]
  readonly events: readonly DeviceEvent[]
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

/** Returns the entries of a time, the newest first. */
export function deviceLog(sources: LogSources, fromMs: number, toMs: number): LogEntry[] {
  const { periods, events, gateway, lines, runs, incidents, bounds, nowMs } = sources
  const runOf = new Map(runs.map((run) => [run.id, run]))
  const entries = [
    ...entriesOfPeriods(periods, runOf),
    ...events.map((event) => entryOfEvent(event, runOf)),
    ...entriesOfGateway(gateway, runOf),
    ...entriesOfLines(lines, nowMs),
    ...entriesOfRuns(runs),
    ...incidents.flatMap(entriesOfIncident),
    ...bounds.map(entryOfBound),
  ]
  return entries.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).sort((a, b) => (a.id < b.id ? 1 : -1))
}

/** Kinds of events of a gateway that concern its connections, and with them its devices. */
const CONNECTION_EVENTS: ReadonlySet<DeviceEventKind> = new Set(['REFUSED', 'FLAPPING', 'WILL'])

/** Returns the entries of a gateway for the log of one of its devices, marked with its id. */
function entriesOfGateway(gateway: GatewaySources | null, runs: ReadonlyMap<number, Run>): LogEntry[] {
  if (gateway === null) return []
  const events = gateway.events.filter(({ kind }) => CONNECTION_EVENTS.has(kind))
  return [
    ...entriesOfPeriods(gateway.periods, runs),
    ...events.map((event) => entryOfEvent(event, runs)),
  ].map((entry) => ({ ...entry, detail: { ...entry.detail, via: gateway.id } }))
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
