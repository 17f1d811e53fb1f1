/** Classes that look like endpoints but are none: named with file and line, at start and by `waybill routes`. */
import { expect, test } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { appOf, code, problemOf } from '../_support/trees.ts'

const GOOD = code('export class Good extends Endpoint { GET() {} }')

test.each<[string, string, string]>([
  [
    'a class without Endpoint',
    'const a = 1\nexport class Foo { GET() {} }',
    'A/a.ts:2: class Foo does not extend Endpoint, so no path reaches it',
  ],
  [
    'a verb in lower case',
    code('export class Foo extends Endpoint {\n  PUT() {}\n  async get(id) {}\n}'),
    'A/a.ts:4: class Foo has get(), which answers nothing. Verbs are upper case: GET',
  ],
  [
    'a verb in mixed case',
    code('export class Foo extends Endpoint {\n  Post() {} }'),
    'A/a.ts:3: class Foo has Post(), which answers nothing. Verbs are upper case: POST',
  ],
  [
    'a default export',
    code('export default class Foo extends Endpoint { GET() {} }'),
    'A/a.ts:2: no path reaches a default export. Export the class by name: export class Foo',
  ],
  [
    'a default export without Endpoint',
    'export default class Foo { GET() {} }',
    'A/a.ts:1: class Foo does not extend Endpoint, so no path reaches it',
  ],
  [
    'a field for a method',
    code('export class Foo extends Endpoint {\n  GET = () => 1\n  PUT() {} }'),
    'A/a.ts:3: class Foo has GET as a field, which answers nothing. Make GET a method',
  ],
  [
    'a field for a method, in the line of its class',
    code('export class Foo extends Endpoint { PUT() {} GET = async () => 1 }'),
    'A/a.ts:2: class Foo has GET as a field, which answers nothing. Make GET a method',
  ],
  [
    'a default export without a name',
    code(
      'export class Foo extends Endpoint { PUT() {} }\nexport default class extends Endpoint { GET() {} }',
    ),
    'A/a.ts:3: no path reaches a default export. Export the class by name: export class Default',
  ],
  [
    'a number as the default of a path argument without a schema',
    code(`export class Other extends Endpoint { GET() {} }
      export class Foo extends Endpoint {
        PUT() { return this.GET(1) }
        async GET(name = 'x', page = -1) { return page }
      }`),
    'A/a.ts:5: class Foo, GET(page = -1): without a schema page arrives as text. Add static positionals',
  ],
  [
    'a list as the default of a key without a schema',
    code(
      `export class Foo extends Endpoint { POST({ tags: all = [1], name = 'x', size = null }) { return all } }`,
    ),
    'A/a.ts:2: class Foo, POST({ tags = [1] }): without a schema tags arrives as text from a query or a form. Add static keywords',
  ],
  [
    'a truth value as the default of a nested class',
    code(
      'export class Foo extends Endpoint { GET() {}\nstatic Bar = class Bar extends Endpoint {\nGET(on = false) { return on } } }',
    ),
    'A/a.ts:4: class Foo.Bar, GET(on = false): without a schema on arrives as text. Add static positionals',
  ],
])('%s → a warning at start and in the list of routes', async (_what, text, warning) => {
  const files = { 'a.ts': text, 'b.ts': GOOD }
  const { log, site } = await appOf(files)
  const root = site.prefixes[0]?.path as string
  expect(log.lines.map(({ level, message }) => [level, message.replaceAll(root, 'A')])).toEqual([
    ['warn', `${warning}.`],
  ])
  const lines: string[] = []
  const io = { out: () => {}, err: (line: string) => lines.push(line) }
  for (const command of [['routes'], ['routes', 'explain', 'GET', '/a/foo']]) {
    lines.length = 0
    await run([...command, '--prefix', root], io, () => {})
    expect(lines.join('').replaceAll(root, 'A')).toBe(`warning: ${warning}\n`)
  }
})

test('a directory without endpoints → a warning; one with services only → none', async () => {
  const { log, site } = await appOf([
    { 'a.ts': 'export const a = 1' },
    { '_services.ts': 'export const open = () => ({})' },
  ])
  expect(log.lines.map(({ message }) => message.replaceAll(site.prefixes[0]?.path as string, 'A'))).toEqual([
    'A: no file in this directory exports an endpoint, a class that extends Endpoint.',
  ])
})

test.each([
  'export class Foo extends Endpoint { GET() { return this.get() } get() {} search() {} }',
  'class Helper { GET() {} }\nexport class Foo extends Endpoint { GET() {} }',
  'export class Foo extends Endpoint { static positionals = { GET: [Type.Integer()] }; static keywords = { GET: Type.Object({ n: Type.Integer({ default: 1 }) }) }; GET(page = 1, { n = 2 }) { return page + n } }',
  "export class Foo extends Endpoint { GET(a = 'x', b = null, c = `y`, { d = undefined, e = '1' } = {}) { return [a, b, c, d, e] } }",
  "export class Foo extends Endpoint {\n  static access = { GET: 'public' }\n  static keywords = { MESSAGE: Type.Object({}) }\n  MESSAGE({ ...all }) { return all }\n}",
  'export class Text { render() {} }\nexport class Foo extends Endpoint { static table = 1; static page() {} GET() { const GET = 1; return GET } }',
])('helpers beside endpoints: %s → no warning', async (text) => {
  const { log } = await appOf({ 'a.ts': code(text) })
  expect(log.lines).toEqual([])
})

test.each([
  ['acces', 'access'],
  ['keyword', 'keywords'],
  ['positional', 'positionals'],
  ['Access', 'access'],
  ['reponses', 'responses'],
  ['limits', 'limit'],
  ['cor', 'cors'],
  ['behind', 'member'],
  ['answers', 'responses'],
])('static %s → refused: rename it to %s', async (name, meant) => {
  const files = { 'a.ts': code(`export class Foo extends Endpoint { static ${name} = 'MAN'; GET() {} }`) }
  expect(await problemOf(files)).toBe(
    `A/a.ts: class Foo has static ${name}, which means nothing. Rename it to ${meant}`,
  )
})
