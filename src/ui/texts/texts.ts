/**
 * Shows the page in one language at a time. A value from a device or a producer can be part of a text, but is never a
 * text itself.
 */
import { computed, signal } from '@preact/signals'
import type { texts } from './en.ts'
import { LANGUAGES, type Locale, matchesLocale } from './languages.ts'
import { type EnglishPart, PARTS, type Part } from './parts.ts'
import type { ReadySection, Text, Texts } from './translation.ts'

/** English texts, also those of the parts. */
type English = typeof texts & EnglishPart
type Section = keyof English
export type ReadyTexts<S extends Section> = ReadySection<English[S]>

type ReadyText = string | ((values: Record<string, string | number>) => string) | ((count: number) => string)

/** Replaces `{names}` by values. Values are not searched for names. */
function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

function readyText(text: Text, plurals: Intl.PluralRules): ReadyText {
  if (typeof text !== 'string')
    return (count: number) => filled(text[plurals.select(count)] ?? text.other, { count })
  return /\{\w+\}/.test(text) ? (values: Record<string, string | number>) => filled(text, values) : text
}

function ready(locale: Locale, texts: Texts): { readonly [S in Section]: ReadyTexts<S> } {
  const plurals = new Intl.PluralRules(locale)
  const each = <T, U>(of: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
    Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]))
  return each(texts, (section) => each(section, (text) => readyText(text, plurals))) as never
}

/** Current language. The page is rendered once it is set. */
const language = signal({ locale: 'en' as Locale, texts: {} as ReturnType<typeof ready> })
const locale = computed(
  () => navigator.languages.find((tag) => matchesLocale(tag, language.value.locale)) ?? language.value.locale,
)
let wanted: Locale = 'en'
/** Parts of the page that were opened. A change of the language loads their texts too. */
const opened = new Set<Part>()
let latest: Promise<void> = Promise.resolve()

/** Shows the page in a language once its texts are loaded. The last call wins, in whatever order the texts arrive. */
export function showLanguage(locale: Locale): Promise<void> {
  wanted = locale
  return showWanted()
}

/** Loads the texts of a part in the language of the page. Resolves when the part can be shown. */
export async function loadTexts(part: Part): Promise<void> {
  if (opened.has(part)) return latest
  opened.add(part)
  try {
    await showWanted()
  } catch (error) {
    opened.delete(part)
    throw error
  }
}

/** Shows the wanted language with the texts of all opened parts. A later call replaces an earlier one. */
function showWanted(): Promise<void> {
  const show = async (): Promise<void> => {
    const locale = wanted
    const loads = [LANGUAGES[locale].load(), ...[...opened].map((part) => PARTS[part][locale]())]
    const loaded = await Promise.all(loads)
    if (showing !== latest) return latest
    const texts: Texts = Object.assign({}, ...loaded.map((each) => each.texts))
    language.value = { locale, texts: ready(locale, texts) }
    document.documentElement.lang = locale
  }
  const showing = show()
  latest = showing
  return showing
}

/** Returns the texts of a section. The component is rendered again when the language changes. */
export function useTexts<S extends Section>(section: S): ReadyTexts<S> {
  return language.value.texts[section]
}

export function useLanguage(): Locale {
  return language.value.locale
}

/** Returns the locale for numbers and times, with this browser's region: `en-GB`, for example. */
export function useLocale(): string {
  return locale.value
}
