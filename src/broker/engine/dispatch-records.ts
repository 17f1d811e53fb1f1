/**
 * Follows the records of the dispatches to one device that its line does not wait for: those without a pacing interval.
 * Knows no store and no rules of timing.
 */
import type { EndedAttempt } from '../contract/device-lease.ts'

/** Number of dispatches without a durable record, with which a further claim waits. */
const MAX_UNRECORDED = 2

export class DispatchRecords {
  readonly #claim: (ended: EndedAttempt | null) => void
  /** Number of dispatches whose record is not durable. */
  #unrecorded = 0
  /** Resolves when the record of the latest dispatch is durable or refused. */
  #latest: Promise<void> | null = null
  /** Error of a refused record. */
  #error: unknown = null
  /** A claim that waits until an earlier record is durable. */
  #deferred: { readonly ended: EndedAttempt | null } | null = null

  /** @param claim makes a claim */
  constructor(claim: (ended: EndedAttempt | null) => void) {
    this.#claim = claim
  }

  get isEmpty(): boolean {
    return this.#unrecorded === 0
  }

  /** Resolves when the record of the latest dispatch is durable or refused; null when there was none. */
  get latest(): Promise<void> | null {
    return this.#latest
  }

  /**
   * Makes a claim, or defers the claim while two dispatches have no durable record. So a claim does not wait for the record
   * of the latest dispatch, and a crash redelivers at most three messages, in order.
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
