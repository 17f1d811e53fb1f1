/** Describes alerts as text. */
import { numberFormat } from '../parts/formats.ts'
import { durationText } from '../parts/time.tsx'
import { type Alert, lastsMs } from '../state/alerts.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

/** Returns a function that describes an alert. */
export function useAttentionText(): (alert: Alert) => string {
  const t = useTexts('alerts')
  const locale = useLocale()
  const number = (value: number | null): string => numberFormat(locale).format(value ?? 0)
  const megabytes = (value: number | null): string =>
    numberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 }).format(
      (value ?? 0) / 1e6,
    )
  const duration = (value: number | null, unitMs: number): string =>
    durationText((value ?? 0) * unitMs, locale)
  return ({ kind, count, value, limit, unit, sinceDate }) => {
    switch (kind) {
      case 'DISK_NEARLY_FULL':
        return t[kind]({ value: megabytes(value), limit: megabytes(limit) })
      case 'QUEUE_NEARLY_FULL':
        return unit === 'bytes'
          ? t.QUEUE_NEARLY_FULL_BYTES({ value: megabytes(value), limit: megabytes(limit) })
          : t[kind]({ value: number(value), limit: number(limit) })
      case 'PARKED':
      case 'NOT_FINISHED':
      case 'FAILED':
      case 'LOGIN_REFUSED':
      case 'ANSWERS_REFUSED':
        return t[kind](count ?? 0)
      case 'QUEUES_OPEN':
        return t[kind]({ value: number(value) })
      case 'CLOCK_BEHIND':
        return t[kind]({ value: duration(value, 1) })
      case 'DEVICE_SILENT':
        return t[kind]({ value: duration(value, 1_000), limit: duration(limit, 1_000) })
      case 'NOT_ACKNOWLEDGED':
      case 'WAITING_LONG':
        return t[kind]({ duration: durationText(lastsMs(sinceDate), locale) })
      default:
        return t[kind]
    }
  }
}

/** Returns a function for the text of the second line; null for most alerts. */
export function useDetailText(): (alert: Alert) => string | null {
  const t = useTexts('alerts')
  return ({ kind, value }) => (kind === 'NOT_ACKNOWLEDGED' ? t.attempts(value ?? 0) : null)
}
