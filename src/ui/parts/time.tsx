/** Formats times, with UTC on hover, and durations. */
import { nowMs, today } from '../state/clock.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { dateFormat, numberFormat } from './formats.ts'

const DAY_MS = 86_400_000
const UNITS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

function utc(ms: number): string {
  return `${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)} UTC`
}

interface TimeProps {
  /** Milliseconds since 1970; null for never. */
  readonly at: number | null
}

/** Shows the local time of day, with the date if it is not today. */
export function Time({ at }: TimeProps) {
  const locale = useLocale()
  const t = useTexts('common')
  if (at === null) return <span class="muted">{t.none}</span>
  const isToday = new Date(at).toDateString() === today.value
  const format = dateFormat(locale, {
    ...(!isToday && { year: 'numeric', month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  return (
    <time dateTime={new Date(at).toISOString()} title={utc(at)}>
      {format.format(at)}
    </time>
  )
}

/** Shows how long ago a time was, such as `5 minutes ago`. */
export function Ago({ at }: TimeProps) {
  const locale = useLocale()
  const t = useTexts('common')
  if (at === null) return <span class="muted">{t.never}</span>
  const past = nowMs.value - at
  const [unit, size] = UNITS.find(([, each]) => past >= each) ?? UNITS[3]
  const text =
    past < 10_000
      ? t.now
      : new Intl.RelativeTimeFormat(locale, { numeric: 'always' }).format(-Math.floor(past / size), unit)
  return (
    <time dateTime={new Date(at).toISOString()} title={utc(at)}>
      {text}
    </time>
  )
}

/** Formats a duration by its two largest units, such as `2 h 5 min`. */
export function durationText(ms: number, locale: string): string {
  const parts = UNITS.map(([unit, size], i) => {
    const whole = Math.floor((i === 0 ? ms : ms % (UNITS[i - 1]?.[1] ?? 1)) / size)
    return [whole, unit] as const
  }).filter(([whole]) => whole > 0)
  const shown = (value: number, unit: string): string =>
    numberFormat(locale, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
      maximumFractionDigits: 1,
    }).format(value)
  if (ms < 1_000) return shown(Math.max(0, Math.round(ms)), 'millisecond')
  if (ms < 10_000) return shown(ms / 1_000, 'second')
  return parts
    .slice(0, 2)
    .map(([whole, unit]) => shown(whole, unit))
    .join(' ')
}
