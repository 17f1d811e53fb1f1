/** Stores message templates in SQLite. */
import type { Database, Statement } from 'better-sqlite3'
import type { AuditEntry } from '../../../audit/audit.ts'
import type {
  NewTemplate,
  Template,
  TemplateFilter,
  TemplateStore,
} from '../../../broker/engine/templates.ts'
import { TEMPLATE_TERM_LIST } from '../../../broker/vocabulary/term-table.ts'
import { lastId } from '../database/sequences.ts'
import type { Value, WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import type { SqliteAudit } from './audit.ts'

const SELECT = `SELECT t.id, t.client_id AS clientId, c.device_id AS deviceId, t.description, t.command, t.guarantee,
    ${TEMPLATE_TERM_LIST.map(({ name, column }) => `t.${column} AS ${name}`).join(', ')}, t.data
  FROM templates t LEFT JOIN clients c ON c.id = t.client_id`

/** Columns with the content of a template, in the order of {@link valuesOf}. */
const COLUMNS = [
  ...['client_id', 'description', 'command', 'guarantee'],
  ...TEMPLATE_TERM_LIST.map(({ column }) => column),
  'data',
]

const OWNER_EXISTS = '(? IS NULL OR EXISTS (SELECT 1 FROM clients WHERE id = ?))'

/** Returns the values of a template in the order of the statements. */
function valuesOf(id: number, template: NewTemplate): Value[] {
  const { clientId, description, command, guarantee, data } = template
  const terms = TEMPLATE_TERM_LIST.map(({ name }) => template[name])
  return [clientId, description, command, guarantee, ...terms, data, id, clientId, clientId]
}

export class SqliteTemplates implements TemplateStore {
  readonly #writer: Writer
  readonly #audit: SqliteAudit
  readonly #list: Statement<[{ clientId: number | null; deviceId: string | null }], Template>
  readonly #byId: Statement<[id: number], Template>
  readonly #insert: WriteStatement
  readonly #replace: WriteStatement
  readonly #remove: WriteStatement
  #lastId: number

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, audit: SqliteAudit) {
    this.#writer = writer
    this.#audit = audit
    this.#list = db.prepare(
      `${SELECT} WHERE (@clientId IS NULL OR t.client_id = @clientId) AND (@deviceId IS NULL OR c.device_id = @deviceId)
       ORDER BY t.id DESC`,
    )
    this.#byId = db.prepare(`${SELECT} WHERE t.id = ?`)
    this.#insert = writer.prepare(
      `INSERT INTO templates (${COLUMNS.join(', ')}, id)
       SELECT ${COLUMNS.map(() => '?').join(', ')}, ? WHERE ${OWNER_EXISTS}`,
    )
    this.#replace = writer.prepare(
      `UPDATE templates SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE id = ? AND ${OWNER_EXISTS}`,
    )
    this.#remove = writer.prepare('DELETE FROM templates WHERE id = ?')
    this.#lastId = lastId(db, 'templates')
  }

  async list({ clientId, deviceId }: TemplateFilter): Promise<Template[]> {
    const only = { clientId: clientId ?? null, deviceId: deviceId ?? null }
    return this.#writer.read(() => this.#list.all(only))
  }

  async get(id: number): Promise<Template | null> {
    return this.#writer.read(() => this.#byId.get(id)) ?? null
  }

  async add(template: NewTemplate, audit: AuditEntry | null = null): Promise<number | null> {
    const id = ++this.#lastId
    const values = valuesOf(id, template)
    const isStored = await this.#write(this.#insert, values, audit && { ...audit, object: String(id) })
    return isStored ? id : null
  }

  replace(id: number, template: NewTemplate, audit: AuditEntry | null = null): Promise<boolean> {
    return this.#write(this.#replace, valuesOf(id, template), audit)
  }

  remove(id: number, audit: AuditEntry | null = null): Promise<boolean> {
    return this.#write(this.#remove, [id], audit)
  }

  /** Makes a change, with its audit line. Returns false if it changed nothing. */
  #write(change: WriteStatement, values: readonly Value[], audit: AuditEntry | null): Promise<boolean> {
    const line = audit && this.#audit.line(audit)
    return this.#writer.write(() => {
      const { changes } = change.run(...values)
      if (changes > 0) line?.()
      return changes > 0
    })
  }
}
