/**
 * Caches the formatters of the browser. Creating one takes far longer than using it, and a list formats hundreds of
 * times.
 */

const dates = new Map<string, Intl.DateTimeFormat>()
const numbers = new Map<string, Intl.NumberFormat>()

function kept<T>(formats: Map<string, T>, key: unknown, make: () => T): T {
  const name = JSON.stringify(key)
  const format = formats.get(name) ?? make()
  formats.set(name, format)
  return format
}

export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(dates, [locale, options], () => new Intl.DateTimeFormat(locale, options))
}

export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return kept(numbers, [locale, options], () => new Intl.NumberFormat(locale, options))
}
