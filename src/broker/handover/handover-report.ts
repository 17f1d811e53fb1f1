/** Builds the hand-over from the rows of a range: what changed, what lasts, and the figures beside the time before. Pure. */
import {
  type HandoverFailure,
  type HandoverIncident,
  type HandoverRows,
  MAX_ITEMS,
} from '../contract/handover-store.ts'
import { failureKind } from '../contract/store-stats.ts'
import { compareIncidents } from '../incidents/urgency.ts'
import { deviceItems } from './device-items.ts'
import { figureItems } from './figure-items.ts'
import {
  type FailureItem,
  type Handover,
  type HandoverSources,
  type Part,
  type PersonItem,
  SOON_MS,
} from './parts.ts'
import { serverItems } from './server-items.ts'
import { serviceItems } from './service-items.ts'

export function handoverReport(sources: HandoverSources): Handover {
  const { range, rows } = sources
  const { firstSeen, notes } = rows
  const failures = rows.failures.map(toFailureItem)
  const devices = deviceItems(sources)
  const service = serviceItems(sources)
  const people = personItems(rows)
  return {
    fromMs: range.fromMs,
    toMs: range.toMs,
    incidents: incidentPart(sources),
    failures: {
      ...partOf(failures),
      counts: (['FAILED', 'PARKED', 'NOT_FINISHED'] as const)
        .map((kind) => ({ kind, count: sum(failures.filter((each) => each.kind === kind)) }))
        .filter(({ count }) => count > 0),
    },
    devices: partOf(devices, { FIRST_SEEN: firstSeen.total }),
    service: partOf(service, { NOTE: notes.total }),
    people: partOf(people),
    server: partOf(serverItems(sources)),
    figures: partOf(figureItems(sources)),
  }
}

function sum(items: readonly { readonly count: number }[]): number {
  return items.reduce((all, { count }) => all + count, 0)
}

/**
 * Returns a part of all items of its kinds.
 *
 * @param totals numbers of the kinds of which `all` has the first items only
 */
function partOf<Item extends { readonly kind: string }>(
  all: readonly Item[],
  totals: Readonly<Record<string, number>> = {},
): Part<Item> {
  const numbers = new Map<string, number>()
  for (const { kind } of all) numbers.set(kind, (numbers.get(kind) ?? 0) + 1)
  for (const [kind, count] of Object.entries(totals)) if (count > 0) numbers.set(kind, count)
  const counts = [...numbers].map(([kind, count]) => ({ kind, count }))
  return { total: sum(counts), counts, items: all.slice(0, MAX_ITEMS) }
}

/** Returns the incidents that began or ended, are open, or whose mute ends soon; the most urgent first, ended ones last. */
function incidentPart({ rows, range }: HandoverSources): Part<HandoverIncident> {
  const { fromMs, toMs } = range
  const kinds = {
    STARTED: ({ startedMs }: HandoverIncident) => startedMs >= fromMs,
    ENDED: ({ endedMs }: HandoverIncident) => endedMs !== null && endedMs < toMs,
    OPEN: ({ state, endedMs }: HandoverIncident) =>
      state === 'OPEN' || state === 'ACKNOWLEDGED' || (endedMs !== null && endedMs >= toMs),
    MUTE_ENDS: ({ state, mutedUntilMs }: HandoverIncident) =>
      state === 'MUTED' && mutedUntilMs !== null && mutedUntilMs <= toMs + SOON_MS,
  }
  const shown = rows.incidents
    .filter((incident) => Object.values(kinds).some((isOf) => isOf(incident)))
    .sort(
      (one, other) =>
        Number(one.endedMs !== null) - Number(other.endedMs !== null) || compareIncidents(one, other),
    )
  const counts = Object.entries(kinds)
    .map(([kind, isOf]) => ({ kind, count: shown.filter(isOf).length }))
    .filter(({ count }) => count > 0)
  return { total: shown.length, counts, items: shown.slice(0, MAX_ITEMS) }
}

function toFailureItem({ cause, ...failure }: HandoverFailure): FailureItem {
  const { command, reason, count, resent, devices, before, lastMs } = failure
  return { kind: failureKind(cause), command, reason, count, resent, devices, before, lastMs }
}

function personItems({ changes, signIns }: HandoverRows): PersonItem[] {
  return [
    ...changes.map(({ by, action, count, lastMs }) => {
      return { kind: 'CHANGED', by, action, count, atMs: lastMs } as const
    }),
    ...signIns.map(({ deviceId, atMs }) => {
      return { kind: 'SIGNED_IN', by: deviceId, action: null, count: null, atMs } as const
    }),
  ]
}
