/** Counts what becomes of messages, by the minute, for a day. In memory: a restart forgets it. */
import type { Status } from './status.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** Minutes that are kept. */
const KEPT = 1_440

interface Counter {
  /** Status that a message got, or another event. */
  readonly event: string
  /** Column of the charts that the event counts in. */
  readonly series?: string
  /** Name of its sum in the overview's `failed`. The page adds these sums up, so only failures may have one. */
  readonly failure?: string
}

/**
 * Lists the counters. A further metric is a row here and a call of {@link Counters.count} where the event happens. `series`
 * makes it a column of the overview's charts, `failure` a member of `failed`. The answer and its description follow.
 */
const COUNTERS = [
  { event: 'NOT_DELIVERED', series: 'stored' },
  { event: 'COMPLETED', series: 'completed' },
  { event: 'COMPLETED_WITH_ERROR', series: 'failed', failure: 'completedWithError' },
  { event: 'UNKNOWN', series: 'failed', failure: 'unknown' },
  { event: 'NOT_ACKNOWLEDGED', failure: 'notAcknowledged' },
] as const satisfies readonly Counter[]

type Row = (typeof COUNTERS)[number]
type Counted = Row['event']
type SeriesName = Extract<Row, { series: string }>['series']
type FailureName = Extract<Row, { failure: string }>['failure']

/** Columns of the charts, and names of the sums of failures, in the order of the table. */
export const SERIES_NAMES = [...new Set(COUNTERS.flatMap((row) => ('series' in row ? [row.series] : [])))]
export const FAILURE_NAMES = COUNTERS.flatMap((row) => ('failure' in row ? [row.failure] : []))

/** Columns of equal length. The last item is that of the present minute or hour, which is not over. */
export type Series = {
  /** Begin of the first item, in milliseconds since 1970. */
  readonly fromMs: number
  /** Duration of each item. */
  readonly stepMs: number
} & Readonly<Record<SeriesName, readonly number[]>>

export type Failed = Readonly<Record<FailureName, number>>

export class Counters {
  /** Begin of counting, in milliseconds since 1970. */
  readonly sinceMs: number
  readonly #now: () => number
  /** Rings: a minute has its place by its number. */
  readonly #minutes: Readonly<Record<string, Uint32Array>> = Object.fromEntries(
    COUNTERS.map(({ event }) => [event, new Uint32Array(KEPT)]),
  )
  /** The number, since 1970, of the latest minute in the rings. */
  #latest: number

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.sinceMs = now()
    this.#latest = Math.floor(this.sinceMs / MINUTE_MS)
  }

  /** Counts an event. @param what a status that a message got; one that is in no row of the table counts nothing */
  count(what: Status | Counted): void {
    const ring = this.#minutes[what]
    if (!ring) return
    const place = this.#present() % KEPT
    ring[place] = (ring[place] as number) + 1
  }

  /** Estimates the messages stored in the last 60 seconds, with those of the minute before as evenly spread. */
  perMinute(): number {
    const present = this.#present()
    const gone = (this.#now() % MINUTE_MS) / MINUTE_MS
    const [before = 0, now = 0] = this.#sums(['NOT_DELIVERED'], present - 1, 2, 1)
    return Math.round(before * (1 - gone) + now)
  }

  /** Sums up the failures of the minutes that are kept. */
  failed(): Failed {
    const sums = COUNTERS.flatMap((row) => ('failure' in row ? [[row.failure, this.#sum(row.event)]] : []))
    return Object.fromEntries(sums)
  }

  /** Gives the last 60 minutes, this one included. */
  byMinute(): Series {
    return this.#series(this.#present() - 59, 60, MINUTE_MS)
  }

  /** Gives the last 24 hours (UTC), this one included. */
  byHour(): Series {
    return this.#series((Math.floor(this.#present() / 60) - 23) * 60, 24, HOUR_MS)
  }

  #series(first: number, items: number, stepMs: number): Series {
    const minutes = stepMs / MINUTE_MS
    const columns = SERIES_NAMES.map((name) => [name, this.#sums(eventsOf(name), first, items, minutes)])
    return { fromMs: first * MINUTE_MS, stepMs, ...Object.fromEntries(columns) }
  }

  #sum(event: Counted): number {
    return (this.#minutes[event] as Uint32Array).reduce((sum, each) => sum + each, 0)
  }

  /** Sums up `items` times as many minutes; minutes that are still to come count nothing. */
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

  /** Returns the number of this minute, and clears the places of those that went by. A clock that was set back stands still. */
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

function eventsOf(series: SeriesName): Counted[] {
  return COUNTERS.filter((row) => 'series' in row && row.series === series).map(({ event }) => event)
}
