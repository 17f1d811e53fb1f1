/** Texts in English and Russian, side by side. Nothing that a device or a producer sent goes through here unescaped. */
import { count, createI18n, type Messages, type TranslationFunction, transform } from '@nanostores/i18n'
import { useStore } from '@nanostores/preact'
import { type Locale, locale } from '../state/preferences.ts'

interface Forms {
  readonly one?: string
  readonly few?: string
  readonly many?: string
  readonly other?: string
}

type Text = string | TranslationFunction

/** The same keys in Russian: plural forms for what is counted, a text for everything else. */
type Russian<B> = { readonly [K in keyof B]: B[K] extends string ? string : string | Forms }

const i18n = createI18n<Locale, 'en'>(locale, {
  baseLocale: 'en',
  cache: { en: {}, ru: {} },
  get: () => Promise.resolve({}),
})

/** Texts of one part of the page. A key that Russian lacks does not compile. */
export function texts<B extends Record<string, Text>>(name: string, en: B, ru: Russian<B>): Messages<B> {
  i18n.cache.ru[name] = ru as never
  return i18n(name, en)
}

type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

/** A text with `{names}`. What is put in for a name is never looked at again. */
export const filled = transform((_code: string, text: string, values: Record<string, string | number>) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)),
) as <T extends string>(text: T) => TranslationFunction<[Record<Names<T>, string | number>], string>

/** A text by number: `{ one: '{count} device', many: '{count} devices' }`. */
export const counted = count

/** The texts in the language of now. */
export const useTexts = useStore

export function useLanguage(): Locale {
  return useStore(locale)
}

/** For numbers and times: the language of the page as this browser's region writes it, such as `en-GB`. */
export function useLocale(): string {
  const language = useLanguage()
  return navigator.languages.find((name) => name.startsWith(language)) ?? language
}
