/**
 * Keeps the latest rejections and their reasons in memory, until a restart. With a store it keeps the rejections of all
 * nodes there. Knows no transport.
 */

import type { RejectionStore } from '../contract/rejection-store.ts'
import type { MaybePromise } from '../contract/store.ts'
import { short } from '../engine/rejection-lines.ts'
import { Tally } from '../vocabulary/tally.ts'

export const REJECTION_REASONS = [
  'WRONG_CREDENTIALS',
  'NO_CREDENTIALS',
  'ROLE_NOT_ALLOWED',
  'TOO_MANY_FAILURES',
  'TOO_MANY_LOGINS',
  'PROTOCOL_ERROR',
  'TOO_SLOW',
  'TOPIC_NOT_ALLOWED',
  'MESSAGE_REFUSED',
] as const
export type RejectionReason = (typeof REJECTION_REASONS)[number]

/** Login, connection or message that the server rejected. */
export interface Rejection {
  readonly reason: RejectionReason
  readonly message: string
  /** Code of the error that refused a message. */
  readonly code?: string | undefined
  /** Device id from the peer; null without one. */
  readonly deviceId: string | null
  /** Client id of the MQTT session; null without one. */
  readonly clientId: string | null
  readonly address: string
  readonly transport: string
}

/** Group of equal rejections. Times are milliseconds since 1970. */
export interface CountedRejection extends Rejection {
  readonly count: number
  readonly firstAtMs: number
  readonly atMs: number
}

/** Maximum entries kept; the oldest is dropped first. */
export const MAX_REJECTIONS = 200

/** Holds one entry for all rejections of one peer with one reason. */
export class RejectionLog {
  /** Counts the rejections since the start: those with an error by its code, the others by reason. */
  readonly counts = new Tally<string>(REJECTION_REASONS)
  readonly #now: () => number
  /** Entries by reason and peer, the oldest first. */
  readonly #kept = new Map<string, CountedRejection>()
  readonly #listeners = new Set<(rejection: Rejection) => void>()
  readonly #store: RejectionStore | null
  #storing: Promise<void> = Promise.resolve()

  /**
   * @param now returns milliseconds since 1970
   * @param store null keeps the rejections in memory only
   */
  constructor(now: () => number = Date.now, store: RejectionStore | null = null) {
    this.#now = now
    this.#store = store
  }

  /** Calls the listener with each rejection, with shortened texts. Returns a function that unsubscribes. */
  onRecord(listener: (rejection: Rejection) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Records a rejection. Equal rejections share an entry, which keeps the latest message. */
  record(rejection: Rejection): void {
    const { reason, transport } = rejection
    this.counts.add(rejection.code ?? reason)
    const [message, deviceId, clientId, address] = [
      short(rejection.message),
      rejection.deviceId === null ? null : short(rejection.deviceId),
      rejection.clientId === null ? null : short(rejection.clientId),
      short(rejection.address),
    ]
    const key = JSON.stringify([reason, transport, deviceId, clientId, address])
    const earlier = this.#kept.get(key)
    const atMs = this.#now()
    this.#kept.delete(key)
    const shortened = { reason, message, deviceId, clientId, address, transport }
    for (const listener of this.#listeners) listener(shortened)
    this.#kept.set(key, {
      ...shortened,
      atMs,
      count: (earlier?.count ?? 0) + 1,
      firstAtMs: earlier?.firstAtMs ?? atMs,
    })
    if (this.#kept.size <= MAX_REJECTIONS) return
    const [oldest] = this.#kept.keys()
    this.#kept.delete(oldest as string)
  }

  /** Lists the entries of all nodes, newest first. */
  all(): MaybePromise<readonly CountedRejection[]> {
    const store = this.#store
    return store ? this.flush().then(() => store.all()) : [...this.#kept.values()].reverse()
  }

  flush(): Promise<void> {
    this.#storing = this.#storing.catch(() => {}).then(() => this.#flush())
    return this.#storing
  }

  async #flush(): Promise<void> {
    const entries = [...this.#kept]
    if (this.#store === null || entries.length === 0) return
    await this.#store.add(entries.map(([, entry]) => entry))
    for (const [key, stored] of entries) this.#subtract(key, stored)
  }

  /** Subtracts stored counts. Equal rejections that were recorded meanwhile stay. */
  #subtract(key: string, stored: CountedRejection): void {
    const kept = this.#kept.get(key)
    if (kept === stored) this.#kept.delete(key)
    else if (kept) this.#kept.set(key, { ...kept, count: kept.count - stored.count })
  }
}
