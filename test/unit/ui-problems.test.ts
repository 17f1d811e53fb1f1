/** The admin page has a text for each error code of the server, in each language. */
import { describe, expect, test } from 'vitest'
import { IMPORT_PROBLEMS, IMPORT_WARNINGS } from '../../src/auth/import-lines.ts'
import { LANGUAGES, LOCALES } from '../../src/ui/texts/languages.ts'
import { type ErrorTable, WEB_ERRORS } from '../../src/web/errors.ts'
import { CSV_PROBLEMS } from '../../src/wire/clients-csv.ts'
import { errors } from '../../src/wire/errors.ts'

const TABLE: ErrorTable = { ...WEB_ERRORS, ...errors }
const CODES: [code: string, params: readonly string[]][] = [
  ...Object.entries(TABLE).map(([code, { params = [] }]): [string, readonly string[]] => [code, params]),
  ...Object.entries(IMPORT_PROBLEMS),
  ...Object.entries(IMPORT_WARNINGS),
  ...Object.entries(CSV_PROBLEMS),
]

describe.each(LOCALES)('%s', async (locale) => {
  const problems: Readonly<Record<string, string>> = (await LANGUAGES[locale].load()).texts.problems

  test.each(CODES)('code %s → a text, which names only values that the error has', (code, params) => {
    expect(problems).toHaveProperty([code])
    const named = [...(problems[code] as string).matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(params).toEqual(expect.arrayContaining(named))
  })
})
