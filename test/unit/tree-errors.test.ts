/** Errors in a tree stop the start. Each message names file, class and verb, and all errors are reported at once. */
import { describe, expect, test } from 'vitest'
import { readSite } from '../../src/web/read-site.ts'
import { appOf, code, type Files, problemOf, writeTree } from '../_support/trees.ts'

/** Returns the problems of trees, one per line, with `A/` for the first directory and `B/` for the second. */
async function problems(...trees: Files[]): Promise<string[]> {
  const paths = trees.map(writeTree)
  const error: unknown = await readSite(paths).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error) || error.name !== 'TreeError') throw error ?? new Error('nothing is wrong')
  return paths.reduce((text, path, i) => text.replaceAll(path, 'AB'[i] as string), error.message).split('\n')
}

const CLASS = 'extends Endpoint { GET() {} }'
const FOO = code(`export class Foo ${CLASS}`)

describe('names that clash', () => {
  test.each<[string, Files, string]>([
    [
      'both forms of a module',
      { 'foo.ts': FOO, 'foo/index.ts': FOO },
      'A/foo.ts and A/foo/index.ts are both the same module: keep one',
    ],
    ['two endings', { 'foo.ts': FOO, 'foo.js': FOO }, 'A/foo.js and A/foo.ts are both module foo: keep one'],
    [
      'two indexes',
      { 'index.mjs': FOO, 'index.ts': FOO },
      'A/index.mjs and A/index.ts are both the same module: keep one',
    ],
    [
      'two spellings of a module',
      { 'get-it.ts': FOO, 'getIt.ts': FOO },
      'A/getIt.ts and A/get-it.ts both answer /getIt: rename one',
    ],
    [
      'a file and a directory, spelt differently',
      { 'get-it/index.ts': FOO, 'getIt.ts': FOO },
      'A/get-it and A/getIt.ts both answer /get-it: rename one',
    ],
    [
      'two spellings of a class',
      { 'a.ts': code(`export class GetIt ${CLASS}\nexport class Get_it ${CLASS}`) },
      'A/a.ts: class Get_it and class GetIt (A/a.ts) both answer /get.it',
    ],
    [
      'two spellings of a class within a class',
      {
        'a.ts': code(
          `export class O extends Endpoint { static Get_it = class ${CLASS}; static GetIt = class ${CLASS} }`,
        ),
      },
      'A/a.ts: class O.GetIt and class O.Get_it (A/a.ts) both answer /getIt',
    ],
    [
      'two classes without a segment',
      {
        'a.ts': code(`export class Default extends Endpoint { GET(a = 1) {} PUT() {} }
          export class One extends Endpoint { static segment = false; GET(a, ...b) {} PUT(a) {} }`),
      },
      'A/a.ts: class One and class Default both answer GET with the same number of arguments',
    ],
    [
      'a class hidden by a module',
      { 'index.ts': FOO, 'foo.ts': FOO },
      'A/index.ts: class Foo can never be reached, module A/foo.ts answers /foo',
    ],
  ])('%s → refused', async (_what, files, problem) => {
    expect(await problems(files)).toContain(problem)
  })
})

describe('a parameter list that cannot be read', () => {
  const NATIVE = 'its source is native code (bound or wrapped); declare `static signature`'
  const GRAMMAR = 'only names, one object pattern or a rest of names can be filled from a request'
  test.each([
    ['a bound method', 'static { this.prototype.PUT = function (a) {}.bind(null) }', NATIVE],
    ['a proxy', 'static { this.prototype.PUT = new Proxy(function (a) {}, {}) }', NATIVE],
    ['a native function', 'static { this.prototype.PUT = Math.max }', NATIVE],
    ['an array pattern', 'PUT([a, b]) {}', GRAMMAR],
    ['an array pattern with a default', 'PUT(a, [b] = []) {}', GRAMMAR],
    ['a rest that is a pattern', 'PUT(...[a, b]) {}', GRAMMAR],
    ['a pattern that is not last', 'PUT({ a }, b) {}', 'the object pattern (keywords) must come last'],
    ['a pattern before a rest', 'PUT({ a }, ...rest) {}', 'the object pattern (keywords) must come last'],
    ['two patterns', 'PUT({ a }, { b }) {}', 'the object pattern (keywords) must come last'],
    [
      'required behind optional',
      'PUT(a, b = 1, c) {}',
      '"c" is required but comes after an optional parameter',
    ],
    ['a computed key', "PUT({ ['a' + 1]: a }) {}", 'a computed key cannot be filled from a request'],
  ])('%s → refused', async (_what, member, problem) => {
    const files = { 'a/b.ts': code(`export class Foo extends Endpoint { ${member} }`) }
    expect(await problems(files)).toEqual([`A/a/b.ts: class Foo, PUT: ${problem}`])
  })

  test.each(['static signature = { PUT: [1] }', "static signature = { PUT: [1, ['a']] }"])(
    '%s → accepted',
    async (signature) => {
      const member = 'static { this.prototype.PUT = function (a) {}.bind(null) }'
      await appOf({ 'a.ts': code(`export class Foo extends Endpoint { ${signature}; ${member} }`) })
    },
  )

  test.each(['1', "['a']", "[1, 'a']", '[1, [2]]', '{}'])(
    'a wrong static signature, { PUT: %s } → refused',
    async (value) => {
      const files = {
        'a.ts': code(`export class Foo extends Endpoint { static signature = { PUT: ${value} }; PUT(a) {} }`),
      }
      expect(await problems(files)).toEqual([
        "A/a.ts: class Foo, PUT: its static signature must be like [1, ['command']]",
      ])
    },
  )
})

describe('a schema that disagrees with its method', () => {
  test.each([
    [
      'a schema, no pattern',
      'static keywords = { PUT: Type.Object({ a: Text() }) }; PUT(a) {}',
      'PUT: static keywords has a schema for it, but no object pattern was found in last place',
    ],
    [
      'a wrapped method',
      'static keywords = { PUT: Type.Object({ a: Text() }) }; static { this.prototype.PUT = (...all) => all }',
      'PUT: static keywords has a schema for it, but no object pattern was found in last place',
    ],
    [
      'a key that the schema lacks',
      'static keywords = { PUT: Type.Object({ a: Text() }) }; PUT({ a, b = 1, c }) {}',
      'PUT: its parameter "b", "c" is not in the schema of static keywords',
    ],
    [
      'a key that every object has',
      'static keywords = { PUT: Type.Object({}) }; PUT({ constructor }) {}',
      'PUT: its parameter "constructor" is not in the schema of static keywords',
    ],
    [
      'no object schema',
      'static keywords = { PUT: Text() }; PUT({ a }) {}',
      'PUT: its static keywords must be a Type.Object',
    ],
    [
      'a schema of another kind',
      "static keywords = { PUT: { type: 'object', properties: { a: { type: 'string' } } } }; PUT({ a }) {}",
      /^PUT: its static keywords cannot be compiled: use Type of 'waybill' \(/,
    ],
    [
      'undefined for a schema',
      'static keywords = { PUT: undefined }; PUT({ a }) {}',
      'PUT: static keywords has undefined for it',
    ],
    [
      'a schema for a missing verb',
      'static keywords = { POST: Type.Object({}) }; PUT({ a }) {}',
      'POST: static keywords names it, but there is no such method',
    ],
    [
      'schemas without a verb',
      'static keywords = Type.Object({}); PUT({ a }) {}',
      'type: static keywords names it, but there is no such method',
    ],
    [
      'too few positionals',
      'static positionals = { PUT: [Text()] }; PUT(a, b) {}',
      'PUT: static positionals lists 1 schemas, the method takes 2 positional arguments',
    ],
    [
      'too many positionals',
      'static positionals = { PUT: [Text(), Text()] }; PUT(a, { b }) {}',
      'PUT: static positionals lists 2 schemas, the method takes 1 positional arguments',
    ],
    [
      'commas in what is no list',
      'static keywords = { GET: Type.Object({ comma: Maybe(Type.Integer({ comma: true })) }) }; GET({ comma }) {}',
      'GET: comma must be true or false, and only a Type.Array may have it',
    ],
    [
      'commas around a list',
      'static positionals = { GET: [Type.Union([Type.Array(Text()), Type.Null()], { comma: true })] }; GET(a) {}',
      'GET: comma must be true or false, and only a Type.Array may have it',
    ],
    [
      'commas that are no truth value',
      "static positionals = { GET: [Type.Array(Text(), { comma: ';' })] }; GET(a) {}",
      'GET: comma must be true or false, and only a Type.Array may have it',
    ],
    [
      'no schema for the rest',
      'static positionals = { PUT: [Text()] }; PUT(a, ...rest) {}',
      'PUT: static positionals lists 1 schemas, the method takes 2 positional arguments',
    ],
    [
      'undefined for a positional',
      'static positionals = { PUT: [undefined] }; PUT(a) {}',
      /^PUT: its static positionals cannot be compiled: use Type of 'waybill' \(/,
    ],
    [
      'positionals of a missing verb',
      'static positionals = { GET: [Text()] }; PUT(a) {}',
      'GET: static positionals names it, but there is no such method',
    ],
    [
      'a signature of a missing verb',
      'static signature = { GET: [1] }; PUT(a) {}',
      'GET: static signature names it, but there is no such method',
    ],
  ])('%s → refused', async (_what, members, problem) => {
    const [first = '', ...more] = await problems({
      'a.ts': code(`export class Foo extends Endpoint { ${members} }`),
    })
    const found = first.replace('A/a.ts: class Foo, ', '')
    if (typeof problem === 'string') expect(found).toBe(problem)
    else expect(found).toMatch(problem)
    if (!members.startsWith('static keywords = Type')) expect(more).toEqual([])
  })

  test('a class within a class → named with both names', async () => {
    const files = {
      'a.ts': code(
        'export class Foo extends Endpoint { static Bar = class extends Endpoint { GET([a]) {} } }',
      ),
    }
    expect(await problems(files)).toEqual([expect.stringMatching('^A/a.ts: class Foo.Bar, GET: only names')])
  })
})

describe('static access and static headers', () => {
  const ACCESS =
    "A/a.ts: class Foo: static access must be 'public', 'any', the name of a role or a list of roles"
  const HEADERS = 'A/a.ts: class Foo: static headers must be a list of header names in lower case'
  test.each([
    ["access = ''", ACCESS],
    ['access = true', ACCESS],
    ['access = []', ACCESS],
    ["access = ['MAN', 'any']", ACCESS],
    ["access = { GET: 'MAN', ANY: '' }", ACCESS],
    ['access = undefined', ACCESS],
    ["headers = 'range'", HEADERS],
    ["headers = ['Range']", HEADERS],
    ['headers = [1]', HEADERS],
  ])('%s → refused', async (member, problem) => {
    const files = { 'a.ts': code(`export class Foo extends Endpoint { static ${member}; GET() {} }`) }
    expect(await problems({ ...files, '_services.ts': 'export const authenticate = () => null' })).toEqual([
      problem,
    ])
  })

  test.each(['any', 'MAN'])(
    "access = '%s' without an authenticator → refused; with one → accepted",
    async (access) => {
      const files = {
        'a.ts': code(
          `export class Foo extends Endpoint { static access = '${access}'; GET(a = 1) {} PUT() {} }`,
        ),
      }
      expect(await problems(files)).toEqual([
        `A/a.ts: class Foo has access '${access}', but no prefix has a _services file that exports authenticate`,
      ])
      await appOf([files, { '_services.ts': 'export const authenticate = () => null' }])
    },
  )
})

test.each([
  ["static subprotocols = ['a b']; MESSAGE() {}", 'static subprotocols must be a list of different names'],
  ["static subprotocols = ['a', 'a']; MESSAGE() {}", 'static subprotocols must be a list of different names'],
  [
    "static subprotocols = ['a']; GET() {}",
    'static subprotocols is for WebSockets. Give the class a method CONNECT',
  ],
])('%s → refused, with file and class', async (body, problem) => {
  const files = { 'a.ts': code(`export class Foo extends Endpoint { ${body} }`) }
  expect(await problemOf(files)).toContain(`a.ts: class Foo: ${problem}`)
})

test.each([
  ["static segment = 'foo'; GET() {}", 'static segment must be false, or be left out'],
  [
    'static segment = false; static member = 1; GET(a) {}',
    'static member needs a segment. Remove one of static member and static segment',
  ],
])('static segment: %s → refused', async (body, problem) => {
  const files = { 'a.ts': code(`export class Foo extends Endpoint { ${body} }`) }
  expect(await problems(files)).toEqual([`A/a.ts: class Foo: ${problem}`])
})

test('static segment: in a class within a class → refused', async () => {
  const inner = 'static Bar = class extends Endpoint { static segment = false; GET() {} }'
  const files = { 'a.ts': code(`export class Foo extends Endpoint { ${inner} }`) }
  expect(await problems(files)).toEqual([
    'A/a.ts: class Foo.Bar: static segment is only for exported classes',
  ])
})

describe('files that cannot be used', () => {
  test.each([
    ['a.ts', 'export class {'],
    ['a/b/index.js', "throw new Error('out of order')"],
    ['a.ts', "import { Endpoint } from './missing.ts'\nexport class Foo extends Endpoint {}"],
    ['_services.ts', 'export const open = ('],
    ['_services.ts', "throw 'no error at all'"],
  ])('%s with %j → refused', async (file, text) => {
    const [first] = await problems({ 'x.ts': FOO, [file]: text })
    expect(first).toMatch(new RegExp(`^A/${file}: cannot be loaded: .`))
  })

  test('an error in a file → the message has its cause and line', async () => {
    const text = "const before = 1\nif (before) throw new Error('out of order')"
    expect(await problems({ 'a.js': text })).toEqual([
      'A/a.js: cannot be loaded: out of order',
      expect.stringMatching(/^\s+at .*A\/a\.js:2:/),
    ])
  })

  test.each(['open', 'close', 'authenticate'])('_services: %s is no function → refused', async (name) => {
    expect(await problems({ '_services.ts': `export const ${name} = 1` })).toEqual([
      `A/_services.ts: ${name} must be a function`,
    ])
  })

  test('a missing directory, or a file instead → refused', async () => {
    const here = writeTree({ 'file.ts': '' })
    for (const path of [`${here}/missing`, `${here}/file.ts`])
      await expect(readSite([path])).rejects.toThrow(
        `${path}: no such directory. Give --prefix a directory of endpoint files`,
      )
  })
})

test('errors: many in two prefixes → all reported at once', async () => {
  const bad = code(
    'export class Foo extends Endpoint { static access = 1; static headers = 1; GET([a]) {} PUT(b = 1, c) {} }',
  )
  const found = await problems(
    { 'a.ts': bad, 'b.ts': 'export class {', 'c.ts': FOO, 'c/index.ts': FOO, 'd/e.ts': bad },
    { 'index.ts': bad, '_services.ts': 'export const close = 1' },
  )
  const subjects = found.flatMap(
    (line) =>
      /^([AB]\/[^:]*)(?:: class (\w+)(?:, (\w+))?)?/.exec(line)?.slice(1).filter(Boolean).join(' ') ?? [],
  )
  expect(subjects.toSorted()).toEqual([
    'A/a.ts Foo',
    'A/a.ts Foo',
    'A/a.ts Foo GET',
    'A/a.ts Foo PUT',
    'A/b.ts',
    'A/c.ts and A/c/index.ts are both the same module',
    'A/d/e.ts Foo',
    'A/d/e.ts Foo',
    'A/d/e.ts Foo GET',
    'A/d/e.ts Foo PUT',
    'B/_services.ts',
    'B/index.ts Foo',
    'B/index.ts Foo',
    'B/index.ts Foo GET',
    'B/index.ts Foo PUT',
  ])
})
