/** Who was refused lately, and why. In memory and bounded: a restart forgets it. Knows no transport. */

export const REFUSED_FOR = [
  'WRONG_CREDENTIALS',
  'NO_CREDENTIALS',
  'TOO_MANY_FAILURES',
  'PROTOCOL_ERROR',
  'TOO_SLOW',
  'TOPIC_NOT_ALLOWED',
  'MESSAGE_REFUSED',
] as const
export type RefusedFor = (typeof REFUSED_FOR)[number]

export interface Refusal {
  readonly reason: RefusedFor
  /** What was wrong, in words. */
  readonly message: string
  /** Whose name was given; null: none. */
  readonly deviceId: string | null
  /** The name of an MQTT session; null: there is none. */
  readonly clientId: string | null
  /** The peer's address. */
  readonly address: string
  readonly transport: 'MQTT' | 'REST'
}

export interface CountedRefusal extends Refusal {
  /** How often, from the first to the last time, in milliseconds since 1970. */
  readonly count: number
  readonly firstAtMs: number
  readonly atMs: number
}

/** Entries that are kept; the oldest one goes first. */
export const MOST_REFUSALS = 200
/** Characters of a text that are kept of what somebody sent who may be up to no good. */
const MOST_CHARACTERS = 256

export class Refusals {
  readonly #now: () => number
  /** In the order of the times. */
  readonly #kept = new Map<string, CountedRefusal>()

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** What is repeated for one reason is one entry, with the message of the last time. */
  note(refusal: Refusal): void {
    const { reason, transport } = refusal
    const [message, deviceId, clientId, address] = [
      short(refusal.message),
      refusal.deviceId === null ? null : short(refusal.deviceId),
      refusal.clientId === null ? null : short(refusal.clientId),
      short(refusal.address),
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
    if (this.#kept.size <= MOST_REFUSALS) return
    const [oldest] = this.#kept.keys()
    this.#kept.delete(oldest as string)
  }

  /** Newest first. */
  all(): CountedRefusal[] {
    return [...this.#kept.values()].reverse()
  }
}

function short(text: string): string {
  // By whole characters: half of one would be no UTF-8.
  return text.length <= MOST_CHARACTERS
    ? text
    : `${[...text.slice(0, MOST_CHARACTERS)].slice(0, -1).join('')}…`
}
