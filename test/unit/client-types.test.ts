/**
 * The types of the client equal the API description.
 * `DOCS=write npx vitest run --project unit test/unit/client-types.test.ts` writes them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { prefixPaths } from '../../src/app/site.ts'
import { typesOf } from '../../src/runner/types.ts'
import { readSite } from '../../src/web/read-site.ts'
import { writeTree } from '../_support/trees.ts'

const FILE = new URL('../../src/client/types.ts', import.meta.url)

test('src/client/types.ts: what `waybill types --prefix @broker` prints → the file as it is', async () => {
  const types = await typesOf(await readSite(prefixPaths(['@broker'])))
  if (process.env.DOCS === 'write') writeFileSync(FILE, types)
  const write = 'run DOCS=write npx vitest run --project unit test/unit/client-types.test.ts'
  expect(readFileSync(FILE, 'utf8'), `src/client/types.ts differs from the API: ${write}`).toBe(types)
})

test('openapi-typescript: not installed → exit code 1, the line that installs it', async () => {
  const site = await readSite([writeTree({})])
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  await expect(typesOf(site, () => Promise.reject(missing))).rejects.toMatchObject({
    code: 1,
    message:
      'openapi-typescript, which makes the types, is not installed. Run: npm install --save-dev openapi-typescript typescript',
  })
})

test('openapi-typescript: installed, but broken → the error of its import', async () => {
  const site = await readSite([writeTree({})])
  const broken = new SyntaxError('Unexpected token')
  await expect(typesOf(site, () => Promise.reject(broken))).rejects.toBe(broken)
})
