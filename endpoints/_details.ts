/** Builds answers with details, for callers that asked for them with `?details=true`. Not a route. */
import type { MessageDetail } from '../src/broker/views/messages.ts'
import type { TimelineAttempt } from '../src/broker/views/timeline.ts'
import type { Wait } from '../src/broker/views/wait-reasons.ts'
import { HttpError, RawJson } from '../src/web/endpoint.ts'
import { Anything, type Static, Type } from '../src/web/schema.ts'
import { errors } from '../src/wire/errors.ts'
import { resultDetails } from '../src/wire/result-details.ts'
import { detailMembers } from '../src/wire/results.ts'

export type DetailsQuery = Static<typeof DetailsQuery>
export const DetailsQuery = Type.Object({
  details: Type.Optional(Type.Boolean({ description: 'true: the answer carries details' })),
})

/**
 * Schema of `details` in a request with a body, where a client that knows no details may send another value. Compare
 * the value with {@link wantsDetails}.
 */
export const BodyDetails = Type.Optional(
  Anything({ description: 'true, here or in the query: the answer carries details; another value: ignored' }),
)

export function wantsDetails(details: unknown): boolean {
  return details === true || details === 'true'
}

/**
 * Returns the status of a message with details. Concatenates text, because parsing and printing the device's `result`
 * could change it.
 *
 * @param showsOthers false hides the ids of other messages, which may belong to other clients
 */
export function statusDetails(detail: MessageDetail, showsOthers: boolean): RawJson {
  const { message, extras } = detail
  const { status, id, correlationId } = message
  const members = detailMembers(resultDetails(message, extras))
  const waits = toWaits(detail, showsOthers)
  return new RawJson(
    `{"deliveryStatus":"${status}","id":${id},"tmpId":${correlationId},${members},"waits":${JSON.stringify(waits)}}`,
  )
}

/** Returns the reason why a message is pending. Omits `until` if no time ends the wait. */
export function toWaits({ wait, attempts }: Pick<MessageDetail, 'wait' | 'attempts'>, showsOthers = true) {
  if (wait === null) return null
  const waits = { reason: wait.reason, messageId: showsOthers ? wait.messageId : null }
  const until = untilOf(wait, attempts)
  return until === null ? waits : { ...waits, until }
}

function untilOf({ reason, untilMs }: Wait, attempts: readonly TimelineAttempt[]): number | null {
  return untilMs ?? (reason === 'ACKNOWLEDGEMENT' ? (attempts.at(-1)?.untilMs ?? null) : null)
}

/** Returns an error of a handler. Adds the state of the queue to a 429 if the caller asked for details. */
export function withQueueState(error: unknown, details: unknown): unknown {
  if (!wantsDetails(details)) return error
  const { code, queue, message } = error as { code?: unknown; queue?: object; message?: string }
  if (code !== 'queue-full' || queue === undefined) return error
  const { status, headers } = errors['queue-full']
  return new HttpError(status, message as string, {
    headers: headers?.(error as never),
    fields: { ...queue },
  })
}
