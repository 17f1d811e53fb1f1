/** Clients: who may log in, and with what role. */
import type { components } from '../../client/index.ts'
import { call } from './session.ts'

export type Client = components['schemas']['Client']
export type Role = components['schemas']['Role']

/** All of them, by their id. */
export async function loadClients(): Promise<Client[]> {
  const clients = (await call((api) => api.GET('/admin/api/clients'))) as Client[]
  return clients.toSorted((a, b) => a.deviseId.localeCompare(b.deviseId))
}

/** @throws {RequestError} 409: there is one with that id */
export async function makeClient(client: components['schemas']['NewClient']): Promise<void> {
  await call((api) => api.POST('/admin/api/clients', { body: client }))
}

/** @throws {RequestError} 409: the last one with role MAN */
export async function changeClient(id: number, change: components['schemas']['ClientChange']): Promise<void> {
  await call((api) => api.PUT('/admin/api/clients/{id}', { params: { path: { id } }, body: change }))
}

/** @throws {RequestError} 409: the last one with role MAN */
export async function deleteClient(id: number): Promise<void> {
  await call((api) => api.DELETE('/admin/api/clients/{id}', { params: { path: { id } } }))
}
