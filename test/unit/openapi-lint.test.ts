/** Lints the description of the broker's API with the recommended rules of Redocly. */
import { fileURLToPath } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { describeSite } from '../../src/web/openapi.ts'
import { readSite } from '../../src/web/read-site.ts'
import { BARE_ERRORS } from '../../src/wire.ts'

test('API description: linted with the recommended rules → no error and no warning', async () => {
  const site = await readSite([fileURLToPath(new URL('../../endpoints', import.meta.url))])
  const license = { name: 'Apache License 2.0', identifier: 'Apache-2.0' }
  const description = describeSite(site, { title: 'API', version: '0', license }, new Set(BARE_ERRORS))
  const problems = await lintFromString({
    source: JSON.stringify(description),
    config: await createConfig({ extends: ['recommended'] }),
  })
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})
