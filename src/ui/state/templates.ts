/** Reads, creates, sends and deletes templates: saved commands, each for one device. */
import type { components, ProducerMessageResult } from '../../client/index.ts'
import type { MessageContent } from './draft.ts'
import { parseKeepingData, splitJson } from './json.ts'
import { call } from './session.ts'

type TemplateSchema = components['schemas']['Template']
/** A template. `data` is the JSON text that was saved. */
export type Template = Omit<TemplateSchema, 'data' | 'clientId' | 'deviseId'> & {
  readonly data: string
  readonly clientId: number
  readonly deviseId: string
}

export interface TemplateContent extends MessageContent {
  readonly clientId: number
  readonly description: string | null
}

/** Returns all templates, newest first. */
export async function loadTemplates(): Promise<Template[]> {
  const text = await call((api) => api.GET('/admin/api/saved-messages', { parseAs: 'text' }))
  return splitJson(text as unknown as string).map(
    ([, item]) => parseKeepingData<TemplateSchema>(item) as Template,
  )
}

/** Creates a template. @throws {RequestError} 400: the client is not a device; 404: no client has this id */
export async function createTemplate({ clientId, description, ...message }: TemplateContent): Promise<void> {
  const { command, guarantee: deliveryGuarantee, data } = message
  await call((api) =>
    api.POST('/admin/api/saved-messages', {
      body: { clientId, description, command, deliveryGuarantee },
      // `data` is inserted as text, since JSON.stringify would change the digits of its numbers.
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
