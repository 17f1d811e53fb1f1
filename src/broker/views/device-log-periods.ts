/** Converts periods of presence to the entries of their begin and their end. Pure. */
import type { Period, Run } from '../contract/presence-store.ts'
import { REST } from '../vocabulary/presence.ts'
import { entryId, type LogEntry, PLAIN_ENTRY } from './device-log-entry.ts'

type Runs = ReadonlyMap<number, Run>

/** @param periods the newest first */
export function entriesOfPeriods(periods: readonly Period[], runs: Runs): LogEntry[] {
  return periods.flatMap((period, index) => {
    const run = runs.get(period.runId)
    const end = endOf(period, run)
    if (end === null) return beginOf(period, run)
    const newer = end.reason === 'TAKEN_OVER' ? newerOf(periods, index, end.atMs) : null
    if (newer === null) return [...beginOf(period, run), end]
    const { runId, address } = newer
    const detail = { ...end.detail, newer: { node: runs.get(runId)?.nodeId ?? null, address } }
    return [...beginOf(period, run), { ...end, detail }]
  })
}

/** Yields the kinds and the times of the entries that a period becomes, without an end by the loss of its run. */
export function* momentsOf({
  transport,
  beganMs,
  receivesMs,
  endedMs,
}: Period): Generator<Pick<LogEntry, 'kind' | 'atMs'>> {
  const isPolls = transport === REST
  yield { kind: isPolls ? 'POLLS' : 'CONNECTED', atMs: beganMs }
  if (receivesMs !== null) yield { kind: 'SUBSCRIBED', atMs: receivesMs }
  if (endedMs !== null) yield { kind: isPolls ? 'POLLS_ENDED' : 'DISCONNECTED', atMs: endedMs }
}

/** Returns the periods with entries since a time, and those that may have taken over one of them. */
export function periodsSince(periods: readonly Period[], fromMs: number): readonly Period[] {
  return periods.filter(({ endedMs }) => endedMs === null || endedMs >= fromMs - TAKE_OVER_MS)
}

function baseOf({ transport, address }: Period, run: Run | undefined) {
  return { ...PLAIN_ENTRY, nodeId: run?.nodeId ?? null, transport, address }
}

function beginOf(period: Period, run: Run | undefined): LogEntry[] {
  const { runId, number, transport, beganMs, receivesMs, session, version } = period
  const isPolls = transport === REST
  const base = baseOf(period, run)
  const begin: LogEntry = {
    ...base,
    id: entryId(beganMs, runId, 1, number),
    kind: isPolls ? 'POLLS' : 'CONNECTED',
    atMs: beganMs,
    detail: isPolls ? {} : { session, version },
  }
  if (receivesMs === null) return [begin]
  const detail = { afterMs: Math.max(0, receivesMs - beganMs) }
  const id = entryId(receivesMs, runId, 2, number)
  return [begin, { ...base, id, kind: 'SUBSCRIBED', atMs: receivesMs, detail }]
}

/** Returns the entry of the end of a period; null while the period lasts. */
function endOf(period: Period, run: Run | undefined): LogEntry | null {
  const { runId, number, transport, beganMs } = period
  const isLost = period.endedMs === null && run?.how === 'LOST'
  const endedMs = isLost ? Math.max(beganMs, run.aliveMs) : period.endedMs
  if (endedMs === null) return null
  const { by = null, ...detail } = period.detail ?? {}
  return {
    ...baseOf(period, run),
    id: entryId(endedMs, runId, 4, number),
    kind: transport === REST ? 'POLLS_ENDED' : 'DISCONNECTED',
    atMs: endedMs,
    isExact: !isLost,
    reason: isLost ? 'SERVER_LOST' : period.reason,
    by,
    detail: { seconds: Math.round((endedMs - beganMs) / 1_000), ...detail },
  }
}

/** Longest time between the begin of a connection and the end of the one that it took over. */
export const TAKE_OVER_MS = 60_000

/**
 * Returns the connection that took over another one: that with the same session, or with any session on another node,
 * which began next to its end. Null if it has no period.
 *
 * @param index place of the connection that was taken over
 */
function newerOf(periods: readonly Period[], index: number, endedMs: number): Period | null {
  const taken = periods[index] as Period
  const distance = ({ beganMs }: Period): number => Math.abs(beganMs - endedMs)
  let nearest: Period | null = null
  for (let i = index - 1; i >= 0; i--) {
    const each = periods[i] as Period
    if (each.beganMs > endedMs + TAKE_OVER_MS) break
    const mayBe = each.transport !== REST && (each.session === taken.session || each.runId !== taken.runId)
    if (mayBe && distance(each) < Math.min(TAKE_OVER_MS, nearest ? distance(nearest) : Infinity))
      nearest = each
  }
  return nearest
}
