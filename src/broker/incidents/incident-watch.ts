/** Watches the incidents: finds those that changed, on this node or another. Knows neither HTTP nor SQL. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Log } from '../../process/log.ts'
import type { IncidentRecord, IncidentStore } from '../contract/incident-store.ts'
import { Watch } from '../engine/watch.ts'
import { type ListedIncident, listedIncidents } from './incidents.ts'

/** Incidents that one turn of the event loop reads. */
const STEP_INCIDENTS = 500
/**
 * Time that two readings have in common, because a change with an earlier time may be committed later: the clocks of
 * nodes differ.
 */
const OVERLAP_MS = 60_000

export interface IncidentWatchOptions {
  readonly store: Pick<IncidentStore, 'changedAfter' | 'signalsOf'>
  readonly now: () => number
  readonly log: Pick<Log, 'debug' | 'warn'>
  readonly periodMs?: number
}

/** Returns a watch of the incidents. Its first listener also receives the changes of the minute before. */
export function incidentWatch({ store, now, log, periodMs }: IncidentWatchOptions): Watch<ListedIncident> {
  let sinceMs = 0
  /** Times of the changes since `sinceMs` that were reported, by the id of the incident. */
  let reported: ReadonlyMap<number, number> = new Map()
  return new Watch({
    begin: () => {
      sinceMs = now() - OVERLAP_MS
      reported = new Map()
      return () => {}
    },
    changes: async () => {
      const found = await changedSince(store, sinceMs)
      const isNew = ({ id, changedMs }: IncidentRecord): boolean => reported.get(id) !== changedMs
      const changes = await listedIncidents(store, found.filter(isNew))
      sinceMs = Math.max(sinceMs, (found.at(-1)?.changedMs ?? 0) - OVERLAP_MS)
      reported = new Map(found.map(({ id, changedMs }) => [id, changedMs]))
      return changes
    },
    failure: 'the incidents could not be read',
    log,
    periodMs,
  })
}

async function changedSince(
  store: IncidentWatchOptions['store'],
  sinceMs: number,
): Promise<readonly IncidentRecord[]> {
  const changes: IncidentRecord[] = []
  let after: Pick<IncidentRecord, 'changedMs' | 'id'> | undefined = { changedMs: sinceMs, id: 0 }
  while (after !== undefined) {
    const page: readonly IncidentRecord[] = await store.changedAfter(after, STEP_INCIDENTS)
    changes.push(...page)
    after = page[STEP_INCIDENTS - 1]
    if (after !== undefined) await turn()
  }
  return changes
}
