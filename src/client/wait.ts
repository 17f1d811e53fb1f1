/** Waits for a status of a message. Makes no requests itself. */
import { isEnded, STATUSES } from '../broker/vocabulary/status.ts'
import { TimeoutError } from './errors.ts'
import { pause } from './events.ts'
import type { DeliveryStatus, WaitOptions } from './options.ts'

/** Seconds for which the server is asked to hold a request. Most proxies end a request after 30 seconds or more. */
const HOLD_SECONDS = 25

/** Statuses that the broker no longer changes by itself: the final statuses and UNKNOWN. */
export const ENDED_STATUSES: readonly DeliveryStatus[] = STATUSES.filter(isEnded)

/** Query of a status request. Without members the server answers at once. */
export interface StatusQuery {
  readonly wait?: number
  readonly changedFrom?: DeliveryStatus
}

export interface StatusAnswer {
  readonly status: DeliveryStatus
  /** Milliseconds until the server accepts a further request; 0: at once. */
  readonly retryAfterMs: number
}

/**
 * Requests a status until it is one of `statuses`, or ended. A server that holds no request, because it is an earlier
 * release or holds too many, is polled every `intervalMs`.
 *
 * @throws {TimeoutError} `timeoutMs` has passed
 */
export async function waitForStatus(
  id: number,
  statuses: readonly DeliveryStatus[],
  { timeoutMs = Number.POSITIVE_INFINITY, intervalMs = 200, signal }: WaitOptions,
  request: (query: StatusQuery, signal?: AbortSignal) => Promise<StatusAnswer>,
): Promise<DeliveryStatus> {
  const endMs = performance.now() + timeoutMs
  // Without `changedFrom` the server responds when the message has ended.
  const wantsEach = statuses.some((status) => !isEnded(status))
  let query: StatusQuery = {}
  for (let isFirst = true; ; isFirst = false) {
    signal?.throwIfAborted()
    const startMs = performance.now()
    const { status, retryAfterMs } = await request(query, signal)
    if (statuses.includes(status) || isEnded(status)) return status
    const leftMs = endMs - performance.now()
    if (leftMs <= 0) throw new TimeoutError(id, status, timeoutMs)
    const heldMs = isFirst && leftMs >= 1000 ? intervalMs : performance.now() - startMs
    await pause(Math.min(Math.max(intervalMs - heldMs, retryAfterMs), leftMs), signal)
    const wait = Math.min(HOLD_SECONDS, Math.floor((endMs - performance.now()) / 1000))
    query = wait < 1 ? {} : wantsEach ? { wait, changedFrom: status } : { wait }
  }
}
