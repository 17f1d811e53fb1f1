/** Lists the languages of the page. A new language needs a file in this directory and a line here. */
import type { texts } from './en.ts'
import type { TranslationOf } from './translation.ts'

interface Language {
  /** Name of the language in that language. */
  readonly label: string
  readonly load: () => Promise<{ readonly texts: TranslationOf<typeof texts> }>
}

/** Keys are BCP 47 tags. The texts of a language load when it is chosen. */
export const LANGUAGES = {
  en: { label: 'English', load: () => import('./en.ts') },
  ru: { label: 'Русский', load: () => import('./ru.ts') },
} satisfies Record<string, Language>

export type Locale = keyof typeof LANGUAGES

export const LOCALES = Object.keys(LANGUAGES) as Locale[]

/** Returns whether a BCP 47 tag, such as `en-GB`, belongs to a language. */
export const matchesLocale = (tag: string, locale: Locale): boolean =>
  tag === locale || tag.startsWith(`${locale}-`)
