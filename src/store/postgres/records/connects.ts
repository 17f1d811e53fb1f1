/** Counts the connections of devices in PostgreSQL, and finds the addresses of the latest ones. */
import { type DeviceConnects, MAX_CONNECTIONS } from '../../../broker/contract/presence-store.ts'
import { REST } from '../../../broker/vocabulary/presence.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'

type Reads = PostgresParts['reads']

const newest = (column: string): string =>
  `(array_agg(${column} ORDER BY began_ms DESC, run_id DESC, number DESC) FILTER (WHERE ${column} IS NOT NULL))[1] AS ${column}`

const CONNECTS = `WITH newest AS (SELECT * FROM periods WHERE began_ms >= now_ms() - $1::bigint
    ORDER BY began_ms DESC, run_id DESC, number DESC LIMIT ${MAX_CONNECTIONS}),
  counted AS (SELECT device_id, count(*)::int AS connects, min(began_ms) AS since, ${newest('address')}, ${newest('reason')}
    FROM newest WHERE transport <> '${REST}' GROUP BY device_id HAVING count(*) >= $2)
  SELECT device_id AS "deviceId", connects + (SELECT coalesce(sum((e.detail::json->>'connects')::int), 0)::int FROM device_events e
      WHERE e.device_id = c.device_id AND e.kind = 'FLAPPING' AND e.last_ms >= now_ms() - $1::bigint) AS connects,
    since AS "sinceMs", address, reason FROM counted c`

const ADDRESSES = `SELECT d.id AS "deviceId", p.address FROM unnest($1::text[]) d (id) CROSS JOIN LATERAL
    (SELECT address FROM periods WHERE device_id = d.id AND address IS NOT NULL ORDER BY began_ms DESC LIMIT 1) p`

/** Returns the devices with at least `least` connections within a time, in milliseconds. */
export async function connectsWithin(reads: Reads, ms: number, least: number): Promise<DeviceConnects[]> {
  const rows = await reads.run<DeviceConnects & Record<string, unknown>>(CONNECTS, [ms, least])
  return rows.map((row) => ({ ...row, deviceId: decodeText(row.deviceId) }))
}

/** Returns the address of the latest connection of each device. Omits devices without one. */
export async function lastAddresses(
  reads: Reads,
  deviceIds: readonly string[],
): Promise<Map<string, string>> {
  const ids = deviceIds.map((deviceId) => encodeText(deviceId))
  const rows = await reads.run<{ deviceId: string; address: string }>(ADDRESSES, [ids])
  return new Map(rows.map(({ deviceId, address }) => [decodeText(deviceId), decodeText(address)]))
}
