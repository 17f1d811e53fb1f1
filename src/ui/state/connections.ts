/** Who is connected, and who was refused. */
import type { components } from '../../client/index.ts'
import type { Query } from './location.ts'
import { call, callPage, type Page } from './session.ts'

export type Connection = components['schemas']['Connection']
export type Refusal = components['schemas']['Refusal']

const ROWS = 200

/** Oldest first. @param deviceId only those of who logged in as it; '' for all. @param atLeast rows that are wanted */
export async function loadConnections(deviceId: string, atLeast = ROWS): Promise<Page<Connection>> {
  const items: Connection[] = []
  let query: Query | null = { limit: String(ROWS), ...(deviceId !== '' && { deviseId: deviceId }) }
  while (query !== null && items.length < atLeast) {
    const page: Page<Connection> = await pageOf(query)
    items.push(...page.items)
    query = page.next
  }
  return { items, next: query }
}

function pageOf(query: Query): Promise<Page<Connection>> {
  return callPage((api) => api.GET('/admin/api/connections', { params: { query: query as object } }))
}

/** @throws {RequestError} 404: it has ended already */
export async function endConnection(id: number): Promise<void> {
  await call((api) => api.DELETE('/admin/api/connections/{id}', { params: { path: { id } } }))
}

/** Newest first. */
export function loadRefusals(): Promise<readonly Refusal[]> {
  return call((api) => api.GET('/admin/api/connections/refusals'))
}
