/** Keeps the latest rejections and their reasons in memory. A restart resets it. Knows no transport. */
import { short } from './rejection-lines.ts'

import { Tally } from './tally.ts'

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

/** A login, a connection or a message that the server rejected. */
export interface Rejection {
  readonly reason: RejectionReason
  /** Cause in words. */
  readonly message: string
  /** Code of the error that refused a message. */
  readonly code?: string | undefined
  /** The device id that the peer gave; null when it gave none. */
  readonly deviceId: string | null
  /** Client id of the MQTT session; null when there is none. */
  readonly clientId: string | null
  /** Address of the peer. */
  readonly address: string
  /** Name of the transport, or REST. */
  readonly transport: string
}

/** Equal rejections together. Times are milliseconds since 1970. */
export interface CountedRejection extends Rejection {
  readonly count: number
  readonly firstAtMs: number
  /** Time of the latest one. */
  readonly atMs: number
}

/** Maximum entries kept; the oldest one is dropped first. */
export const MAX_REJECTIONS = 200

/** Holds one entry for all rejections of one peer with one reason. */
export class RejectionLog {
  /** Counts the rejections since the start: those with an error by its code, the others by their reason. */
  readonly counts = new Tally<string>(REJECTION_REASONS)
  readonly #now: () => number
  /** Entries by reason and peer, the oldest first. */
  readonly #kept = new Map<string, CountedRejection>()
  readonly #listeners = new Set<(rejection: Rejection) => void>()

  /** @param now returns milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Calls the listener with each rejection, whose texts are shortened. Returns a function that ends the subscription. */
  onRecord(listener: (rejection: Rejection) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Records a rejection. An equal rejection shares its entry, which keeps the latest message. */
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

  /** Lists the entries, newest first. */
  all(): CountedRejection[] {
    return [...this.#kept.values()].reverse()
  }
}
