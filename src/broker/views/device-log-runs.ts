/** Converts runs to the entries of their start and their end. Pure. */
import type { Run } from '../contract/presence-store.ts'
import { entryId, type LogEntry, PLAIN_ENTRY } from './device-log-entry.ts'

export function entriesOfRuns(runs: readonly Run[]): LogEntry[] {
  const inOrder = [...runs].sort((a, b) => a.startedMs - b.startedMs || a.id - b.id)
  /** Time up to which one of the earlier runs lived; null before the first run that is known. */
  let servedMs: number | null = null
  return inOrder.flatMap((run) => {
    const { id, nodeId, release, startedMs, aliveMs, endedMs, how } = run
    const withoutMs = servedMs === null ? 0 : startedMs - servedMs
    const endMs = endedMs === null ? null : how === 'STOPPED' ? endedMs : aliveMs
    servedMs = Math.max(servedMs ?? 0, endMs ?? Number.POSITIVE_INFINITY)
    const base = { ...PLAIN_ENTRY, kind: 'SERVER', nodeId } as const
    const started: LogEntry = {
      ...base,
      id: entryId(startedMs, id, 0),
      atMs: startedMs,
      reason: 'STARTED',
      detail: withoutMs > 0 ? { release, seconds: Math.round(withoutMs / 1_000) } : { release },
    }
    if (endMs === null) return [started]
    const isExact = how === 'STOPPED'
    return [
      started,
      { ...base, id: entryId(endMs, id, 5), atMs: endMs, isExact, reason: how, detail: { release } },
    ]
  })
}
