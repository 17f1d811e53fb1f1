/** String formats of schemas: checked values, formats of one's own, and unknown ones. */
import { describe, expect, test } from 'vitest'
import { inject } from '../../src/web/inject.ts'
import { readSite } from '../../src/web/read-site.ts'
import { appOf, code, writeTree } from '../_support/trees.ts'

const tree = (format: string, more = '') => ({
  'a.ts': `import { registerFormat } from 'waybill'\n${code(`${more}
    export class Default extends Endpoint {
      static keywords = { GET: Type.Object({ v: Type.String({ format: '${format}' }) }) }
      GET({ v }) { return v }
    }`)}`,
})

/** Examples of the RFCs that JSON Schema names for each format. */
const VECTORS: [format: string, valid: string[], invalid: string[]][] = [
  ['date', ['2024-02-29'], ['2023-02-29', '2024-2-9', 'today']],
  ['time', ['08:30:06.283185Z', '23:59:60Z', '08:30:06+01:00'], ['08:30:06', '25:00:00Z']],
  [
    'date-time',
    ['1985-04-12T23:20:50.52Z', '1990-12-31T15:59:60-08:00'],
    ['1985-04-12', '1985-04-12T23:20:50'],
  ],
  ['duration', ['P4DT12H30M5S', 'P2W', 'PT1M'], ['P', 'PT', '1D']],
  ['email', ['joe.bloggs@example.com', 'te~st@example.com'], ['joe', 'joe@', '.test@example.com', 'a@b']],
  [
    'hostname',
    ['www.example.com', 'xn--4gbwdl.xn--wgbh1c'],
    ['-bad.example.com', 'a_b.example', `${'a'.repeat(64)}.com`],
  ],
  ['ipv4', ['192.168.0.1'], ['256.0.0.1', '127.0.0', '087.10.0.1']],
  ['ipv6', ['::1', 'fe80::a', '1:2:3:4:5:6:192.168.0.1'], ['12345::', ':::', '1::2::3']],
  [
    'uri',
    ['http://foo.bar/?baz=qux#quux', 'urn:isbn:0451450523', 'mailto:a@b.example'],
    ['//foo.bar', 'foo', 'http://a b'],
  ],
  [
    'uuid',
    ['2EB8AA08-aa98-11ea-b4aa-73b441d16380'],
    ['2eb8aa08-aa98-11ea-b4aa-73b441d1638', '2eb8aa08aa9811eab4aa73b441d16380'],
  ],
]

describe.each(VECTORS)('format %s', (format, valid, invalid) => {
  test('values → accepted, or 400 that names the format', async () => {
    const { app } = await appOf(tree(format))
    for (const v of valid) {
      const answer = await inject(app, 'GET', `/a?v=${encodeURIComponent(v)}`)
      expect([v, answer.status, answer.json()]).toEqual([v, 200, v])
    }
    for (const v of invalid) {
      const answer = await inject(app, 'GET', `/a?v=${encodeURIComponent(v)}`)
      expect([v, answer.status]).toEqual([v, 400])
      expect(answer.json()).toMatchObject({
        message: `Parameter "v" is not valid: expected a string of format ${format}.`,
      })
    }
  })
})

test.each(['binary', 'byte', 'password'])('format %s: a note → any text is accepted', async (format) => {
  const { app } = await appOf(tree(format))
  expect((await inject(app, 'GET', '/a?v=anything')).status).toBe(200)
})

test('registerFormat: a format of its own → checked', async () => {
  const { app } = await appOf(tree('plate', "registerFormat('plate', (text) => /^[A-Z]{2}\\d+$/.test(text))"))
  expect((await inject(app, 'GET', '/a?v=AB12')).json()).toBe('AB12')
  expect((await inject(app, 'GET', '/a?v=ab12')).status).toBe(400)
})

test.each([
  ['keywords = { GET: Type.Object({ v: Type.Array(Type.String({ format: "colour" })) }) }', 'GET({ v }) {}'],
  ['positionals = { GET: [Type.String({ format: "colour" })] }', 'GET(v) {}'],
])('an unknown format: static %s → the start is refused', async (member, method) => {
  const root = writeTree({
    'a.ts': code(`export class Default extends Endpoint { static ${member}; ${method} }`),
  })
  await expect(readSite([root])).rejects.toThrow(
    `${root}/a.ts: class Default, GET: its schema has the format "colour", which no value fits. Add it with registerFormat, or use pattern`,
  )
})

test('a member named format, and a value with one → no format', async () => {
  const { app } = await appOf({
    'a.ts': code(`export class Default extends Endpoint {
      static keywords = { POST: Type.Object({ format: Type.String({ default: 'pdf', examples: ['pdf'] }), o: Type.Optional(Type.Any({ default: { format: 'pdf' } })) }) }
      POST({ format }) { return format }
    }`),
  })
  expect((await inject(app, 'POST', '/a', { body: { format: 'odt' } })).json()).toBe('odt')
})
