/** The admin page says in each language what each setting of the server means, and what its unit is. */
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '../../src/config/table.ts'
import { LANGUAGES, LOCALES } from '../../src/ui/texts/languages.ts'

const UNITS = SETTINGS.flatMap(({ unit }) => unit ?? [])

describe.each(LOCALES)('%s', async (locale) => {
  const { settings, units } = (await LANGUAGES[locale].load()).texts

  test.each(SETTINGS.map(({ key }) => [key]))('setting %s → a text', (key) => {
    expect(settings).toHaveProperty([key], expect.stringMatching(/./))
  })

  test.each([...new Set(UNITS)])('unit %s → a text', (unit) => {
    expect(units).toHaveProperty([unit], expect.stringMatching(/./))
  })
})
