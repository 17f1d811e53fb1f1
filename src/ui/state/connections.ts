/** Reads open connections and refused logins, packets and messages. */
import type { components } from '../../client/index.ts'
import type { Query } from './location.ts'
import { call, callPage, type Page } from './session.ts'

export type Connection = components['schemas']['Connection']
export type Refusal = components['schemas']['Refusal']

const ROWS = 200

/** Open connections, and the number of all matching connections. */
export interface Connections extends Page<Connection> {
  readonly total: number
}

/**
 * Returns open connections, oldest first.
 *
 * @param search substring of the login, the session or the address; '' for all
 * @param atLeast minimum number of rows to read, if they exist
 */
export async function loadConnections(search: string, atLeast = ROWS): Promise<Connections> {
  const items: Connection[] = []
  let total = 0
  let query: Query | null = { details: 'true', limit: String(ROWS), ...(search !== '' && { search }) }
  while (query !== null && items.length < atLeast) {
    const page: Page<Connection> = await callPage(
      (api) => api.GET('/admin/api/connections', { params: { query: query as object } }),
      ({ headers }) => {
        total = Number(headers.get('waybill-total'))
      },
    )
    items.push(...page.items)
    query = page.next
  }
  return { items, next: query, total }
}

/** Closes a connection. @throws {RequestError} 404: the connection has already ended */
export async function closeConnection(id: number): Promise<void> {
  await call((api) => api.DELETE('/admin/api/connections/{id}', { params: { path: { id } } }))
}

/** Returns the refusals that the server keeps, newest first. */
export function loadRefusals(): Promise<readonly Refusal[]> {
  return call((api) => api.GET('/admin/api/connections/refusals'))
}
