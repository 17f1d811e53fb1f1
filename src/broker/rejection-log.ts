/** Keeps who was rejected lately, and why. In memory and bounded: a restart forgets it. Knows no transport. */

export const REJECTION_REASONS = [
  'WRONG_CREDENTIALS',
  'NO_CREDENTIALS',
  'TOO_MANY_FAILURES',
  'PROTOCOL_ERROR',
  'TOO_SLOW',
  'TOPIC_NOT_ALLOWED',
  'MESSAGE_REFUSED',
] as const
export type RejectionReason = (typeof REJECTION_REASONS)[number]

export interface Rejection {
  readonly reason: RejectionReason
  /** Cause in words. */
  readonly message: string
  /** The device id that was given; null: none. */
  readonly deviceId: string | null
  /** Name of an MQTT session; null: there is none. */
  readonly clientId: string | null
  /** Address of the peer. */
  readonly address: string
  /** Name of the transport, or REST. */
  readonly transport: string
}

export interface CountedRejection extends Rejection {
  /** Repetitions from the first to the last time, in milliseconds since 1970. */
  readonly count: number
  readonly firstAtMs: number
  readonly atMs: number
}

/** Maximum entries kept; the oldest one is dropped first. */
export const MOST_REJECTIONS = 200
/** Maximum characters kept of a text, which a hostile peer may have sent. */
const MOST_CHARACTERS = 256

export class RejectionLog {
  readonly #now: () => number
  /** In the order of the times. */
  readonly #kept = new Map<string, CountedRejection>()

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Records a rejection. Repetitions for one reason are one entry, with the message of the last time. */
  record(rejection: Rejection): void {
    const { reason, transport } = rejection
    const [message, deviceId, clientId, address] = [
      short(rejection.message),
      rejection.deviceId === null ? null : short(rejection.deviceId),
      rejection.clientId === null ? null : short(rejection.clientId),
      short(rejection.address),
    ]
    const key = JSON.stringify([reason, transport, deviceId, clientId, address])
    const before = this.#kept.get(key)
    const atMs = this.#now()
    this.#kept.delete(key)
    this.#kept.set(key, {
      ...{ reason, message, deviceId, clientId, address, transport, atMs },
      count: (before?.count ?? 0) + 1,
      firstAtMs: before?.firstAtMs ?? atMs,
    })
    if (this.#kept.size <= MOST_REJECTIONS) return
    const [oldest] = this.#kept.keys()
    this.#kept.delete(oldest as string)
  }

  /** Lists the entries, newest first. */
  all(): CountedRejection[] {
    return [...this.#kept.values()].reverse()
  }
}

function short(text: string): string {
  // By whole characters: half of one would be no UTF-8.
  return text.length <= MOST_CHARACTERS
    ? text
    : `${[...text.slice(0, MOST_CHARACTERS)].slice(0, -1).join('')}…`
}
