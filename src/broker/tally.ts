/** How many messages were stored, completed and failed, by the minute, for a day. In memory: a restart forgets it. */
import type { Status } from './status.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** Minutes that are kept. */
const KEPT = 1_440

/** What is counted: the first four are changes of a status, the last one acknowledgements that did not come in time. */
const COUNTED = ['NOT_DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR', 'UNKNOWN', 'NOT_ACKNOWLEDGED'] as const
type Counted = (typeof COUNTED)[number]

/** Columns of equal length; the last item is that of the present minute or hour, which is not over. */
export interface Series {
  /** When the first item begins, in milliseconds since 1970. */
  readonly fromMs: number
  /** The time of each item. */
  readonly stepMs: number
  readonly stored: readonly number[]
  readonly completed: readonly number[]
  readonly failed: readonly number[]
}

export interface Failed {
  readonly completedWithError: number
  readonly unknown: number
  readonly notAcknowledged: number
}

export class Tally {
  /** When counting began, in milliseconds since 1970. */
  readonly sinceMs: number
  readonly #now: () => number
  /** Rings: a minute has its place by its number. */
  readonly #minutes: Readonly<Record<string, Uint32Array>> = Object.fromEntries(
    COUNTED.map((each) => [each, new Uint32Array(KEPT)]),
  )
  /** The number, since 1970, of the latest minute in the rings. */
  #latest: number

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.sinceMs = now()
    this.#latest = Math.floor(this.sinceMs / MINUTE_MS)
  }

  /** @param what a status that a message got; those that nobody counts are passed over */
  count(what: Status | Counted): void {
    const ring = this.#minutes[what]
    if (!ring) return
    const place = this.#present() % KEPT
    ring[place] = (ring[place] as number) + 1
  }

  /** Messages stored in the last 60 seconds, taking those of the minute before as evenly spread. */
  perMinute(): number {
    const present = this.#present()
    const gone = (this.#now() % MINUTE_MS) / MINUTE_MS
    const [before = 0, now = 0] = this.#sums(['NOT_DELIVERED'], present - 1, 2, 1)
    return Math.round(before * (1 - gone) + now)
  }

  /** Of the minutes that are kept. */
  failed(): Failed {
    const [completedWithError, unknown, notAcknowledged] = COUNTED.slice(2).map((what) =>
      (this.#minutes[what] as Uint32Array).reduce((sum, each) => sum + each, 0),
    ) as [number, number, number]
    return { completedWithError, unknown, notAcknowledged }
  }

  /** The last 60 minutes, this one included. */
  byMinute(): Series {
    return this.#series(this.#present() - 59, 60, MINUTE_MS)
  }

  /** The last 24 hours (UTC), this one included. */
  byHour(): Series {
    return this.#series((Math.floor(this.#present() / 60) - 23) * 60, 24, HOUR_MS)
  }

  #series(first: number, items: number, stepMs: number): Series {
    const minutes = stepMs / MINUTE_MS
    return {
      fromMs: first * MINUTE_MS,
      stepMs,
      stored: this.#sums(['NOT_DELIVERED'], first, items, minutes),
      completed: this.#sums(['COMPLETED'], first, items, minutes),
      failed: this.#sums(['COMPLETED_WITH_ERROR', 'UNKNOWN'], first, items, minutes),
    }
  }

  /** Sums of so many minutes each; minutes that are still to come count nothing. */
  #sums(counted: readonly Counted[], first: number, items: number, minutes: number): number[] {
    const sums = new Array<number>(items).fill(0)
    const end = Math.min(first + items * minutes, this.#latest + 1)
    for (const ring of counted.map((what) => this.#minutes[what] as Uint32Array)) {
      for (let minute = Math.max(first, 0); minute < end; minute++) {
        const item = Math.floor((minute - first) / minutes)
        sums[item] = (sums[item] as number) + (ring[minute % KEPT] as number)
      }
    }
    return sums
  }

  /** The number of this minute; clears the places of those that went by. A clock that was set back stands still. */
  #present(): number {
    const present = Math.floor(this.#now() / MINUTE_MS)
    if (present <= this.#latest) return this.#latest
    const passed = Math.min(present - this.#latest, KEPT)
    for (const ring of Object.values(this.#minutes)) {
      for (let i = 0; i < passed; i++) ring[(present - i) % KEPT] = 0
    }
    this.#latest = present
    return present
  }
}
