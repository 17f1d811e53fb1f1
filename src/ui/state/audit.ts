/** Reads the audit trail. */
import type { components } from '../../client/index.ts'
import type { Query } from './location.ts'
import { call, callPage, type Page } from './session.ts'

export type AuditLine = components['schemas']['AuditLine']
export type AuditAction = AuditLine['action']

const ROWS = 50

/** Selects lines. An empty text and null match all. */
export interface AuditFilter {
  readonly client: string
  readonly action: string
  readonly object: string
  readonly from: number | null
  readonly to: number | null
}

/**
 * Returns lines of the audit trail, newest first.
 *
 * @param atLeast minimum number of lines to read, if they exist
 */
export async function loadAudit(filter: AuditFilter, atLeast = ROWS): Promise<Page<AuditLine>> {
  const items: AuditLine[] = []
  const given = Object.entries(filter).filter(([, value]) => value !== '' && value !== null)
  let query: Query | null = {
    limit: String(ROWS),
    ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  }
  while (query !== null && items.length < atLeast) {
    const params = { query: query as { limit: number } & Query }
    const page: Page<AuditLine> = await callPage((api) => api.GET('/admin/api/audit', { params }))
    items.push(...page.items)
    query = page.next
  }
  return { items, next: query }
}

/** Returns the newest lines about one object. */
export async function loadAuditOf(object: string, limit: number): Promise<AuditLine[]> {
  return call((api) => api.GET('/admin/api/audit', { params: { query: { object, limit } } }))
}
