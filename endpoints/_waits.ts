/** Schemas and answers of long-polling requests (`wait`). Not a route. */
import { MAX_WAIT_MS } from '../src/broker/engine/waits.ts'
import { Reply } from '../src/web/endpoint.ts'
import { Maybe, Type } from '../src/web/schema.ts'

const MAX_SECONDS = MAX_WAIT_MS / 1_000

export const WaitSeconds = Maybe(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `seconds to wait for the answer; more than ${MAX_SECONDS} means ${MAX_SECONDS}`,
  }),
)

export function toWaitMs(seconds: number): number {
  return Math.min(seconds * 1_000, MAX_WAIT_MS)
}

/** Seconds after which a client repeats a request that could not wait. */
const RETRY_SECONDS = 1

/** Response header of a request that could not wait, for the API description. */
export const LIMITED_HEADER = {
  'Retry-After': Type.Integer({
    minimum: 1,
    description:
      'the maximum number of requests wait, so the answer came at once; try again after these seconds',
  }),
}

/** Returns the answer to a request that could not wait, because too many requests wait. */
export function limitedReply(value: unknown): Reply {
  return new Reply(200, value, { headers: { 'retry-after': String(RETRY_SECONDS) } })
}
