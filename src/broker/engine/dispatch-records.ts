/**
 * Tracks the durable records of unpaced dispatches to one device, for which its line does not wait. Knows no store and
 * no rules of timing.
 */
import type { EndedAttempt } from '../contract/device-lease.ts'

/** Maximum dispatches without a durable record. At this number a further claim waits. */
const MAX_UNRECORDED = 2

export class DispatchRecords {
  readonly #claim: (ended: EndedAttempt | null) => void
  /** Number of dispatches without a durable record. */
  #unrecorded = 0
  /** Resolves when the record of the latest dispatch is durable or refused. */
  #latest: Promise<void> | null = null
  #error: unknown = null
  /** Claim that waits for an earlier record. */
  #deferred: { readonly ended: EndedAttempt | null } | null = null

  /** @param claim makes a claim */
  constructor(claim: (ended: EndedAttempt | null) => void) {
    this.#claim = claim
  }

  get isEmpty(): boolean {
    return this.#unrecorded === 0
  }

  /** Resolves when the record of the latest dispatch is durable or refused; null without one. */
  get latest(): Promise<void> | null {
    return this.#latest
  }

  /**
   * Makes a claim, or defers it while two dispatches have no durable record. A claim therefore does not wait for the
   * record of the latest dispatch, and a crash redelivers at most three messages, in order.
   */
  claimInOrder(ended: EndedAttempt | null): void {
    if (this.#unrecorded < MAX_UNRECORDED) this.#claim(ended)
    else this.#deferred = { ended }
  }

  /** @param recorded resolves when the dispatch is durable */
  add(recorded: Promise<unknown>): void {
    this.#unrecorded++
    this.#latest = recorded.then(this.#recorded, this.#refused)
  }

  /** Returns the error of a refused record, once. The next claim reports the error instead of claiming. */
  takeError(): unknown {
    const error = this.#error
    this.#error = null
    return error
  }

  readonly #recorded = (): void => {
    this.#unrecorded--
    const deferred = this.#deferred
    this.#deferred = null
    if (deferred) this.#claim(deferred.ended)
  }

  readonly #refused = (error: unknown): void => {
    this.#error = error
    this.#recorded()
  }
}
