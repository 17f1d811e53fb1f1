/** Checks what the compiler cannot see in a language of the admin page: superfluous placeholders and missing plural forms. */
import { describe, expect, test } from 'vitest'
import { LANGUAGES, LOCALES, type Locale } from '../../src/ui/texts/languages.ts'
import { PARTS } from '../../src/ui/texts/parts.ts'
import type { Text, Texts } from '../../src/ui/texts/translation.ts'

const WHOLE_NUMBERS = Array.from({ length: 1_000 }, (_, i) => i)

const all = (texts: Texts): [place: string, text: Text][] =>
  Object.entries(texts).flatMap(([section, of]) =>
    Object.entries(of).map(([key, text]): [string, Text] => [`${section}.${key}`, text]),
  )

const placeholders = (text: Text): string[] =>
  typeof text === 'string' ? [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string).sort() : []

/** Returns the texts of the first load and of all parts. */
async function textsIn(locale: Locale): Promise<Texts> {
  const loads = [LANGUAGES[locale].load(), ...Object.values(PARTS).map((part) => part[locale]())]
  return Object.assign({}, ...(await Promise.all(loads)).map(({ texts }) => texts))
}

describe.each(LOCALES)('%s', (locale) => {
  test('each text → has the placeholders of the English', async () => {
    const [english, texts] = [await textsIn('en'), await textsIn(locale)].map((texts) =>
      Object.fromEntries(all(texts).map(([place, text]) => [place, placeholders(text)])),
    )
    expect(texts).toEqual(english)
  })

  test('a counted text → has each form that whole numbers take, or one for all', async () => {
    const rules = new Intl.PluralRules(locale)
    expect(rules.resolvedOptions().locale).toBe(locale)
    const taken = new Set(WHOLE_NUMBERS.map((number) => rules.select(number))).size
    const wrong = all(await textsIn(locale)).filter(([, text]) => {
      const forms = typeof text === 'string' ? 1 : Object.keys(text).length
      return forms > 1 && forms < taken
    })
    expect(wrong).toEqual([])
  })
})
