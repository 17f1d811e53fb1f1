/** Reads and changes clients: their ids, roles and descriptions. */
import type { components } from '../../client/index.ts'
import { call } from './session.ts'

export type Client = components['schemas']['Client']
export type Role = components['schemas']['Role']

export async function loadClients(): Promise<Client[]> {
  const clients = await call((api) => api.GET('/admin/api/clients', { params: { query: { details: true } } }))
  return clients.toSorted((a, b) => a.deviseId.localeCompare(b.deviseId))
}

/** Creates a client. @throws {RequestError} 409: another client has this id */
export async function createClient(client: components['schemas']['NewClient']): Promise<void> {
  await call((api) => api.POST('/admin/api/clients', { body: client }))
}

/** Changes the given properties of a client. @throws {RequestError} 409: the id is taken, or the client is the last with role MAN */
export async function updateClient(id: number, change: components['schemas']['ClientChange']): Promise<void> {
  await call((api) => api.PUT('/admin/api/clients/{id}', { params: { path: { id } }, body: change }))
}

/** Deletes a client. @throws {RequestError} 409: the client is the last with role MAN */
export async function deleteClient(id: number): Promise<void> {
  await call((api) => api.DELETE('/admin/api/clients/{id}', { params: { path: { id } } }))
}
