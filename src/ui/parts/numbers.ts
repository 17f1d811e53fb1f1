/** Formats numbers with the separators of the language. Ids, such as message numbers, stay unchanged. */

import { useLocale } from '../texts/texts.ts'
import { numberFormat } from './formats.ts'

export function numberText(value: number, locale: string): string {
  return numberFormat(locale).format(value)
}

/** Returns a function that formats a number in the language of the page. */
export function useNumberText(): (value: number) => string {
  const locale = useLocale()
  return (value) => numberText(value, locale)
}
