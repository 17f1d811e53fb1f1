/** Keeps a time range in the address: a name such as `range=24h`, or `from` and `to`. */
import type { Query } from './query.ts'

export const RANGES = ['15m', '1h', '24h', 'today', 'yesterday', '7d', '30d'] as const
export type RangeName = (typeof RANGES)[number]

export interface Range {
  /** Null if the range has its own dates, or none. */
  readonly name: RangeName | null
  /** Milliseconds since 1970, inclusive; null for a range without a start. */
  readonly fromMs: number | null
  /** Milliseconds since 1970, exclusive; null for a range that ends now. */
  readonly toMs: number | null
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Lengths of the ranges that end now. */
const LENGTHS_MS: Readonly<Record<string, number>> = {
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
}

/** Returns the range in an address. @param standard range of an address that names none */
export function rangeOf(query: Query, nowMs: number, standard: RangeName | null = null): Range {
  const { range, from, to } = query
  const given = RANGES.find((each) => each === range)
  if (given) return namedRange(given, nowMs)
  const [fromMs, toMs] = [msOf(from), msOf(to)]
  if (fromMs === null && toMs === null && standard !== null) return namedRange(standard, nowMs)
  return { name: null, fromMs, toMs }
}

/** Returns the parameters of the address for a range. Empty parameters leave the address. */
export function rangeQuery({ name, fromMs, toMs }: Range): Query {
  if (name !== null) return { range: name, from: '', to: '' }
  return { range: '', from: fromMs === null ? '' : String(fromMs), to: toMs === null ? '' : String(toMs) }
}

/** Returns the parameters `from` and `to` of the API. */
export function rangeFilters({ fromMs, toMs }: Range): Query {
  return {
    ...(fromMs !== null && { from: String(fromMs) }),
    ...(toMs !== null && { to: String(toMs) }),
  }
}

function namedRange(name: RangeName, nowMs: number): Range {
  const length = LENGTHS_MS[name]
  if (length !== undefined) return { name, fromMs: nowMs - length, toMs: null }
  const today = new Date(nowMs)
  today.setHours(0, 0, 0, 0)
  if (name === 'today') return { name, fromMs: today.getTime(), toMs: null }
  // A day has 23 or 25 hours when the clocks change.
  const yesterday = new Date(today)
  yesterday.setDate(today.getDate() - 1)
  return { name, fromMs: yesterday.getTime(), toMs: today.getTime() }
}

function msOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** Returns the values of a date field and a time field: local time, to the minute. */
export function fieldsOf(ms: number | null): { readonly date: string; readonly time: string } {
  if (ms === null) return { date: '', time: '' }
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * MINUTE_MS).toISOString()
  return { date: local.slice(0, 10), time: local.slice(11, 16) }
}

/** Returns the time in a date field and a time field; null if the date is empty. */
export function msOfFields(date: string, time: string): number | null {
  const ms = new Date(`${date}T${time === '' ? '00:00' : time}`).getTime()
  return date === '' || Number.isNaN(ms) ? null : ms
}
