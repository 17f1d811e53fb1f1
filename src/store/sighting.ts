/** Reads when a device was seen last, if its period was open when its run was lost. Knows no SQL. */
import type { Sighting } from '../broker/contract/presence-store.ts'
import { pollWindowMs, REST } from '../broker/vocabulary/presence.ts'

export interface SightingRow extends Omit<Sighting, 'isExact'> {
  /** Time up to which the run of the open period lived; null without an open period, and while the run lasts. */
  readonly lostMs: number | null
}

/** Returns the sighting of a row. A device with an open connection was present as long as its run lived. */
export function toSighting({ lostMs, ...row }: SightingRow): Sighting {
  if (lostMs === null) return { ...row, isExact: true }
  const doubtMs = row.transport === REST ? pollWindowMs(row.pollSeconds) : 0
  return { ...row, lastMs: Math.max(row.lastMs, lostMs - doubtMs), isExact: false }
}
