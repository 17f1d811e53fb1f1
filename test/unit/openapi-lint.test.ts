/** Lints the descriptions of the broker and of a tree of one file with the recommended rules of Redocly. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { prefixPaths } from '../../src/app/site.ts'
import { describeSite } from '../../src/web/openapi.ts'
import { readSite } from '../../src/web/read-site.ts'
import { answers, code, writeTree } from '../_support/trees.ts'

/** Pairs of paths that are no ambiguity, because an id is a number: none of `import`, `keys`, `bulk` and `cancel` is one. */
const BOTH_FIT_NO_PATH = [
  '`/admin/api/clients/{id}/keys` and `/admin/api/clients/import/{id}`',
  '`/admin/api/messages/{id}/cancel` and `/admin/api/messages/bulk/{id}`',
]

/** Lints a description with the recommended rules. */
async function problemsOf(description: object): Promise<string[]> {
  const problems = await lintFromString({
    source: JSON.stringify(description),
    config: await createConfig({ extends: ['recommended'] }),
  })
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

test('API description of the broker: linted with the recommended rules → no error and no warning', async () => {
  const site = await readSite(prefixPaths(['@broker']))
  const license = { name: 'Apache License 2.0', identifier: 'Apache-2.0' }
  const description = describeSite(site, { title: 'API', version: '0', license })
  const problems = await problemsOf(description)
  expect(problems.filter((problem) => !BOTH_FIT_NO_PATH.some((pair) => problem.includes(pair)))).toEqual([])
})

test('API description of one file without docs of its own: linted → only what a human must write is missing', async () => {
  const site = await readSite([writeTree({ 'hello.ts': code(answers('Greeting')) })])
  const description = describeSite(site, { title: 'API', version: '0' })
  const missing = (await problemsOf(description)).map((problem) => problem.split(':')[0])
  expect(new Set(missing)).toEqual(new Set(['info-license', 'tag-description', 'operation-summary']))
})
