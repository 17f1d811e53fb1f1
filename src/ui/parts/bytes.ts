/** Formats numbers of bytes. */
import { numberFormat } from './formats.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Formats a number of bytes, such as `1.2 MB`. A kilobyte has 1000 bytes. */
export function bytesText(bytes: number, locale: string): string {
  const power = Math.min(Math.max(Math.floor(Math.log10(bytes) / 3), 0), UNITS.length - 1)
  const value = bytes / 1_000 ** power
  return numberFormat(locale, {
    style: 'unit',
    unit: UNITS[power] as string,
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  }).format(value)
}
