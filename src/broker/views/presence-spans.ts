/** Computes the presence of a device over a time, from its periods and the runs of the servers. Pure. */
import type { DeviceEvent, Period, Run } from '../contract/presence-store.ts'
import {
  type PeriodEnd,
  PRESENCE_STATES,
  type PresenceState,
  pollWindowMs,
  REST,
} from '../vocabulary/presence.ts'

/** Part of a time in which the presence of a device did not change. MIXED joins parts too short to show. */
export interface PresenceSpan {
  readonly state: PresenceState | 'MIXED'
  readonly fromMs: number
  readonly toMs: number
  readonly transport: string | null
  readonly nodeId: number | null
  readonly address: string | null
  /** Reason for the end of the period that ends with the span. */
  readonly reason: PeriodEnd | 'SERVER_LOST' | null
  /** Number of parts that MIXED joins; 1 for any other state. */
  readonly count: number
}

export interface SpanSources {
  /** Periods of the device that overlap the time. */
  readonly periods: readonly Period[]
  /** Events of the device that overlap the time. */
  readonly events: readonly DeviceEvent[]
  /** Runs that overlap the time. */
  readonly runs: readonly Run[]
  /** First sighting of the device; null if it was never seen. */
  readonly firstMs: number | null
  readonly pollSeconds: number | null
  readonly fromMs: number
  readonly toMs: number
  readonly nowMs: number
  /** Time before which periods and events are removed, or were not read. */
  readonly knownMs: number
}

export interface PresenceReport {
  readonly fromMs: number
  readonly toMs: number
  readonly spans: readonly PresenceSpan[]
  /** Share of the time by state. */
  readonly shares: ReadonlyMap<PresenceState, number>
}

/** Maximum spans of a report. */
export const MAX_SPANS = 500

/** Time in which something holds. `toMs` is not part of it. */
export interface Interval {
  readonly fromMs: number
  readonly toMs: number
}

interface Presence extends Interval {
  readonly state: PresenceState
  readonly period: Period
  readonly nodeId: number | null
  readonly reason: PresenceSpan['reason']
}

export function presenceReport(sources: SpanSources): PresenceReport {
  const { fromMs, nowMs } = sources
  const toMs = Math.max(fromMs, Math.min(sources.toMs, nowMs))
  const spans = spansOf(sources, { fromMs, toMs })
  const shares = new Map<PresenceState, number>()
  for (const state of PRESENCE_STATES) {
    const ms = spans.reduce((sum, span) => sum + (span.state === state ? span.toMs - span.fromMs : 0), 0)
    if (ms > 0) shares.set(state, ms / (toMs - fromMs))
  }
  return { fromMs, toMs, spans: joinShort(spans, (2 * (toMs - fromMs)) / MAX_SPANS), shares }
}

/** Returns the time in which a run watched devices. */
export function watchOf({ startedMs, aliveMs, endedMs, how }: Run, nowMs: number): Interval {
  const toMs = how === 'LOST' ? aliveMs : (endedMs ?? nowMs)
  return { fromMs: startedMs, toMs: Math.max(startedMs, toMs) }
}

/** Returns the times between runs in which none watched devices, the oldest first. */
export function timesWithoutServer(runs: readonly Run[], nowMs: number): Interval[] {
  const watches = runs.map((run) => watchOf(run, nowMs)).sort((one, other) => one.fromMs - other.fromMs)
  const gaps: Interval[] = []
  let untilMs = watches[0]?.toMs ?? nowMs
  for (const { fromMs, toMs } of watches) {
    if (fromMs > untilMs) gaps.push({ fromMs: untilMs, toMs: fromMs })
    untilMs = Math.max(untilMs, toMs)
  }
  return gaps
}

/** Returns the presence over a time, without gaps, the oldest first. */
export function spansOf(sources: SpanSources, range: Interval): PresenceSpan[] {
  const { runs, firstMs, nowMs } = sources
  const watches = runs.map((run) => watchOf(run, nowMs))
  const presences = sources.periods.flatMap((period) => presencesOf(period, sources))
  const unknowns = [
    { fromMs: range.fromMs, toMs: sources.knownMs },
    ...lossesOf(sources, watches),
    ...afterPolls(sources, watches, presences),
    ...sources.events.filter(({ kind }) => kind === 'FLAPPING').map(flappingOf),
  ]
  const marks = new Set([range.fromMs, range.toMs, firstMs ?? range.toMs])
  for (const { fromMs, toMs } of [...watches, ...unknowns, ...presences]) marks.add(fromMs).add(toMs)
  const times = [...marks].filter((ms) => ms >= range.fromMs && ms <= range.toMs).sort((a, b) => a - b)
  const [watched, unknown, present] = [watches, unknowns, presences].map(sweep) as [
    Sweep<Interval>,
    Sweep<Interval>,
    Sweep<Presence>,
  ]
  const spans: PresenceSpan[] = []
  for (const [i, atMs] of times.slice(0, -1).entries()) {
    const toMs = times[i + 1] as number
    const best = firstOf(present(atMs))
    const isWatched = watched(atMs).size > 0
    const isUnseen = firstMs === null || atMs < firstMs
    const isUnknown = !isWatched || (!isUnseen && unknown(atMs).size > 0)
    const absent = isUnknown ? 'UNKNOWN' : isUnseen ? 'UNSEEN' : 'AWAY'
    addSpan(spans, {
      state: best?.state ?? absent,
      fromMs: atMs,
      toMs,
      transport: best?.period.transport ?? null,
      nodeId: best?.nodeId ?? null,
      address: best?.period.address ?? null,
      reason: best?.toMs === toMs ? best.reason : null,
      count: 1,
    })
  }
  return spans
}

/** Returns the times in which a period makes its device present. */
function presencesOf(period: Period, { runs, nowMs }: SpanSources): Presence[] {
  const run = runs.find(({ id }) => id === period.runId)
  const isLost = period.endedMs === null && run?.how === 'LOST'
  const endMs = period.endedMs ?? (run ? watchOf(run, nowMs).toMs : period.beganMs)
  const reason = isLost ? ('SERVER_LOST' as const) : period.reason
  const nodeId = run?.nodeId ?? null
  // A clock that was set back must not end a period before its begin.
  const toMs = Math.max(period.beganMs, endMs)
  const fromMs = period.beganMs
  if (period.transport === REST) return [{ state: 'POLLING', period, nodeId, fromMs, toMs, reason }]
  if (period.receivesMs === null) return [{ state: 'CONNECTED', period, nodeId, fromMs, toMs, reason }]
  const receivesMs = Math.min(toMs, Math.max(fromMs, period.receivesMs))
  return [
    { state: 'CONNECTED', period, nodeId, fromMs, toMs: receivesMs, reason: null },
    { state: 'RECEIVING', period, nodeId, fromMs: receivesMs, toMs, reason },
  ]
}

/** Returns the time in which connections came and went too often to be stored, with a last one that lasted a moment. */
function flappingOf({ atMs, lastMs }: DeviceEvent): Interval {
  return { fromMs: atMs, toMs: Math.max(atMs, lastMs) + 1 }
}

/** Returns the times between the loss of a run and its discovery. A device that polls may do so until its window is over. */
function lossesOf(sources: SpanSources, watches: readonly Interval[]): Interval[] {
  // A device that polled once in each run has no average yet.
  const mayPoll = sources.pollSeconds !== null || sources.periods.some(({ transport }) => transport === REST)
  return sources.runs.flatMap(({ how, aliveMs, endedMs }) => {
    if (how !== 'LOST' || endedMs === null) return []
    const untilMs = mayPoll ? untilPoll(aliveMs, sources, watches) : endedMs
    return [{ fromMs: aliveMs, toMs: Math.max(endedMs, untilMs) }]
  })
}

/** Returns the times after polls that ended because their server stopped. */
function afterPolls(
  sources: SpanSources,
  watches: readonly Interval[],
  presences: readonly Presence[],
): Interval[] {
  return presences
    .filter(({ state, reason }) => state === 'POLLING' && reason === 'STOPPED')
    .map(({ toMs }) => ({ fromMs: toMs, toMs: untilPoll(toMs, sources, watches) }))
}

/** Returns the time up to which a device that polled may poll again: its window, under the eyes of a server. */
function untilPoll(atMs: number, { pollSeconds }: SpanSources, watches: readonly Interval[]): number {
  const isWatched = watches.some(({ fromMs, toMs }) => fromMs <= atMs && toMs > atMs)
  const nextMs = Math.min(...watches.map(({ fromMs }) => fromMs).filter((ms) => ms >= atMs))
  const fromMs = isWatched || nextMs === Number.POSITIVE_INFINITY ? atMs : nextMs
  return fromMs + pollWindowMs(pollSeconds)
}

type Sweep<T> = (atMs: number) => ReadonlySet<T>

/** Returns a function that returns the intervals which hold at a time, for times in ascending order. */
function sweep<T extends Interval>(intervals: readonly T[]): Sweep<T> {
  const begins = [...intervals].sort((a, b) => a.fromMs - b.fromMs)
  const active = new Set<T>()
  let next = 0
  return (atMs) => {
    for (; next < begins.length && (begins[next] as T).fromMs <= atMs; next++) active.add(begins[next] as T)
    for (const each of active) if (each.toMs <= atMs) active.delete(each)
    return active
  }
}

/** Returns the presence with the first state of the vocabulary. */
function firstOf(presences: ReadonlySet<Presence>): Presence | undefined {
  const rank = ({ state }: Presence): number => PRESENCE_STATES.indexOf(state)
  let best: Presence | undefined
  for (const each of presences) if (best === undefined || rank(each) < rank(best)) best = each
  return best
}

function addSpan(spans: PresenceSpan[], span: PresenceSpan): void {
  const last = spans.at(-1)
  const isSame =
    last !== undefined &&
    last.reason === null &&
    last.state === span.state &&
    last.transport === span.transport &&
    last.nodeId === span.nodeId &&
    last.address === span.address
  if (isSame) spans[spans.length - 1] = { ...span, fromMs: last.fromMs }
  else spans.push(span)
}

/**
 * Joins neighbours that are shorter than a duration, if there are more spans than a report may have. Between two longer
 * spans stands at most one that is shorter, so a duration of two shares of the time keeps the maximum.
 */
function joinShort(spans: readonly PresenceSpan[], leastMs: number): readonly PresenceSpan[] {
  if (spans.length <= MAX_SPANS) return spans
  const joined: PresenceSpan[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    const isShort = span.toMs - span.fromMs < leastMs
    if (isShort && last?.state === 'MIXED' && last.toMs - last.fromMs < leastMs)
      joined[joined.length - 1] = { ...last, toMs: span.toMs, count: last.count + 1 }
    else if (isShort) joined.push({ ...MIXED, fromMs: span.fromMs, toMs: span.toMs })
    else joined.push(span)
  }
  return joined
}

const MIXED = {
  state: 'MIXED',
  transport: null,
  nodeId: null,
  address: null,
  reason: null,
  count: 1,
} as const
