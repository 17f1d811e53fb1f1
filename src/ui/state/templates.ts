/** Templates: commands that are kept, each for one device. Their data is the text that was given. */
import type { components, ProducerMessageResult } from '../../client/index.ts'
import { partsOf, withDataText } from './json.ts'
import type { Recent } from './sending.ts'
import { call } from './session.ts'

type Stored = components['schemas']['Template']
export type Template = Omit<Stored, 'data'> & { readonly data: string }

export interface NewTemplate extends Recent {
  readonly clientId: number
  readonly description: string
}

/** Newest first. */
export async function loadTemplates(): Promise<Template[]> {
  const text = await call((api) => api.GET('/admin/api/saved-messages', { parseAs: 'text' }))
  return partsOf(text as unknown as string).map(([, item]) => withDataText<Stored>(item))
}

/** @throws {RequestError} 404: no such client, 400: it is no device */
export async function makeTemplate({ clientId, description, ...message }: NewTemplate): Promise<void> {
  const { command, guarantee: deliveryGuarantee, data } = message
  await call((api) =>
    api.POST('/admin/api/saved-messages', {
      body: { clientId, description, command, deliveryGuarantee },
      // As text: JSON.stringify would change its numbers.
      bodySerializer: (body) => `${JSON.stringify(body).slice(0, -1)},"data":${data}}`,
    }),
  )
}

export function sendTemplate(id: number): Promise<ProducerMessageResult> {
  return call((api) => api.POST('/admin/api/saved-messages/{id}/send', { params: { path: { id } } }))
}

export async function deleteTemplate(id: number): Promise<void> {
  await call((api) => api.DELETE('/admin/api/saved-messages/{id}', { params: { path: { id } } }))
}
