/** Reads when a device was seen last, if its period was open when its run was lost. Knows no SQL. */
import type { Sighting } from '../broker/contract/presence-store.ts'
import { pollWindowMs, REST } from '../broker/vocabulary/presence.ts'

export interface SightingRow extends Omit<Sighting, 'isExact'> {
  /** Time up to which the run of the open period lived; null without an open period, and while the run lasts. */
  readonly lostMs: number | null
}

/** Returns the sighting of a row. A device with an open connection was present as long as its run lived. */
export function toSighting(row: SightingRow): Sighting {
  const { deviceId, firstMs, lastMs, transport, pollSeconds, lostMs } = row
  const doubtMs = transport === REST ? pollWindowMs(pollSeconds) : 0
  return {
    deviceId,
    firstMs,
    lastMs: lostMs === null ? lastMs : Math.max(lastMs, lostMs - doubtMs),
    isExact: lostMs === null,
    transport,
    pollSeconds,
  }
}
