/** Merges what is stored about a device into its log: periods, events, changes by people, and runs of the servers. Pure. */
import type { AuditLine } from '../../audit/audit.ts'
import type { DeviceEvent, Period, Run } from '../contract/presence-store.ts'
import { type LogKind, REST } from '../vocabulary/presence.ts'

/** One line of the log of a device. */
export interface LogEntry {
  /** Order of the entries of one time, and cursor of the list. */
  readonly id: string
  readonly kind: LogKind
  readonly atMs: number
  /** False for the last sign of life of a lost server. */
  readonly isExact: boolean
  readonly nodeId: number | null
  readonly transport: string | null
  readonly address: string | null
  readonly reason: string | null
  /** Client that made the change; null for any other kind. */
  readonly by: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

export interface LogSources {
  readonly periods: readonly Period[]
  readonly events: readonly DeviceEvent[]
  readonly lines: readonly AuditLine[]
  readonly runs: readonly Run[]
}

/** Digits of a time in an id, so that ids have the order of their times. */
const DIGITS = 15

/** Returns the entries of a time, the newest first. */
export function deviceLog(sources: LogSources, fromMs: number, toMs: number): LogEntry[] {
  const { periods, events, lines, runs } = sources
  const runOf = new Map(runs.map((run) => [run.id, run]))
  const entries = [
    ...periods.flatMap((period) => entriesOfPeriod(period, runOf.get(period.runId))),
    ...events.map((event) => entryOfEvent(event, runOf.get(event.runId))),
    // The events have the refused logins.
    ...lines.filter(({ action }) => action !== 'login.refused').map(entryOfLine),
    ...runs.flatMap(entriesOfRun),
  ]
  return entries.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).sort((a, b) => (a.id < b.id ? 1 : -1))
}

/** Number in place of a run for changes by people, which no run has. */
const AFTER_RUNS = 999_999_999

/** Returns an id that sorts by time, then by run, then by the order of causes within it. */
function idOf(atMs: number, ...parts: readonly number[]): string {
  return [String(atMs).padStart(DIGITS, '0'), ...parts.map((part) => String(part).padStart(9, '0'))].join('-')
}

const NOTHING = {
  isExact: true,
  nodeId: null,
  transport: null,
  address: null,
  reason: null,
  by: null,
} as const

function entriesOfPeriod(period: Period, run: Run | undefined): LogEntry[] {
  const { runId, number, transport, beganMs, receivesMs, address, session, version } = period
  const isPolls = transport === REST
  const base = { ...NOTHING, nodeId: run?.nodeId ?? null, transport, address }
  const entries: LogEntry[] = [
    {
      ...base,
      id: idOf(beganMs, runId, 1, number),
      kind: isPolls ? 'POLLS' : 'CONNECTED',
      atMs: beganMs,
      detail: isPolls ? {} : { session, version },
    },
  ]
  if (receivesMs !== null)
    entries.push({
      ...base,
      id: idOf(receivesMs, runId, 2, number),
      kind: 'SUBSCRIBED',
      atMs: receivesMs,
      detail: { afterMs: Math.max(0, receivesMs - beganMs) },
    })
  const isLost = period.endedMs === null && run?.how === 'LOST'
  const endedMs = isLost ? Math.max(beganMs, run.aliveMs) : period.endedMs
  if (endedMs !== null)
    entries.push({
      ...base,
      id: idOf(endedMs, runId, 4, number),
      kind: isPolls ? 'POLLS_ENDED' : 'DISCONNECTED',
      atMs: endedMs,
      isExact: !isLost,
      reason: isLost ? 'SERVER_LOST' : period.reason,
      detail: { seconds: Math.round((endedMs - beganMs) / 1_000) },
    })
  return entries
}

function entryOfEvent(event: DeviceEvent, run: Run | undefined): LogEntry {
  const { runId, number, kind, atMs, lastMs, count, detail } = event
  const { reason = null, address = null, transport = null, ...rest } = detail as Record<string, string | null>
  return {
    ...NOTHING,
    id: idOf(atMs, runId, 3, number),
    kind,
    atMs,
    nodeId: run?.nodeId ?? null,
    transport,
    address,
    reason,
    detail: { ...rest, count, lastDate: lastMs },
  }
}

function entryOfLine({ id, atMs, by, action, detail }: AuditLine): LogEntry {
  return {
    ...NOTHING,
    id: idOf(atMs, AFTER_RUNS, id),
    kind: 'CHANGED',
    atMs,
    address: by.address,
    by: by.clientId,
    reason: action,
    detail,
  }
}

function entriesOfRun({ id, nodeId, release, startedMs, aliveMs, endedMs, how }: Run): LogEntry[] {
  const base = { ...NOTHING, kind: 'SERVER', nodeId, detail: { release } } as const
  const started = { ...base, id: idOf(startedMs, id, 0), atMs: startedMs, reason: 'STARTED' }
  if (endedMs === null) return [started]
  const isExact = how === 'STOPPED'
  const atMs = isExact ? endedMs : aliveMs
  return [started, { ...base, id: idOf(atMs, id, 5), atMs, isExact, reason: how }]
}
