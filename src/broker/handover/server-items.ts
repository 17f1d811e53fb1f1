/** Lists what happened to the servers in a range: runs, times without a server, releases, conditions of the storage. Pure. */
import type { Run } from '../contract/presence-store.ts'
import { timesWithoutServer } from '../views/presence-spans.ts'
import { type HandoverSources, SERVER_CONDITIONS, type ServerItem } from './parts.ts'

/** Returns the items: conditions first, then in the order of their times. */
export function serverItems(sources: HandoverSources): ServerItem[] {
  const { range, rows, runs } = sources
  const isWithin = (atMs: number): boolean => atMs >= range.fromMs && atMs < range.toMs
  const items = [...runs.flatMap(itemsOfRun), ...withoutServer(sources), ...releases(sources)]
  const conditions = SERVER_CONDITIONS.flatMap((kind) =>
    rows.incidents
      .filter((incident) => incident.kind === kind)
      .map(({ startedMs, endedMs }) => ({ ...NOTHING, kind, atMs: startedMs, untilMs: endedMs })),
  )
  return [...conditions, ...items.filter(({ atMs }) => isWithin(atMs)).sort((a, b) => a.atMs - b.atMs)]
}

const NOTHING = { nodeId: null, release: null, before: null, untilMs: null }

function itemsOfRun({ nodeId, release, startedMs, aliveMs, endedMs, how }: Run): ServerItem[] {
  const started = { ...NOTHING, kind: 'STARTED', atMs: startedMs, nodeId, release } as const
  if (how === null || endedMs === null) return [started]
  return [started, { ...NOTHING, kind: how, atMs: how === 'LOST' ? aliveMs : endedMs, nodeId, release }]
}

/** Returns the times without a server, as far as they are in the range: the rest belongs to the report of another range. */
function withoutServer({ runs, range, nowMs }: HandoverSources): ServerItem[] {
  return timesWithoutServer(runs, nowMs)
    .filter(({ toMs }) => toMs > range.fromMs)
    .map(({ fromMs, toMs }) => ({
      ...NOTHING,
      kind: 'WITHOUT_SERVER',
      atMs: Math.max(fromMs, range.fromMs),
      untilMs: Math.min(toMs, range.toMs),
    }))
}

/** Returns the changes of the release from a run to the next one of its node. */
function releases({ runs }: HandoverSources): ServerItem[] {
  const before = new Map<number | null, string>()
  return runs
    .toSorted((one, other) => one.startedMs - other.startedMs)
    .flatMap(({ nodeId, release, startedMs }): ServerItem[] => {
      const earlier = before.get(nodeId)
      before.set(nodeId, release)
      if (earlier === undefined || earlier === release) return []
      return [{ ...NOTHING, kind: 'RELEASE', atMs: startedMs, nodeId, release, before: earlier }]
    })
}
