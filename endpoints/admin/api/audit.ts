/** /admin/api/audit: lists who changed what, from where. */
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { AuditLineAnswer, AuditQuery, toAuditAnswer, toAuditFilter } from './_audit.ts'
import { LINK_HEADER, page } from './_paging.ts'
import { MAX_ROWS } from './_schemas.ts'

export const tag = { name: 'Audit', description: 'The audit trail: who changed what, from where' }

export class Default extends Endpoint<UsesOwn<'audit'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: AuditQuery }
  static operationId = { GET: 'listAudit' }
  static summary = 'List the lines of the audit trail, newest first'
  static responses = { GET: Type.Array(AuditLineAnswer) }
  static replyHeaders = { GET: LINK_HEADER }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ ...query }: AuditQuery) {
    const limit = Math.min(query.limit, MAX_ROWS)
    const found = await this.services.audit.list(toAuditFilter(query), limit + 1)
    const lines = found.slice(0, limit)
    const next = found.length > limit ? { before: lines.at(-1)?.id as number } : null
    return page(lines.map(toAuditAnswer), this.call.path, { ...query, limit }, next)
  }
}
