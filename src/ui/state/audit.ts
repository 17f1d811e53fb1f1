/** Reads the audit trail. */
import type { components } from '../../client/index.ts'
import type { Query } from './location.ts'
import { callPage, type Page } from './session.ts'

export type AuditLine = components['schemas']['AuditLine']
export type AuditAction = AuditLine['action']

const ROWS = 50

/**
 * Returns lines of the audit trail, newest first.
 *
 * @param atLeast number of lines to read, if there are as many
 */
export async function loadAudit(client: string, action: string, atLeast = ROWS): Promise<Page<AuditLine>> {
  const items: AuditLine[] = []
  let query: Query | null = { limit: String(ROWS), ...(client && { client }), ...(action && { action }) }
  while (query !== null && items.length < atLeast) {
    const params = { query: query as { limit: number } & Query }
    const page: Page<AuditLine> = await callPage((api) => api.GET('/admin/api/audit', { params }))
    items.push(...page.items)
    query = page.next
  }
  return { items, next: query }
}
