/** Reads, cancels and resends one message. */
import type { components, ProducerMessageResult } from '../../client/index.ts'
import { parseKeepingData } from './json.ts'
import { call } from './session.ts'

type DetailSchema = components['schemas']['MessageDetail']

/** A message with its history and attempts. `data` is the JSON text that was sent. */
export type MessageDetail = Omit<DetailSchema, 'data'> & { readonly data: string }
export type StatusChange = DetailSchema['history'][number]
export type Attempt = DetailSchema['attempts'][number]
export type PendingReason = NonNullable<DetailSchema['waits']>

/** Returns a message. @throws {RequestError} 404: no message has this id */
export async function loadMessage(id: number): Promise<MessageDetail> {
  const params = { path: { id } }
  const text = await call((api) => api.GET('/admin/api/messages/{id}', { params, parseAs: 'text' }))
  return parseKeepingData<DetailSchema>(text as unknown as string)
}

/** Cancels a pending message. @throws {RequestError} 404; 409: the message was dispatched */
export async function cancelMessage(id: number): Promise<void> {
  await call((api) => api.POST('/admin/api/messages/{id}/cancel', { params: { path: { id } } }))
}

/**
 * Sends the same command again as a new message.
 *
 * @param force true sends it although the message is still pending
 * @throws {RequestError} 404; 409: the message is still pending; 429: the queue is full
 */
export function resendMessage(id: number, force: boolean): Promise<ProducerMessageResult> {
  const params = { path: { id } }
  return call((api) => api.POST('/admin/api/messages/{id}/resend', { params, body: { force } }))
}
