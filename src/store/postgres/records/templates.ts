/** Stores message templates. */
import type { AuditEntry } from '../../../audit/audit.ts'
import type {
  NewTemplate,
  Template,
  TemplateFilter,
  TemplateStore,
} from '../../../broker/engine/templates.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { GUARANTEE_CODES } from '../schema/codes.ts'
import { TEMPLATE_TERM_SQL, templateTerms } from '../schema/terms.ts'
import type { AdminResult } from './admin-calls.ts'

interface TemplateResult extends AdminResult {
  /** Null if nothing changed. */
  readonly id: number | null
}

type Row = Omit<Template, 'guarantee'> & { readonly guarantee: number }

const SELECT = `SELECT t.id, t.client_id AS "clientId", c.device_id AS "deviceId", t.description, t.command, t.guarantee,
    ${TEMPLATE_TERM_SQL.selected}, t.data
  FROM templates t LEFT JOIN clients c ON c.id = t.client_id`

export class PostgresTemplates implements TemplateStore {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  async list({ clientId, deviceId }: TemplateFilter): Promise<Template[]> {
    const rows = await this.#parts.reads.run<Row>(
      `${SELECT} WHERE ($1::bigint IS NULL OR t.client_id = $1) AND ($2::text IS NULL OR c.device_id = $2) ORDER BY t.id DESC`,
      [clientId ?? null, encodeText(deviceId ?? null)],
    )
    return rows.map(toTemplate)
  }

  async get(id: number): Promise<Template | null> {
    const [row] = await this.#parts.reads.run<Row>(`${SELECT} WHERE t.id = $1::bigint`, [id])
    return row ? toTemplate(row) : null
  }

  async add(template: NewTemplate, audit: AuditEntry | null = null): Promise<number | null> {
    const { administration } = this.#parts
    const stored = { template: encoded(template) }
    return (await administration.perform<TemplateResult>('addTemplate', stored, audit)).id
  }

  async replace(id: number, template: NewTemplate, audit: AuditEntry | null = null): Promise<boolean> {
    const { administration } = this.#parts
    const stored = { id, template: encoded(template) }
    return (await administration.perform<TemplateResult>('replaceTemplate', stored, audit)).id !== null
  }

  async remove(id: number, audit: AuditEntry | null = null): Promise<boolean> {
    const { administration } = this.#parts
    return (await administration.perform<TemplateResult>('removeTemplate', { id }, audit)).id !== null
  }
}

function encoded(template: NewTemplate) {
  return {
    ...template,
    ...templateTerms(template, encodeText),
    description: encodeText(template.description),
    command: encodeText(template.command),
    data: encodeText(template.data),
    guarantee: GUARANTEE_CODES.of(template.guarantee),
  }
}

function toTemplate({ guarantee, ...row }: Row): Template {
  return {
    ...row,
    ...templateTerms(row, decodeText),
    deviceId: decodeText(row.deviceId),
    description: decodeText(row.description),
    command: decodeText(row.command),
    data: decodeText(row.data),
    guarantee: GUARANTEE_CODES.name(guarantee),
  }
}
