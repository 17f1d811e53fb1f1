/** Parses points in time from the command line, and formats times for people. */
import { InvalidArgumentError } from 'commander'

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

const DURATION = /^(\d{1,9})([smhdw])$/
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/

export const TIME_FORMS = '2h ago as "2h" (s, m, h, d, w), or 2026-01-31, or 2026-01-31T17:00'

/** Parses a duration, such as `30s`, `15m` or `2h`. Returns milliseconds. */
export function duration(text: string): number {
  const [, number, unit = ''] = DURATION.exec(text) ?? []
  if (number !== undefined) return Number(number) * (UNIT_MS[unit] as number)
  throw new InvalidArgumentError('Expected a duration, such as 30s, 15m, 2h or 7d.')
}

/**
 * Parses a past point in time: a duration before now, or a {@link date}.
 *
 * @returns milliseconds since 1970
 */
export function pastTime(text: string, nowMs: number): number {
  if (DURATION.test(text)) return Math.max(0, nowMs - duration(text))
  const atMs = date(text)
  if (atMs !== null) return atMs
  throw new InvalidArgumentError(
    'Expected a time such as 2h (before now), 2026-01-31 or 2026-01-31T17:00, with Z or +01:00 for another time zone.',
  )
}

/**
 * Parses a time of day, such as `20:00`, as the latest such time in the local time zone.
 *
 * @returns milliseconds since 1970; null for any other text
 */
export function lastTimeOfDay(text: string, nowMs: number): number | null {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hours === undefined) return null
  const at = new Date(nowMs)
  at.setHours(Number(hours), Number(minutes), 0, 0)
  if (at.getTime() > nowMs) at.setDate(at.getDate() - 1)
  return at.getTime()
}

/**
 * Parses a point in time ahead: a duration from now, or a {@link date}.
 *
 * @returns milliseconds since 1970; null for any other text
 */
export function futureTime(text: string, nowMs: number): number | null {
  const atMs = DURATION.test(text) ? nowMs + duration(text) : date(text)
  return atMs !== null && atMs > nowMs ? atMs : null
}

/**
 * Parses a date with an optional time of day. The default time zone is local, the default time midnight.
 *
 * @returns milliseconds since 1970; null for any other text
 */
export function date(text: string): number | null {
  const [, day] = DATE.exec(text) ?? []
  // Node reads 30 February as 2 March, and a date without a time as UTC.
  const isDay = day !== undefined && (new Date(`${day}T00:00Z`).toJSON() ?? '').startsWith(day)
  const atMs = isDay ? new Date(text === day ? `${day}T00:00` : text).getTime() : Number.NaN
  return atMs >= 0 ? atMs : null
}

/** Formats a time in the local time zone, such as `2026-01-31 17:00:00`. */
export function localTime(atMs: number): string {
  const date = new Date(atMs)
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}

/** Formats a duration in the largest unit with at least two units, such as `90s`, `5m`, `47h` or `3d`. */
export function inUnits(durationMs: number): string {
  const ms = Math.max(0, durationMs)
  const unit = ['d', 'h', 'm'].find((each) => ms >= 2 * (UNIT_MS[each] as number)) ?? 's'
  return `${Math.floor(ms / (UNIT_MS[unit] as number))}${unit}`
}
