/** Stores runs, sightings and periods of presence in PostgreSQL. */
import type { QueryResultRow } from 'pg'
import {
  type DeviceEvent,
  MAX_DEVICE_ROWS,
  MAX_PRESENCE_ROWS,
  type Period,
  type PresenceBatch,
  type PresenceStore,
  type Run,
  type Sighting,
} from '../../../broker/contract/presence-store.ts'
import { type SightingRow, toSighting } from '../../sighting.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { connectsWithin, lastAddresses } from './connects.ts'

/** Periods that one statement removes. */
const PURGE_STEP = 10_000

interface Purge {
  readonly removed: number
  readonly isMore: boolean
}

const PERIOD = `p.run_id AS "runId", p.number, p.transport, p.began_ms AS "beganMs", p.ended_ms AS "endedMs",
  p.receives_ms AS "receivesMs", p.address, p.session, p.version, p.reason, p.detail`

/** Period with its detail as JSON. */
type PeriodRow = Omit<Period, 'detail'> & { readonly detail: string | null }

function toPeriod({ session, detail, ...row }: PeriodRow): Period {
  return {
    ...row,
    session: session && decodeText(session),
    detail: detail === null ? null : JSON.parse(detail),
  }
}

const SIGHTINGS = `SELECT s.device_id AS "deviceId", s.first_ms AS "firstMs", s.last_ms AS "lastMs", s.transport,
    s.poll_seconds AS "pollSeconds", CASE WHEN r.ended_ms IS NOT NULL THEN r.alive_ms END AS "lostMs"
  FROM sightings s LEFT JOIN runs r ON r.id = s.run_id`

/** Returns the lists of a batch as `record_presence` takes them. @param waitedMs time since the batch was made */
function listsOf({ sightings, periods, events }: PresenceBatch, waitedMs: number): readonly unknown[][] {
  const ageOf = (ageMs: number | null): number | null =>
    ageMs === null ? null : Math.round(ageMs + waitedMs)
  return [
    sightings.map(({ deviceId, firstAgeMs, ageMs, transport, pollSeconds }) => [
      ...[encodeText(deviceId), ageOf(firstAgeMs), ageOf(ageMs), transport, pollSeconds],
    ]),
    periods.map((period) => [
      ...[period.number, encodeText(period.deviceId), period.transport],
      ...[period.beganAgeMs, period.endedAgeMs, period.receivesAgeMs].map(ageOf),
      ...[period.address, period.session, period.version].map((text) => text && encodeText(text)),
      ...[period.reason, period.detail && JSON.stringify(period.detail)],
    ]),
    events.map(({ number, deviceId, kind, ageMs, lastAgeMs, count, detail }) => [
      ...[number, encodeText(deviceId), kind, ageOf(ageMs), ageOf(lastAgeMs), count, JSON.stringify(detail)],
    ]),
  ]
}

export function postgresPresence({ reads, node }: Pick<PostgresParts, 'reads' | 'node'>): PresenceStore {
  const sightings = async (rest: string, value: unknown): Promise<readonly Sighting[]> => {
    const rows = await reads.run<SightingRow & QueryResultRow>(`${SIGHTINGS} ${rest}`, [value])
    return rows.map((row) => toSighting({ ...row, deviceId: decodeText(row.deviceId) }))
  }
  return {
    async begin(release) {
      const [row] = await reads.run<{ run: { runId: number; nowMs: number } }>(
        'SELECT begin_run($1, $2, $3) AS run',
        [node.id, node.silent, release],
      )
      return row?.run as { runId: number; nowMs: number }
    },

    async record(runId, batch, progress) {
      const madeMs = performance.now()
      // The storage counts back from its own time, so an age includes the time for which the statement waits for its turn.
      await reads.run('SELECT record_presence($1, $2, $3, $4, $5, $6)', () => [
        ...[node.silent, runId, progress],
        ...listsOf(batch, performance.now() - madeMs).map((list) => JSON.stringify(list)),
      ])
    },

    latest: (limit) => sightings('ORDER BY s.last_ms DESC LIMIT $1', limit),

    sightings: (deviceIds) =>
      sightings(
        'WHERE s.device_id = ANY($1)',
        deviceIds.map((deviceId) => encodeText(deviceId)),
      ),

    async periods(deviceId, fromMs, toMs, limit) {
      const rows = await reads.run<PeriodRow>(
        `SELECT ${PERIOD}
         FROM periods p JOIN runs r ON r.id = p.run_id
         WHERE p.device_id = $1 AND p.began_ms < $3
           AND coalesce(p.ended_ms, CASE WHEN r.ended_ms IS NOT NULL THEN r.alive_ms END, $2) >= $2
         ORDER BY p.began_ms DESC, p.run_id DESC, p.number DESC LIMIT $4`,
        [encodeText(deviceId), fromMs, toMs, limit],
      )
      return rows.map(toPeriod)
    },

    async recent(deviceIds, each) {
      const rows = await reads.run<PeriodRow & { readonly deviceId: string }>(
        `SELECT d.id AS "deviceId", ${PERIOD} FROM unnest($1::text[]) WITH ORDINALITY d(id, n)
           CROSS JOIN LATERAL (SELECT * FROM periods p WHERE p.device_id = d.id
             ORDER BY p.began_ms DESC, p.run_id DESC, p.number DESC LIMIT $2) p
         ORDER BY d.n, p.began_ms DESC, p.run_id DESC, p.number DESC`,
        [deviceIds.map((deviceId) => encodeText(deviceId)), each],
      )
      return rows.map(({ deviceId, ...row }) => ({ ...toPeriod(row), deviceId: decodeText(deviceId) }))
    },

    async events(deviceId, fromMs, toMs, limit) {
      const rows = await reads.run<Omit<DeviceEvent, 'detail'> & { readonly detail: string }>(
        `SELECT run_id AS "runId", number, kind, at_ms AS "atMs", last_ms AS "lastMs", count, detail FROM device_events
         WHERE device_id = $1 AND at_ms < $3 AND last_ms >= $2 ORDER BY at_ms DESC, run_id DESC, number DESC LIMIT $4`,
        [encodeText(deviceId), fromMs, toMs, limit],
      )
      return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }))
    },

    connects: (withinMs, least) => connectsWithin(reads, withinMs, least),

    addresses: (deviceIds) => lastAddresses(reads, deviceIds),

    runs: (fromMs, toMs, limit) =>
      reads.run<Run & Record<string, unknown>>(
        `SELECT id, node_id AS "nodeId", release, started_ms AS "startedMs", alive_ms AS "aliveMs", ended_ms AS "endedMs", how
         FROM runs WHERE started_ms < $2 AND coalesce(ended_ms, $1) >= $1 ORDER BY id DESC LIMIT $3`,
        [fromMs, toMs, limit],
      ),

    async purge(beforeMs, maxRows = MAX_PRESENCE_ROWS, maxOfDevice = MAX_DEVICE_ROWS) {
      let removed = 0
      for (let isMore = true; isMore; ) {
        const statement = 'SELECT purge_presence($1, $2, $3, $4) AS purge'
        const [row] = await reads.run<{ purge: Purge }>(statement, [
          beforeMs,
          maxRows,
          maxOfDevice,
          PURGE_STEP,
        ])
        removed += row?.purge.removed ?? 0
        isMore = row?.purge.isMore ?? false
      }
      return removed
    },
  }
}
