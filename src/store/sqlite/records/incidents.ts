/** Stores incidents, their members and their history in SQLite. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
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
  columnNames,
  DEVICE_INCIDENTS,
  endedMembers,
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
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import type { SqliteAudit } from './audit.ts'

/** Members that one turn of the event loop reads. */
const STEP_MEMBERS = 1_000

const STEP_INCIDENTS = 50

type MemberRow = IncidentMember & { readonly incidentId: number }
type RuleRow = Omit<IncidentRule, 'isEnabled'> & { readonly isEnabled: number }

const SELECT = `SELECT id, ${selectList(INCIDENT_COLUMNS)} FROM incidents`
const placeholders = (columns: readonly unknown[]): string => columns.map(() => '?').join(', ')

export class SqliteIncidents implements IncidentStore {
  readonly #writer: Writer
  readonly #audit: SqliteAudit
  readonly #current: Statement<[endedSinceMs: number], IncidentRow>
  readonly #openMembers: Statement<[afterKey: string], MemberRow>
  readonly #list: Statement<[Omit<IncidentFilter, 'isEnded'> & { ended: number; limit: number }], IncidentRow>
  readonly #get: Statement<[id: number], IncidentRow>
  readonly #members: Statement<[id: number, after: string, limit: number], IncidentMember>
  readonly #ofDevice: Statement<
    [{ deviceId: string; from: number; to: number; limit: number }],
    DeviceIncident
  >
  readonly #lines: Statement<[id: number, limit: number], IncidentLine>
  readonly #changedAfter: Statement<[changedMs: number, id: number, limit: number], IncidentRow>
  readonly #kinds: Statement<[ids: string], KindRow>
  readonly #open: Statement<[], OpenSignal>
  readonly #covered: Statement<[], CoveredRow>
  readonly #rules: Statement<[], RuleRow>
  readonly #counts: Statement<[], IncidentCount>
  readonly #newestMs: Statement<[], number | null>
  readonly #isUnchanged: WriteStatement
  readonly #insert: WriteStatement
  readonly #update: WriteStatement
  readonly #move: WriteStatement
  readonly #end: WriteStatement
  readonly #putMember: WriteStatement
  readonly #addLine: WriteStatement
  readonly #removeRules: WriteStatement
  readonly #addRule: WriteStatement
  readonly #purge: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, audit: SqliteAudit) {
    this.#writer = writer
    this.#audit = audit
    this.#current = db.prepare(
      `${SELECT} WHERE ended_ms IS NULL OR ended_ms >= ?
         OR id IN (SELECT incident_id FROM incident_signals WHERE ended_ms IS NULL) ORDER BY id`,
    )
    this.#openMembers = db.prepare(
      `SELECT incident_id AS incidentId, ${selectList(MEMBER_COLUMNS)} FROM incident_signals
       WHERE ended_ms IS NULL AND key > ? ORDER BY key LIMIT ${STEP_MEMBERS}`,
    )
    this.#list = db.prepare(
      `${SELECT} WHERE (ended_ms IS NOT NULL) = @ended AND (@state IS NULL OR state = @state) AND (@kind IS NULL OR kind = @kind)
         AND (@fromMs IS NULL OR started_ms >= @fromMs) AND (@toMs IS NULL OR started_ms < @toMs) AND (@beforeId IS NULL OR id < @beforeId)
         AND (@deviceId IS NULL OR id IN (SELECT incident_id FROM incident_signals WHERE device_id = @deviceId))
       ORDER BY id DESC LIMIT @limit`,
    )
    this.#get = db.prepare(`${SELECT} WHERE id = ?`)
    this.#members = db.prepare(
      `SELECT ${selectList(MEMBER_COLUMNS)} FROM incident_signals WHERE incident_id = ? AND key > ? ORDER BY key LIMIT ?`,
    )
    this.#ofDevice = db.prepare(
      `SELECT * FROM (${DEVICE_INCIDENTS} WHERE s.device_id = @deviceId GROUP BY i.id)
       WHERE beganMs < @to AND (endedMs IS NULL OR endedMs >= @from) ORDER BY id DESC LIMIT @limit`,
    )
    this.#lines = db.prepare(
      `SELECT * FROM (SELECT id, at_ms AS atMs, kind, by, text FROM incident_lines WHERE incident_id = ? ORDER BY id DESC LIMIT ?)
       ORDER BY id`,
    )
    this.#changedAfter = db.prepare(
      `${SELECT} WHERE (changed_ms, id) > (?, ?) ORDER BY changed_ms, id LIMIT ?`,
    )
    this.#kinds = db.prepare(kindsSelect('IN (SELECT value FROM json_each(?))'))
    this.#open = db.prepare(`SELECT ${OPEN_SELECT}`)
    this.#covered = db.prepare(`SELECT ${COVERED_SELECT}`)
    this.#rules = db.prepare(`SELECT ${selectList(RULE_COLUMNS)} FROM incident_rules ORDER BY kind`)
    this.#counts = db.prepare(
      'SELECT kind, state, count(*) AS count FROM incidents WHERE ended_ms IS NULL GROUP BY kind, state',
    )
    this.#newestMs = db.prepare<[], number | null>('SELECT max(changed_ms) FROM incidents').pluck()
    this.#isUnchanged = writer.prepare('SELECT 1 FROM incidents WHERE id = ? AND changed_ms = ?')
    this.#insert = writer.prepare(
      `INSERT INTO incidents (${columnNames(INCIDENT_COLUMNS)}) VALUES (${placeholders(INCIDENT_COLUMNS)})`,
    )
    this.#update = writer.prepare(
      `UPDATE incidents SET (${columnNames(INCIDENT_COLUMNS)}) = (${placeholders(INCIDENT_COLUMNS)}) WHERE id = ?`,
    )
    this.#move = writer.prepare('DELETE FROM incident_signals WHERE incident_id = ? AND key = ?')
    this.#end = writer.prepare('UPDATE incident_signals SET ended_ms = ? WHERE incident_id = ? AND key = ?')
    this.#putMember = writer.prepare(
      `INSERT OR REPLACE INTO incident_signals (incident_id, ${columnNames(MEMBER_COLUMNS)}) VALUES (?, ${placeholders(MEMBER_COLUMNS)})`,
    )
    this.#addLine = writer.prepare(
      'INSERT INTO incident_lines (incident_id, at_ms, kind, by, text) VALUES (?, ?, ?, ?, ?)',
    )
    this.#removeRules = writer.prepare('DELETE FROM incident_rules')
    this.#addRule = writer.prepare(
      `INSERT INTO incident_rules (${columnNames(RULE_COLUMNS)}) VALUES (${placeholders(RULE_COLUMNS)})`,
    )
    this.#purge = writer.prepare(
      `DELETE FROM incidents WHERE id IN (SELECT id FROM incidents WHERE ended_ms < ? ORDER BY ended_ms LIMIT ${STEP_INCIDENTS})`,
    )
  }

  /** The process owns the database. */
  async isRecorder(): Promise<boolean> {
    return true
  }

  async current(endedSinceMs: number): Promise<readonly IncidentWithMembers[]> {
    const incidents = this.#writer.read(() => this.#current.all(endedSinceMs))
    const members = new Map<number, IncidentMember[]>(incidents.map(({ id }) => [id, []]))
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      const rows = this.#writer.read(() => this.#openMembers.all(from))
      for (const { incidentId, ...member } of rows) members.get(incidentId)?.push(member)
      after = rows[STEP_MEMBERS - 1]?.key
      if (after !== undefined) await turn()
    }
    return incidents.map((row) => ({ incident: toIncident(row), members: members.get(row.id) ?? [] }))
  }

  async write(
    changes: readonly IncidentChange[],
    audit: AuditEntry | null = null,
  ): Promise<readonly number[] | null> {
    const line = audit && this.#audit.line(audit)
    return this.#writer.write(() => {
      const isCurrent = changes.every(
        ({ before }) => before === null || this.#isUnchanged.get(before.id, before.changedMs) !== undefined,
      )
      if (!isCurrent) return null
      for (const change of changes) this.#free(change)
      const ids = changes.map((change) => this.#writeIncident(change))
      for (const [i, { members }] of changes.entries()) {
        for (const member of members)
          this.#putMember.run(ids[i] as number, ...Object.values(memberValues(member)))
      }
      line?.()
      return ids
    })
  }

  /** Frees the keys of members that ended or move, before another incident takes them. */
  #free(change: IncidentChange): void {
    if (change.before === null) return
    const { id } = change.before
    for (const key of change.movedKeys) this.#move.run(id, key)
    for (const { key, endedMs } of endedMembers(change)) this.#end.run(endedMs, id, key)
  }

  #writeIncident({ before, after, lines }: IncidentChange): number {
    const values = Object.values(incidentValues(after))
    const id = before?.id ?? Number(this.#insert.run(...values).lastInsertRowid)
    if (before) this.#update.run(...values, id)
    for (const { kind, by, text } of lines) this.#addLine.run(id, after.changedMs, kind, by, text)
    return id
  }

  async list(filter: IncidentFilter, limit: number): Promise<readonly IncidentRecord[]> {
    const { isEnded, ...conditions } = filter
    const parameters = { ...conditions, ended: isEnded ? 1 : 0, limit }
    return this.#writer.read(() => this.#list.all(parameters)).map(toIncident)
  }

  async get(id: number): Promise<IncidentRecord | null> {
    const row = this.#writer.read(() => this.#get.get(id))
    return row ? toIncident(row) : null
  }

  async members(id: number, after: string, limit: number): Promise<readonly IncidentMember[]> {
    return this.#writer.read(() => this.#members.all(id, after, limit))
  }

  async ofDevice(
    deviceId: string,
    fromMs: number,
    toMs: number,
    limit: number,
  ): Promise<readonly DeviceIncident[]> {
    return this.#writer.read(() => this.#ofDevice.all({ deviceId, from: fromMs, to: toMs, limit }))
  }

  async lines(id: number, limit: number): Promise<readonly IncidentLine[]> {
    return this.#writer.read(() => this.#lines.all(id, limit))
  }

  async changedAfter(
    { changedMs, id }: Pick<IncidentRecord, 'changedMs' | 'id'>,
    limit: number,
  ): Promise<readonly IncidentRecord[]> {
    return this.#writer.read(() => this.#changedAfter.all(changedMs, id, limit)).map(toIncident)
  }

  async signalsOf(ids: readonly number[]): Promise<ReadonlyMap<number, readonly SignalKind[]>> {
    return kindsById(this.#writer.read(() => this.#kinds.all(JSON.stringify(ids))))
  }

  async openSignals(): Promise<readonly OpenSignal[]> {
    return this.#writer.read(() => this.#open.all())
  }

  async covered(): Promise<readonly CoveredSignal[]> {
    return this.#writer.read(() => this.#covered.all()).flatMap(toCovered)
  }

  async rules(): Promise<readonly IncidentRule[]> {
    const rows = this.#writer.read(() => this.#rules.all())
    return rows.map(({ isEnabled, ...rule }) => ({ ...rule, isEnabled: isEnabled === 1 }))
  }

  async setRules(rules: readonly IncidentRule[], audit: AuditEntry | null = null): Promise<void> {
    const line = audit && this.#audit.line(audit)
    await this.#writer.write(() => {
      this.#removeRules.run()
      for (const { kind, isEnabled, start, end, quietSeconds, minMessages } of rules)
        this.#addRule.run(kind, isEnabled ? 1 : 0, start, end, quietSeconds, minMessages)
      line?.()
    })
  }

  async counts(): Promise<readonly IncidentCount[]> {
    return this.#writer.read(() => this.#counts.all())
  }

  async purge(beforeMs: number): Promise<number> {
    let removed = 0
    for (;;) {
      const { changes } = await this.#writer.write(() => this.#purge.run(beforeMs))
      removed += changes
      if (changes < STEP_INCIDENTS) return removed
    }
  }

  async newestMs(): Promise<number | null> {
    return this.#writer.read(() => this.#newestMs.get() ?? null)
  }
}
