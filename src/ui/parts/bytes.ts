/** Bytes as people read them: `1.2 MB`. */

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Powers of ten, as units of a thousand are named. */
export function bytesText(bytes: number, locale: string): string {
  const power = Math.min(Math.max(Math.floor(Math.log10(bytes) / 3), 0), UNITS.length - 1)
  const value = bytes / 1_000 ** power
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: UNITS[power] as string,
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  }).format(value)
}
