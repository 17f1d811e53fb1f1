/**
 * Counts the events of messages by the minute and keeps them for a day. Lives in memory, so a restart resets it. With a store
 * the counts of all nodes are summed up there, and outlive the process.
 */
import type { CountStore, MinuteCount, StoredCounts } from './shared-counts.ts'
import type { Status } from './status.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** Number of minutes that the counters keep. */
const KEPT_MINUTES = 1_440

interface Counter {
  /** Status that a message received, or another event. */
  readonly event: string
  /** Column of the charts to which the event adds. */
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
type CountedEvent = Row['event']
type SeriesName = Extract<Row, { series: string }>['series']
type FailureName = Extract<Row, { failure: string }>['failure']

/** Columns of the charts, in the order of the table. */
export const SERIES_NAMES = [...new Set(COUNTERS.flatMap((row) => ('series' in row ? [row.series] : [])))]
/** Names of the sums of failures, in the order of the table. */
export const FAILURE_NAMES = COUNTERS.flatMap((row) => ('failure' in row ? [row.failure] : []))

/** Columns of equal length. The last item is the present minute or hour, which is not over. */
export type Series = {
  /** Start of the first item, in milliseconds since 1970. */
  readonly fromMs: number
  /** Duration of each item, in milliseconds. */
  readonly stepMs: number
} & Readonly<Record<SeriesName, readonly number[]>>

export type FailureSums = Readonly<Record<FailureName, number>>

/** Holds one ring of minutes for each event of the table. */
export class Counters {
  /** Time at which counting began, in milliseconds since 1970. */
  readonly sinceMs: number
  readonly #now: () => number
  readonly #store: CountStore | null
  /** The part of the rings that the store has. */
  readonly #stored: Readonly<Record<string, Uint32Array>> | null
  #storing: Promise<void> = Promise.resolve()
  /** Rings by event. The number of a minute gives its index in a ring. */
  readonly #minutes: Readonly<Record<string, Uint32Array>> = emptyRings()
  /** The number, since 1970, of the latest minute in the rings. */
  #latest: number

  /**
   * @param now returns milliseconds since 1970
   * @param store null keeps the counts in memory alone
   */
  constructor(now: () => number = Date.now, store: CountStore | null = null, sinceMs = now()) {
    this.#now = now
    this.#store = store
    this.#stored = store && emptyRings()
    this.sinceMs = sinceMs
    this.#latest = Math.floor(now() / MINUTE_MS)
  }

  /** Returns the counts of all nodes, or these if there is no store. */
  async ofAllNodes(): Promise<Counters> {
    if (this.#store === null) return this
    await this.flush()
    const first = this.#currentMinute() - KEPT_MINUTES + 1
    const stored = await this.#store.read(first)
    const all = new Counters(this.#now, null, stored.sinceMs ?? this.sinceMs)
    all.#load(stored.counts, first)
    return all
  }

  /** Adds the counts since the last call to the store. */
  flush(): Promise<void> {
    this.#storing = this.#storing.catch(() => {}).then(() => this.#flush())
    return this.#storing
  }

  async #flush(): Promise<void> {
    if (this.#store === null || this.#stored === null) return
    const counts = this.#unstored(this.#stored)
    if (counts.length === 0) return
    await this.#store.add(counts)
    for (const { event, minute, count } of counts) {
      // The minute may have left the ring meanwhile.
      if (minute <= this.#currentMinute() - KEPT_MINUTES) continue
      const ring = this.#stored[event] as Uint32Array
      ring[minute % KEPT_MINUTES] = (ring[minute % KEPT_MINUTES] as number) + count
    }
  }

  #unstored(stored: Readonly<Record<string, Uint32Array>>): MinuteCount[] {
    const present = this.#currentMinute()
    const found: MinuteCount[] = []
    for (const [event, ring] of Object.entries(this.#minutes)) {
      for (let minute = Math.max(present - KEPT_MINUTES + 1, 0); minute <= present; minute++) {
        const at = minute % KEPT_MINUTES
        const count = (ring[at] as number) - ((stored[event] as Uint32Array)[at] as number)
        if (count > 0) found.push({ event, minute, count })
      }
    }
    return found
  }

  #load(counts: StoredCounts['counts'], first: number): void {
    for (const { event, minute, count } of counts) {
      const ring = this.#minutes[event]
      // The clock of another node may be ahead by a minute.
      const at = Math.min(minute, this.#latest) % KEPT_MINUTES
      if (ring && minute >= first) ring[at] = (ring[at] as number) + count
    }
  }

  /** Counts an event. An event without a row in the table, such as the status DELIVERED, changes nothing. */
  count(event: Status | CountedEvent): void {
    const ring = this.#minutes[event]
    if (!ring) return
    const index = this.#currentMinute() % KEPT_MINUTES
    ring[index] = (ring[index] as number) + 1
  }

  /** Estimates the messages stored in the last 60 seconds, as if those of the minute before were evenly spread. */
  perMinute(): number {
    const present = this.#currentMinute()
    const elapsed = (this.#now() % MINUTE_MS) / MINUTE_MS
    const [before = 0, now = 0] = this.#sums(['NOT_DELIVERED'], present - 1, 2, 1)
    return Math.round(before * (1 - elapsed) + now)
  }

  /** Returns the number of failures in the kept minutes. */
  failed(): FailureSums {
    const sums = COUNTERS.flatMap((row) => ('failure' in row ? [[row.failure, this.#sum(row.event)]] : []))
    return Object.fromEntries(sums)
  }

  /** Returns the last 60 minutes, the present one included. */
  byMinute(): Series {
    return this.#series(this.#currentMinute() - 59, 60, MINUTE_MS)
  }

  /** Returns the last 24 hours (UTC), the present one included. */
  byHour(): Series {
    return this.#series((Math.floor(this.#currentMinute() / 60) - 23) * 60, 24, HOUR_MS)
  }

  #series(first: number, items: number, stepMs: number): Series {
    const minutes = stepMs / MINUTE_MS
    const columns = SERIES_NAMES.map((name) => [name, this.#sums(eventsOf(name), first, items, minutes)])
    return { fromMs: first * MINUTE_MS, stepMs, ...Object.fromEntries(columns) }
  }

  #sum(event: CountedEvent): number {
    return (this.#minutes[event] as Uint32Array).reduce((sum, each) => sum + each, 0)
  }

  /**
   * Sums up events.
   *
   * @param first number of the first minute
   * @param minutes number of minutes of one item; future minutes add nothing
   */
  #sums(events: readonly CountedEvent[], first: number, items: number, minutes: number): number[] {
    const sums = new Array<number>(items).fill(0)
    const end = Math.min(first + items * minutes, this.#latest + 1)
    for (const ring of events.map((event) => this.#minutes[event] as Uint32Array)) {
      for (let minute = Math.max(first, 0); minute < end; minute++) {
        const item = Math.floor((minute - first) / minutes)
        sums[item] = (sums[item] as number) + (ring[minute % KEPT_MINUTES] as number)
      }
    }
    return sums
  }

  /**
   * Returns the number of the present minute, and clears the counts of the minutes that have passed. While the clock is
   * behind an earlier reading, the latest minute stays the present one.
   */
  #currentMinute(): number {
    const present = Math.floor(this.#now() / MINUTE_MS)
    if (present <= this.#latest) return this.#latest
    const passed = Math.min(present - this.#latest, KEPT_MINUTES)
    for (const ring of [...Object.values(this.#minutes), ...Object.values(this.#stored ?? {})]) {
      for (let i = 0; i < passed; i++) ring[(present - i) % KEPT_MINUTES] = 0
    }
    this.#latest = present
    return present
  }
}

function emptyRings(): Readonly<Record<string, Uint32Array>> {
  return Object.fromEntries(COUNTERS.map(({ event }) => [event, new Uint32Array(KEPT_MINUTES)]))
}

function eventsOf(series: SeriesName): CountedEvent[] {
  return COUNTERS.filter((row) => 'series' in row && row.series === series).map(({ event }) => event)
}
