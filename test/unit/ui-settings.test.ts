/** The server says in each language of the page what each setting means, and the page what its unit is. */
import { describe, expect, test } from 'vitest'
import { MEANING_LANGUAGES } from '../../src/config/meanings.ts'
import { publicSettings } from '../../src/config/public-settings.ts'
import { readSettings } from '../../src/config/read.ts'
import { SETTINGS } from '../../src/config/table.ts'
import { LOCALES } from '../../src/ui/texts/languages.ts'
import { PARTS } from '../../src/ui/texts/parts.ts'

const UNITS = SETTINGS.flatMap(({ unit }) => unit ?? [])

describe.each(LOCALES)('%s', async (locale) => {
  const { units } = (await PARTS.system[locale]()).texts

  test.each([...new Set(UNITS)])('unit %s → a text', (unit) => {
    expect(units).toHaveProperty([unit], expect.stringMatching(/./))
  })
})

test('meanings: the languages of the server → those of the page', () => {
  expect(MEANING_LANGUAGES).toEqual(LOCALES)
})

test('meanings: in Russian → every setting has one of its own, in Cyrillic', () => {
  const settings = readSettings({ env: {}, flags: {} })
  const english = publicSettings(settings)
  for (const [at, { name, meaning }] of publicSettings(settings, 'ru').entries()) {
    expect([name, meaning]).toEqual([english[at]?.name, expect.stringMatching(/[а-я]/)])
  }
})
