/** One message, with its payload as it is on the wire, and what can be done with it. */
import type { components, ProducerMessageResult } from '../../client/index.ts'
import { withDataText } from './json.ts'
import { call } from './session.ts'

type Detail = components['schemas']['MessageDetail']

/** `data` is the text that was sent. */
export type Message = Omit<Detail, 'data'> & { readonly data: string }
export type Change = Detail['history'][number]
export type Attempt = Detail['attempts'][number]
export type Wait = NonNullable<Detail['waits']>

/** @throws {RequestError} 404 */
export async function loadMessage(id: number): Promise<Message> {
  const params = { path: { id } }
  const text = await call((api) => api.GET('/admin/api/messages/{id}', { params, parseAs: 'text' }))
  return withDataText<Detail>(text as unknown as string)
}

/** @throws {RequestError} 404, 409: it was handed over */
export async function cancelMessage(id: number): Promise<void> {
  await call((api) => api.POST('/admin/api/messages/{id}/cancel', { params: { path: { id } } }))
}

/** The same command again, as a new message. @throws {RequestError} 404, 429 */
export function resendMessage(id: number): Promise<ProducerMessageResult> {
  return call((api) => api.POST('/admin/api/messages/{id}/resend', { params: { path: { id } } }))
}
