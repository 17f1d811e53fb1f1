/** Reports each exchange (a request and its response) to observers, such as a request log. Knows no server and no route. */
import type { Identity, Observe, RequestHead } from './types.ts'

/** Base of the heads of adapters. Measures nothing without an observer. */
export abstract class ObservedHead {
  route: string | null = null
  identity: Identity | null = null
  #observe: Observe | undefined
  readonly #startedMs: number

  constructor(observe: Observe | undefined) {
    this.#observe = observe
    this.#startedMs = observe ? performance.now() : 0
  }

  /** Reports the exchange, once. */
  answered(this: ObservedHead & RequestHead, status: number): void {
    const observe = this.#observe
    if (!observe) return
    this.#observe = undefined
    observe(this, status, performance.now() - this.#startedMs)
  }
}

/** Combines observers into one; undefined without observers, so that adapters measure nothing. */
export function observeAll(observers: readonly Observe[]): Observe | undefined {
  if (observers.length <= 1) return observers[0]
  return (head, status, ms) => {
    for (const observe of observers) observe(head, status, ms)
  }
}
