/** The title of an API description: exported by a `_services` file, or given by the program. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageInfo } from '../../src/runner/package-info.ts'
import { appOf, problemOf, readAgain, writeIn, writeTree } from '../_support/trees.ts'

const services = (info: string) => ({ '_services.ts': `export const info = ${info}` })

test('info: all of its members → in the description as they are', async () => {
  const info = {
    ...{ title: 'Pump house', version: '2.1.0', summary: 'Pumps', description: 'All pumps.' },
    termsOfService: 'https://pumps.example/terms',
    contact: { name: 'Ann', url: 'https://pumps.example', email: 'ann@pumps.example' },
    license: { name: 'MIT', identifier: 'MIT' },
  }
  const { app } = await appOf(services(JSON.stringify(info)), { info: { title: 'Program', version: '1' } })
  expect([app.describe().info, app.info]).toEqual([info, info])
})

test('info: none → that of the program, else API and 0', async () => {
  const info = { title: 'Program', version: '1' }
  expect((await appOf({}, { info })).app.info).toEqual(info)
  expect((await appOf({})).app.info).toEqual({ title: 'API', version: '0' })
})

test('info: changed, and read again → the new one', async () => {
  const { app, site, lifecycle } = await appOf(services("{ title: 'Old', version: '1' }"))
  const [prefix] = site.prefixes
  if (!prefix) throw new Error('no prefix')
  expect(app.describe().info.title).toBe('Old')
  writeIn(prefix.path, '_services.ts', "export const info = { title: 'New', version: '1' }")
  await lifecycle.reload(prefix, readAgain, true)
  expect(app.describe().info.title).toBe('New')
})

describe('info of another shape: the start is refused', () => {
  test.each([
    ["'Pump house'", "info must be an object like { title: 'Pump house', version: '2.1.0' }"],
    ['undefined', "info must be an object like { title: 'Pump house', version: '2.1.0' }"],
    ["{ title: 'Pump house' }", 'info.version must be a string of at least 1 characters'],
    ["{ title: 'Pump house', version: 2.1 }", 'info.version must be a string of at least 1 characters'],
    ["{ title: '', version: '2' }", 'info.title must be a string of at least 1 characters'],
    [
      "{ title: 'Pump house', version: '2', author: 'Ann' }",
      'info.author is not known. info may have title, version, summary, description, termsOfService, contact, license',
    ],
    [
      "{ title: 'Pump house', version: '2', license: { name: 'MIT', id: 'MIT' } }",
      'info.license.id is not known. info.license may have name, identifier, url',
    ],
    ["{ title: 'Pump house', version: '2', license: 'MIT' }", 'info.license must be a JSON object'],
  ])('%s → named', async (info, problem) => {
    expect(await problemOf(services(info))).toBe(`A/_services.ts: ${problem}`)
  })
})

test.each([
  ['name and version', '{ "name": "pump-house", "version": "2.1.0" }', ['pump-house', '2.1.0']],
  ['no version', '{ "name": "pump-house" }', ['pump-house', '0']],
  ['neither', '{ "type": "module" }', ['API', '0']],
  ['values of other types', '{ "name": 7, "version": {} }', ['API', '0']],
  ['no JSON', '{ "name": ', ['API', '0']],
  ['no object', 'null', ['API', '0']],
])('package.json above the endpoints: %s → title and version', (_what, text, expected) => {
  const root = writeTree({ 'package.json': text, 'src/api/': '' })
  const { title, version } = packageInfo(join(root, 'src/api'))
  expect([title, version]).toEqual(expected)
})

test('package.json: one in the directory and one above → the nearest', () => {
  const root = writeTree({ 'package.json': '{ "name": "far" }', 'api/package.json': '{ "name": "near" }' })
  expect(packageInfo(join(root, 'api')).title).toBe('near')
})
