/** Stores incidents, which all nodes share. */
import type { AuditEntry } from '../../../audit/audit.ts'
import type {
  CoveredSignal,
  DeviceIncident,
  IncidentChange,
  IncidentCount,
  IncidentFilter,
  IncidentLine,
  IncidentMember,
  IncidentRecord,
  IncidentRule,
  IncidentStore,
  IncidentWithMembers,
  OpenSignal,
  SignalKind,
} from '../../../broker/contract/incident-store.ts'
import {
  COVERED_SELECT,
  type CoveredRow,
  DEVICE_INCIDENTS,
  INCIDENT_COLUMNS,
  type IncidentRow,
  incidentValues,
  type KindRow,
  kindsById,
  kindsSelect,
  MEMBER_COLUMNS,
  memberValues,
  OPEN_SELECT,
  RULE_COLUMNS,
  selectList,
  toCovered,
  toIncident,
} from '../../incident-rows.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import type { AdminResult } from './admin-calls.ts'

/** Name of the shared value that has the number of the node that records. */
const RECORDER = 'incident-recorder'
const STEP_INCIDENTS = 200
const SELECT = `SELECT id, ${selectList(INCIDENT_COLUMNS)} FROM incidents`

type MemberRow = IncidentMember & { readonly incidentId: number }

interface ChangeResult extends AdminResult {
  readonly ids: readonly number[] | null
}

export class PostgresIncidents implements IncidentStore {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  /** Takes over from a node that has stopped, or that the other nodes have removed. */
  async isRecorder(): Promise<boolean> {
    const { reads, node } = this.#parts
    if (!node.isLive()) return false
    const [recorder] = await reads.run<{ nodeId: number; isGone: boolean }>(
      `SELECT value::int AS "nodeId", NOT EXISTS (SELECT FROM nodes WHERE node_id = value::int AND NOT stopped) AS "isGone"
       FROM settings WHERE name = $1`,
      [RECORDER],
    )
    if (recorder && !recorder.isGone) return recorder.nodeId === node.id
    const taken = await reads.run(
      `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
         WHERE settings.value = $3 RETURNING name`,
      [RECORDER, String(node.id), String(recorder?.nodeId ?? node.id)],
    )
    return taken.length === 1
  }

  async current(endedSinceMs: number): Promise<readonly IncidentWithMembers[]> {
    const { reads } = this.#parts
    // A member that changes between the two reads changes its incident too, so a change based on them is refused.
    const incidents = await reads.run<IncidentRow>(
      `${SELECT} WHERE ended_ms IS NULL OR ended_ms >= $1
         OR id IN (SELECT incident_id FROM incident_signals WHERE ended_ms IS NULL) ORDER BY id`,
      [endedSinceMs],
    )
    const rows = await reads.run<MemberRow>(
      `SELECT incident_id AS "incidentId", ${selectList(MEMBER_COLUMNS)} FROM incident_signals WHERE ended_ms IS NULL ORDER BY key`,
    )
    const members = new Map<number, IncidentMember[]>(incidents.map(({ id }) => [id, []]))
    for (const { incidentId, ...member } of rows) members.get(incidentId)?.push(decoded(member))
    return incidents.map((row) => ({
      incident: toIncident(decoded(row)),
      members: members.get(row.id) ?? [],
    }))
  }

  async write(
    changes: readonly IncidentChange[],
    audit: AuditEntry | null = null,
  ): Promise<readonly number[] | null> {
    const calls = changes.map(({ before, after, members, movedKeys, lines }) => ({
      id: before?.id ?? null,
      beforeMs: before?.changedMs ?? null,
      after: encoded(incidentValues(after)),
      members: members.map((member) => encoded(memberValues(member))),
      movedKeys: movedKeys.map((key) => encodeText(key)),
      lines: lines.map((line) => encoded({ ...line })),
    }))
    const { administration } = this.#parts
    return (await administration.perform<ChangeResult>('changeIncidents', { changes: calls }, audit)).ids
  }

  async list(filter: IncidentFilter, limit: number): Promise<readonly IncidentRecord[]> {
    const { isEnded, state, kind, fromMs, toMs, beforeId, deviceId } = filter
    const rows = await this.#parts.reads.run<IncidentRow>(
      `${SELECT} WHERE (ended_ms IS NOT NULL) = $1 AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR kind = $3)
         AND ($4::bigint IS NULL OR started_ms >= $4) AND ($5::bigint IS NULL OR started_ms < $5) AND ($6::bigint IS NULL OR id < $6)
         AND ($7::text IS NULL OR id IN (SELECT incident_id FROM incident_signals WHERE device_id = $7))
       ORDER BY id DESC LIMIT $8`,
      [isEnded, state, kind, fromMs, toMs, beforeId, encodeText(deviceId), limit],
    )
    return rows.map((row) => toIncident(decoded(row)))
  }

  async get(id: number): Promise<IncidentRecord | null> {
    const [row] = await this.#parts.reads.run<IncidentRow>(`${SELECT} WHERE id = $1`, [id])
    return row ? toIncident(decoded(row)) : null
  }

  async members(id: number, after: string, limit: number): Promise<readonly IncidentMember[]> {
    const rows = await this.#parts.reads.run<IncidentMember & Record<string, unknown>>(
      `SELECT ${selectList(MEMBER_COLUMNS)} FROM incident_signals WHERE incident_id = $1 AND key > $2 ORDER BY key LIMIT $3`,
      [id, encodeText(after), limit],
    )
    return rows.map(decoded)
  }

  async ofDevice(
    deviceId: string,
    fromMs: number,
    toMs: number,
    limit: number,
  ): Promise<readonly DeviceIncident[]> {
    const rows = await this.#parts.reads.run<DeviceIncident & Record<string, unknown>>(
      `SELECT * FROM (${DEVICE_INCIDENTS} WHERE s.device_id = $1 GROUP BY i.id) d
       WHERE "beganMs" < $3 AND ("endedMs" IS NULL OR "endedMs" >= $2) ORDER BY id DESC LIMIT $4`,
      [encodeText(deviceId), fromMs, toMs, limit],
    )
    return rows.map(decoded)
  }

  async lines(id: number, limit: number): Promise<readonly IncidentLine[]> {
    const rows = await this.#parts.reads.run<IncidentLine & Record<string, unknown>>(
      `SELECT * FROM (SELECT id, at_ms AS "atMs", kind, by, text FROM incident_lines WHERE incident_id = $1 ORDER BY id DESC LIMIT $2) l
       ORDER BY id`,
      [id, limit],
    )
    return rows.map(decoded)
  }

  async changedAfter(
    { changedMs, id }: Pick<IncidentRecord, 'changedMs' | 'id'>,
    limit: number,
  ): Promise<readonly IncidentRecord[]> {
    const rows = await this.#parts.reads.run<IncidentRow>(
      `${SELECT} WHERE (changed_ms, id) > ($1, $2) ORDER BY changed_ms, id LIMIT $3`,
      [changedMs, id, limit],
    )
    return rows.map((row) => toIncident(decoded(row)))
  }

  async signalsOf(ids: readonly number[]): Promise<ReadonlyMap<number, readonly SignalKind[]>> {
    const rows = await this.#parts.reads.run<KindRow & Record<string, unknown>>(
      kindsSelect('= ANY ($1::bigint[])'),
      [ids],
    )
    return kindsById(rows)
  }

  async openSignals(): Promise<readonly OpenSignal[]> {
    const rows = await this.#parts.reads.run<OpenSignal & Record<string, unknown>>(`SELECT ${OPEN_SELECT}`)
    return rows.map(decoded)
  }

  async covered(): Promise<readonly CoveredSignal[]> {
    const rows = await this.#parts.reads.run<CoveredRow>(`SELECT ${COVERED_SELECT}`)
    return rows.flatMap((row) => toCovered(decoded(row)))
  }

  rules(): Promise<readonly IncidentRule[]> {
    return this.#parts.reads.run<IncidentRule & Record<string, unknown>>(
      `SELECT ${selectList(RULE_COLUMNS)} FROM incident_rules ORDER BY kind COLLATE "C"`,
    )
  }

  async setRules(rules: readonly IncidentRule[], audit: AuditEntry | null = null): Promise<void> {
    const rows = rules.map((rule) =>
      Object.fromEntries(RULE_COLUMNS.map(([column, member]) => [column, rule[member]])),
    )
    await this.#parts.administration.perform('setIncidentRules', { rules: rows }, audit)
  }

  counts(): Promise<readonly IncidentCount[]> {
    return this.#parts.reads.run<IncidentCount & Record<string, unknown>>(
      'SELECT kind, state, count(*)::int AS count FROM incidents WHERE ended_ms IS NULL GROUP BY kind, state',
    )
  }

  async purge(beforeMs: number): Promise<number> {
    for (let removed = 0; ; ) {
      const rows = await this.#parts.reads.run(
        `DELETE FROM incidents WHERE id IN (SELECT id FROM incidents WHERE ended_ms < $1 ORDER BY ended_ms LIMIT ${STEP_INCIDENTS})
         RETURNING id`,
        [beforeMs],
      )
      removed += rows.length
      if (rows.length < STEP_INCIDENTS) return removed
    }
  }

  async newestMs(): Promise<number | null> {
    const [row] = await this.#parts.reads.run<{ newestMs: number | null }>(
      'SELECT max(changed_ms) AS "newestMs" FROM incidents',
    )
    return row?.newestMs ?? null
  }
}

/** Returns a row with its texts as the broker knows them. */
function decoded<Row extends object>(row: Row): Row {
  return mapTexts(row, decodeText)
}

function encoded(row: Record<string, string | number | null>): Record<string, string | number | null> {
  return mapTexts(row, encodeText)
}

function mapTexts<Row extends object>(row: Row, map: (text: string) => string): Row {
  const members = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? map(value) : value,
  ])
  return Object.fromEntries(members) as Row
}
