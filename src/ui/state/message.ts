/** Reads, cancels, replays and resends one message. */
import type { components, ProducerMessageResult } from '../../client/index.ts'
import { parseKeepingData, splitJson } from './json.ts'
import type { Query } from './location.ts'
import { call } from './session.ts'

type DetailSchema = components['schemas']['MessageDetail']

/** Message with its history and attempts. `data` and `result` are JSON as the clients wrote it. */
export type MessageDetail = Omit<DetailSchema, 'data' | 'result'> & {
  readonly data: string
  readonly result: string | null
}
export type MessageTerms = NonNullable<DetailSchema['terms']>
export type StatusChange = DetailSchema['history'][number]
export type Attempt = DetailSchema['attempts'][number]
export type PendingReason = NonNullable<DetailSchema['waits']>

/** Returns a message. @throws {RequestError} 404: no message has this id */
export async function loadMessage(id: number): Promise<MessageDetail> {
  const params = { path: { id }, query: { details: true } }
  const text = await call((api) => api.GET('/admin/api/messages/{id}', { params, parseAs: 'text' }))
  const json = text as unknown as string
  const result = splitJson(json).find(([name]) => name === 'result')?.[1] ?? 'null'
  return { ...parseKeepingData<DetailSchema>(json), result: result === 'null' ? null : result }
}

/**
 * Cancels a pending message.
 *
 * @param force true cancels it although it was dispatched, so that the device may have it
 * @throws {RequestError} 404; 409: the message was dispatched (without force), or is no longer pending
 */
export async function cancelMessage(id: number, force = false): Promise<void> {
  const params = { path: { id } }
  await call((api) => api.POST('/admin/api/messages/{id}/cancel', { params, body: { force } }))
}

/**
 * Returns an UNKNOWN message to its place in the queue.
 *
 * @throws {RequestError} 404; 409: the message is not UNKNOWN, or its validity is over; 429: the queue is full
 */
export async function replayMessage(id: number): Promise<void> {
  await call((api) => api.POST('/admin/api/messages/{id}/replay', { params: { path: { id } } }))
}

/** Maximum requests of one replay of all, each for up to 500 messages: messages may be parked again meanwhile. */
const MAX_REPLAYS = 200

/** Returns all parked messages to their queues. @param filters query of the list of messages */
export async function replayParked({ deviseId, command, from, to }: Query): Promise<{ skipped: number }> {
  const body = {
    ...(deviseId !== undefined && { deviseId }),
    ...(command !== undefined && { command }),
    ...(from !== undefined && { from: Number(from) }),
    ...(to !== undefined && { to: Number(to) }),
  }
  for (let replays = 1; ; replays++) {
    const { replayed, left, skipped } = await call((api) =>
      api.POST('/admin/api/messages/replayAll', { body }),
    )
    if (left === 0 || replayed.length === 0 || replays === MAX_REPLAYS) return { skipped }
  }
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
