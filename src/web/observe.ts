/** Reports each exchange (a request and its response) to observers, such as a request log. Knows no server and no route. */
import type { Identity } from './endpoint.ts'
import type { RequestHead } from './http.ts'

/**
 * Receives each exchange once, when its response is ready: before the response is sent, and for a stream before its
 * first part. Must not throw, and must not keep `head`.
 *
 * @param ms time since the head of the request arrived
 */
export type Observe = (head: RequestHead, status: number, ms: number) => void

/** Base of the heads of adapters. Without an observer it measures nothing. */
export abstract class ObservedHead {
  route: string | null = null
  identity: Identity | null = null
  #observe: Observe | undefined
  readonly #startedMs: number

  constructor(observe: Observe | undefined) {
    this.#observe = observe
    this.#startedMs = observe ? performance.now() : 0
  }

  /** Reports the exchange, unless it was reported before. */
  answered(this: ObservedHead & RequestHead, status: number): void {
    const observe = this.#observe
    if (!observe) return
    this.#observe = undefined
    observe(this, status, performance.now() - this.#startedMs)
  }
}

/** Returns one observer that calls all; undefined when there is none, so that adapters measure nothing. */
export function observeAll(observers: readonly Observe[]): Observe | undefined {
  if (observers.length <= 1) return observers[0]
  return (head, status, ms) => {
    for (const observe of observers) observe(head, status, ms)
  }
}
