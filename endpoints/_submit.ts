/** Answers submits over REST: the idempotency key, and the header of a repeated submit. Not a route. */
import type { Submitted } from '../src/broker/engine/submissions.ts'
import { Reply } from '../src/web/endpoint.ts'
import { Text } from '../src/web/schema.ts'

export const KEY_HEADER = 'idempotency-key'

/** Response header of a repeated submit, for the API description. */
export const REPLAYED_HEADER = {
  'Idempotency-Replayed': Text({
    description: '`true`: the idempotency key was used before, and nothing was stored',
  }),
}

/** Returns the answer to a submit: three fields, and a header if the submit repeated an idempotency key. */
export function submitAnswer({ id, status, replayed }: Submitted, tmpId: number | null) {
  const result = { id, tmpId, deliveryStatus: status }
  return replayed ? new Reply(200, result, { headers: { 'idempotency-replayed': 'true' } }) : result
}
