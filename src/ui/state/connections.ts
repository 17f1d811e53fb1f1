/** Reads open connections and refused logins, packets and messages. */
import type { components } from '../../client/index.ts'
import type { Query } from './location.ts'
import { call, callPage, type Page } from './session.ts'

export type Connection = components['schemas']['Connection']
export type Refusal = components['schemas']['Refusal']

const ROWS = 200

/**
 * Returns open connections, oldest first.
 *
 * @param deviceId id of the client that logged in; '' for all clients
 * @param atLeast number of rows to read, if there are as many
 */
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

/** Closes a connection. @throws {RequestError} 404: the connection has ended already */
export async function closeConnection(id: number): Promise<void> {
  await call((api) => api.DELETE('/admin/api/connections/{id}', { params: { path: { id } } }))
}

/** Returns the refusals that the server keeps, newest first. */
export function loadRefusals(): Promise<readonly Refusal[]> {
  return call((api) => api.GET('/admin/api/connections/refusals'))
}
