/** Reads, creates and deletes the API keys of a client. */
import type { components } from '../../client/index.ts'
import { call } from './session.ts'

export type ApiKey = components['schemas']['ApiKey']

/** Returns the keys of a client, newest first. */
export async function loadKeys(id: number): Promise<ApiKey[]> {
  const keys = await call((api) => api.GET('/admin/api/clients/{id}/keys', { params: { path: { id } } }))
  return keys.toReversed()
}

/**
 * Creates a key and returns its text, which the server shows only this once. @throws {RequestError} 409: too many keys
 */
export async function createKey(id: number, body: components['schemas']['NewApiKey']): Promise<string> {
  const { key } = await call((api) =>
    api.POST('/admin/api/clients/{id}/keys', { params: { path: { id } }, body }),
  )
  return key
}

export async function deleteKey(id: number, keyId: number): Promise<void> {
  await call((api) => api.DELETE('/admin/api/clients/{id}/keys/{keyId}', { params: { path: { id, keyId } } }))
}
