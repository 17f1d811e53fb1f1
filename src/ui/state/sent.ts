/** Sends a command to one or several devices, follows the messages, and cancels them while no device has them. */
import { type components, pause } from '../../client/index.ts'
import type { Draft } from './draft.ts'
import { randomKey } from './random-key.ts'
import { call } from './session.ts'

export type SentLine = components['schemas']['SentLine']
export type StatusNow = components['schemas']['MessageStatus']

/** Attempts of a send without an answer. All have one key, so the command is stored once. */
const TRIES = 3
const PAUSE_MS = 500

/** Sends a draft to its devices. @throws {RequestError} 400 @throws {ConnectionError} */
export async function sendDraft({ deviceIds, command, guarantee, data, terms }: Draft): Promise<SentLine[]> {
  const body = {
    deviceIds: [...deviceIds],
    command,
    believerGuarantee: guarantee,
    ...terms,
    idempotencyKey: randomKey(),
  }
  for (let tries = 1; ; tries++) {
    try {
      return await call((api) =>
        api.POST('/admin/api/messages/send', {
          body,
          // `data` is inserted as text, because JSON.stringify would change the digits of its numbers.
          bodySerializer: (members) => `${JSON.stringify(members).slice(0, -1)},"data":${data}}`,
        }),
      )
    } catch (error) {
      const isAnswered = (error as { status?: number }).status !== undefined
      if (isAnswered || tries === TRIES) throw error
      await pause(PAUSE_MS)
    }
  }
}

/** Returns the current statuses of messages with their attempts, in the given order. */
export function loadStatuses(ids: readonly number[]): Promise<StatusNow[]> {
  return call((api) => api.GET('/producer/messages', { params: { query: { id: [...ids] } } }))
}

/** Returns whether a message can be cancelled without a question: no device has it. */
export function isCancellable({ deliveryStatus, attempts }: StatusNow): boolean {
  return deliveryStatus === 'NOT_DELIVERED' && (attempts ?? 0) === 0
}

/** Cancels messages that were never dispatched. Returns the number of cancelled messages. */
export async function cancelSent(ids: readonly number[]): Promise<number> {
  const results = await Promise.allSettled(
    ids.map((id) =>
      call((api) => api.POST('/admin/api/messages/{id}/cancel', { params: { path: { id } }, body: {} })),
    ),
  )
  const refused = results.find((each) => each.status === 'rejected')
  const done = results.filter((each) => each.status === 'fulfilled').length
  if (done === 0 && refused) throw refused.reason
  return done
}
