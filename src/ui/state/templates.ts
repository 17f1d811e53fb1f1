/** Reads, creates, changes, sends and deletes templates: saved commands, each for one device or for any device. */
import type { components } from '../../client/index.ts'
import type { MessageContent, Terms } from './draft.ts'
import { parseKeepingData, splitJson } from './json.ts'
import { call } from './session.ts'

type TemplateSchema = components['schemas']['Template']
/** Template. `data` is the JSON text as saved. */
export type Template = Omit<TemplateSchema, 'data'> & { readonly data: string }

/** Names of the terms that a template has. */
export const TEMPLATE_TERMS = [
  'validSeconds',
  'finishSeconds',
  'maxAttempts',
] as const satisfies readonly (keyof Terms & keyof TemplateSchema)[]
type TemplateTerms = Pick<Terms, (typeof TEMPLATE_TERMS)[number]>

/** Returns the terms of a template among the members of an object. */
export function templateTermsOf(members: TemplateTerms): TemplateTerms {
  return Object.fromEntries(TEMPLATE_TERMS.map((name) => [name, members[name]]))
}

export interface TemplateContent extends MessageContent, TemplateTerms {
  /** Client of the device; null for any device. */
  readonly clientId: number | null
  readonly description: string | null
}

/** Returns all templates, newest first. */
export async function loadTemplates(): Promise<Template[]> {
  const params = { query: { details: true } }
  const text = await call((api) => api.GET('/admin/api/saved-messages', { params, parseAs: 'text' }))
  return splitJson(text as unknown as string).map(([, item]) => parseKeepingData<TemplateSchema>(item))
}

/** Returns a template. @throws {RequestError} 404: no template has this id */
export async function loadTemplate(id: number): Promise<Template> {
  const params = { path: { id }, query: { details: true } }
  const text = await call((api) => api.GET('/admin/api/saved-messages/{id}', { params, parseAs: 'text' }))
  return parseKeepingData<TemplateSchema>(text as unknown as string)
}

/** Creates a template. @throws {RequestError} 400: the client is not a device; 404: no client has this id */
export async function createTemplate(content: TemplateContent): Promise<void> {
  await call((api) => api.POST('/admin/api/saved-messages', toRequest(content)))
}

/** Replaces a template. @throws {RequestError} as {@link createTemplate}; 404: no template has this id */
export async function replaceTemplate(id: number, content: TemplateContent): Promise<void> {
  await call((api) =>
    api.PUT('/admin/api/saved-messages/{id}', { params: { path: { id } }, ...toRequest(content) }),
  )
}

/** Returns the content of a template, to create it again. */
export function contentOf(template: Template): TemplateContent {
  const { clientId, description, command, deliveryGuarantee: guarantee, data } = template
  const terms = templateTermsOf(template)
  return { clientId, description: description || null, command, guarantee, data, ...terms }
}

function toRequest({ guarantee: deliveryGuarantee, data, ...content }: TemplateContent) {
  return {
    body: { ...content, deliveryGuarantee },
    // `data` is inserted as text, because JSON.stringify would change the digits of its numbers.
    bodySerializer: (body: object) => `${JSON.stringify(body).slice(0, -1)},"data":${data}}`,
  }
}

export async function deleteTemplate(id: number): Promise<void> {
  await call((api) => api.DELETE('/admin/api/saved-messages/{id}', { params: { path: { id } } }))
}
