/** Describes the rows of incidents once, for the statements of both databases. */
import type {
  CoveredSignal,
  IncidentChange,
  IncidentMember,
  IncidentRecord,
  IncidentRule,
  NewIncident,
  SignalKind,
} from '../broker/contract/incident-store.ts'

/** Incident as a row: the acknowledgement has columns of its own. */
export type IncidentRow = Omit<IncidentRecord, 'ack'> & AckRow

interface AckRow {
  readonly ackBy: string | null
  readonly ackMs: number | null
  readonly ackNote: string | null
  readonly ackDevices: number | null
  readonly ackMessages: number | null
}

type Columns<Row> = readonly (readonly [column: string, member: keyof Row & string])[]

const ACK_COLUMNS = [
  ['ack_by', 'ackBy'],
  ['ack_ms', 'ackMs'],
  ['ack_note', 'ackNote'],
  ['ack_devices', 'ackDevices'],
  ['ack_messages', 'ackMessages'],
] as const satisfies Columns<AckRow>

/** Columns of an incident without its id. */
export const INCIDENT_COLUMNS = [
  ['key', 'key'],
  ['kind', 'kind'],
  ['state', 'state'],
  ['started_ms', 'startedMs'],
  ['changed_ms', 'changedMs'],
  ['ended_ms', 'endedMs'],
  ['devices', 'devices'],
  ['messages', 'messages'],
  ['waiting', 'waiting'],
  ['most_devices', 'mostDevices'],
  ['most_messages', 'mostMessages'],
  ...ACK_COLUMNS,
  ['muted_until_ms', 'mutedUntilMs'],
  ['reopened', 'reopened'],
  ['merged_into', 'mergedInto'],
] as const satisfies Columns<IncidentRow>

export const MEMBER_COLUMNS = [
  ['key', 'key'],
  ['kind', 'kind'],
  ['device_id', 'deviceId'],
  ['message_id', 'messageId'],
  ['command', 'command'],
  ['reason', 'reason'],
  ['address', 'address'],
  ['first_ms', 'firstMs'],
  ['missing_since_ms', 'missingSinceMs'],
  ['ended_ms', 'endedMs'],
  ['count', 'count'],
] as const satisfies Columns<IncidentMember>

export const RULE_COLUMNS = [
  ['kind', 'kind'],
  ['is_enabled', 'isEnabled'],
  ['starts_at', 'start'],
  ['ends_at', 'end'],
  ['quiet_seconds', 'quietSeconds'],
  ['min_messages', 'minMessages'],
] as const satisfies Columns<IncidentRule>

/** Returns the list of columns for SELECT. @param prefix name of the table, with a dot */
export function selectList(columns: Columns<never>, prefix = ''): string {
  return columns.map(([column, member]) => `${prefix}${column} AS "${member as string}"`).join(', ')
}

export function columnNames(columns: Columns<never>): string {
  return columns.map(([column]) => column).join(', ')
}

/**
 * Columns of the members that an acknowledged incident `i` covers. A device with another member of the same kind in an
 * incident that is open has an open alert.
 */
export const COVERED_SELECT = `s.kind, s.key, s.device_id AS "deviceId", ${selectList(ACK_COLUMNS, 'i.')}
  FROM incidents i JOIN incident_signals s ON s.incident_id = i.id
  WHERE i.ended_ms IS NULL AND i.state = 'ACKNOWLEDGED' AND s.ended_ms IS NULL
    AND NOT EXISTS (SELECT 1 FROM incident_signals o JOIN incidents j ON j.id = o.incident_id
      WHERE o.device_id = s.device_id AND o.kind = s.kind AND o.ended_ms IS NULL AND j.ended_ms IS NULL AND j.state <> 'ACKNOWLEDGED')`

/** Incidents with signals, and their times. Behind it follow the condition of the signals, and GROUP BY i.id. */
export const DEVICE_INCIDENTS = `SELECT i.id, i.key, min(s.first_ms) AS "beganMs",
    CASE WHEN count(*) = count(s.ended_ms) THEN max(s.ended_ms) ELSE i.ended_ms END AS "endedMs"
  FROM incident_signals s JOIN incidents i ON i.id = s.incident_id`

/** Columns of the members that have not ended, of incidents that have not ended. */
export const OPEN_SELECT = `s.kind, s.key, s.device_id AS "deviceId", s.incident_id AS "incidentId"
  FROM incidents i JOIN incident_signals s ON s.incident_id = i.id WHERE i.ended_ms IS NULL AND s.ended_ms IS NULL`

/** Selects the kinds of the members of incidents. @param ids condition for the id of an incident */
export const kindsSelect = (ids: string): string => `SELECT DISTINCT i.id, s.kind
  FROM incidents i JOIN incident_signals s ON s.incident_id = i.id
  WHERE i.id ${ids} AND (s.ended_ms IS NULL OR i.ended_ms IS NOT NULL)`

export interface KindRow {
  readonly id: number
  readonly kind: SignalKind
}

export function kindsById(rows: readonly KindRow[]): ReadonlyMap<number, readonly SignalKind[]> {
  const kinds = new Map<number, SignalKind[]>()
  for (const { id, kind } of rows) kinds.set(id, [...(kinds.get(id) ?? []), kind].sort())
  return kinds
}

export type CoveredRow = Omit<CoveredSignal, 'ack'> & AckRow

function ackOf({ ackBy, ackMs, ackNote, ackDevices, ackMessages }: AckRow): IncidentRecord['ack'] {
  if (ackMs === null) return null
  return { by: ackBy, atMs: ackMs, note: ackNote, devices: ackDevices ?? 0, messages: ackMessages ?? 0 }
}

export function toIncident(row: IncidentRow): IncidentRecord {
  const { ackBy, ackMs, ackNote, ackDevices, ackMessages, ...incident } = row
  return { ...incident, ack: ackOf(row) }
}

export function toCovered(row: CoveredRow): CoveredSignal[] {
  const { kind, key, deviceId } = row
  const ack = ackOf(row)
  return ack ? [{ kind, key, deviceId, ack }] : []
}

/** Returns the values of the columns of an incident, by column. */
export function incidentValues({ ack, ...incident }: NewIncident): Record<string, string | number | null> {
  const row = {
    ...incident,
    ackBy: ack?.by ?? null,
    ackMs: ack?.atMs ?? null,
    ackNote: ack?.note ?? null,
    ackDevices: ack?.devices ?? null,
    ackMessages: ack?.messages ?? null,
  }
  return Object.fromEntries(INCIDENT_COLUMNS.map(([column, member]) => [column, row[member]]))
}

export function memberValues(member: IncidentMember): Record<string, string | number | null> {
  return Object.fromEntries(MEMBER_COLUMNS.map(([column, name]) => [column, member[name]]))
}

/** Returns the members of a change whose end frees their keys. */
export function endedMembers({ members }: IncidentChange): IncidentMember[] {
  return members.filter(({ endedMs }) => endedMs !== null)
}
