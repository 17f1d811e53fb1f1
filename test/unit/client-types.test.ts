/** The types of the client equal the API description. `DOCS=write npx vitest run test/unit/client-types.test.ts` writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { expect, test } from 'vitest'
import { describeSite } from '../../src/web/openapi.ts'
import { readSite } from '../../src/web/read-site.ts'
import { BARE_ERRORS } from '../../src/wire.ts'

const FILE = new URL('../../src/client/types.ts', import.meta.url)
const HEAD =
  '/** Generated from the API description by test/unit/client-types.test.ts. Not to be changed by hand. */\n'

test('src/client/types.ts: generated from the API description → the file as it is', async () => {
  const site = await readSite([fileURLToPath(new URL('../../endpoints', import.meta.url))])
  // A round trip through JSON drops the symbols of TypeBox.
  const description = JSON.parse(
    JSON.stringify(describeSite(site, { title: 'API', version: '0' }, new Set(BARE_ERRORS))),
  ) as OpenAPI3
  const types = HEAD + astToString(await openapiTypes(description, { silent: true }))
  if (process.env.DOCS === 'write') writeFileSync(FILE, types)
  expect(readFileSync(FILE, 'utf8')).toBe(types)
})
