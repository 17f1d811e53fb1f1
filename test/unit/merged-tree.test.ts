/** Several prefixes form one tree: the class that answers, the hidden class, and the services, guard and errors of each. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { prefixPaths } from '../../src/app/site.ts'
import type { App } from '../../src/web/app.ts'
import { inject } from '../../src/web/inject.ts'
import { match } from '../../src/web/match.ts'
import { readSite } from '../../src/web/read-site.ts'
import {
  answers,
  appOf,
  code,
  type Files,
  type RecordingLog,
  readAgain,
  writeIn,
  writeTree,
} from '../_support/trees.ts'

/** Returns the class that answered with the rest of the path, or the status. */
async function answer(app: App, target: string, method = 'GET'): Promise<unknown> {
  const { status, json } = await inject(app, method, target)
  return status === 200 ? json() : status
}

const warnings = (log: RecordingLog): string[] =>
  log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)

describe('a module in several prefixes', () => {
  const first: Files = {
    'auth.ts': code(answers('Login', 'first Login') + answers('Both', 'first Both')),
    'deep.ts': code(answers('Default', 'first deep') + answers('Foo', 'first Foo')),
  }
  const second: Files = {
    'auth/index.ts': code(answers('Me', 'second Me') + answers('Both', 'second Both')),
    'deep/er.ts': code(answers('Bar', 'second Bar')),
    'index.ts': code(answers('Default', 'second top')),
  }

  test.each([
    ['/auth/login', ['first Login'], ['first Login']],
    ['/auth/me', ['second Me'], ['second Me']],
    ['/auth/both', ['first Both'], ['second Both']],
    ['/auth/nobody', 404, 404],
    ['/deep/foo', ['first Foo'], ['first Foo']],
    ['/deep/er/bar', ['second Bar'], ['second Bar']],
    ['/deep/er/foo', 404, 404],
    ['/deep/x', ['first deep', 'x'], ['first deep', 'x']],
    ['/nobody', ['second top', 'nobody'], ['second top', 'nobody']],
  ])('%s: in order → %j, reversed → %j', async (target, inOrder, reversed) => {
    expect(await answer((await appOf([first, second])).app, target)).toEqual(inOrder)
    expect(await answer((await appOf([second, first])).app, target)).toEqual(reversed)
  })

  test('three prefixes: in each order → the earlier class of a name wins', async () => {
    const trees = ['a', 'b', 'c'].map((name) => ({
      'x.ts': code(answers('Same', name) + answers(`Only${name.toUpperCase()}`, `only ${name}`)),
    }))
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const { app, log } = await appOf(order.map((i) => trees[i] as Files))
      expect(await answer(app, '/x/same')).toEqual(['abc'[order[0] as number]])
      for (const name of ['a', 'b', 'c']) {
        expect(await answer(app, `/x/only-${name}`)).toEqual([`only ${name}`])
      }
      expect(warnings(log)).toHaveLength(2)
    }
  })

  test('two spellings of a class: one name → the earlier prefix wins', async () => {
    const { app } = await appOf([
      { 'index.ts': code(answers('GetIt')) },
      { 'index.ts': code(answers('Get_it')) },
    ])
    expect(await answer(app, '/get-it')).toEqual(['GetIt'])
  })

  test('a class with nested classes: same name in an earlier prefix → is hidden as a whole', async () => {
    const nested =
      'export class Foo extends Endpoint { static Inner = class extends Endpoint { GET() { return "inner" } } }'
    const { app } = await appOf([{ 'index.ts': code(answers('Foo')) }, { 'index.ts': code(nested) }])
    expect(await answer(app, '/foo/inner')).toEqual(['Foo', 'inner'])
  })

  test('a member class of one prefix: beside classes of another → both answer', async () => {
    const cancel = code(
      `export class Cancel extends Endpoint { static member = 1; GET(id) { return ['Cancel', id] } }`,
    )
    const { app } = await appOf([{ 'jobs.ts': code(answers('Default', 'jobs')) }, { 'jobs.ts': cancel }])
    expect(await answer(app, '/jobs/7/cancel')).toEqual(['Cancel', '7'])
    expect(await answer(app, '/jobs/7')).toEqual(['jobs', '7'])
  })
})

describe('Default', () => {
  test('a class of a later prefix → goes before Default of an earlier one', async () => {
    const { app } = await appOf([
      { 'index.ts': code(answers('Default', 'home') + answers('Foo')) },
      { 'index.ts': code(answers('Bar')), 'auth.ts': code(answers('Login')) },
    ])
    expect(await answer(app, '/')).toEqual(['home'])
    expect(await answer(app, '/foo/1')).toEqual(['Foo', '1'])
    expect(await answer(app, '/bar/1')).toEqual(['Bar', '1'])
    expect(await answer(app, '/auth/login')).toEqual(['Login'])
    expect(await answer(app, '/else')).toEqual(['home', 'else'])
  })

  const says = (body: string): Files => ({
    'index.ts': code(`export class Default extends Endpoint { ${body} }`),
  })

  test('several → the first that has the verb and takes that many arguments', async () => {
    const { app, log } = await appOf([
      says("GET() { return 'none' }"),
      says("GET(a) { return 'one' } POST() { return 'posted' }"),
      says("ANY(a, b) { return 'two' }"),
    ])
    expect(await answer(app, '/')).toBe('none')
    expect(await answer(app, '/1')).toBe('one')
    expect(await answer(app, '/1/2')).toBe('two')
    expect(await answer(app, '/1/2/3')).toBe(404)
    expect(await answer(app, '/', 'POST')).toBe('posted')
    expect(await answer(app, '/1/2', 'PATCH')).toBe('two')
    expect(warnings(log)).toEqual([])
  })

  test('several: none has the verb → 405 and OPTIONS with the methods of the first', async () => {
    const { app } = await appOf([says('GET() {}'), says('PUT() {}')])
    const refused = await inject(app, 'DELETE', '/')
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const options = await inject(app, 'OPTIONS', '/')
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })

  const JOBS = {
    'jobs.ts': code(`
      export class Default extends Endpoint { GET() { return 'list' } POST() { return 'made' } }
      export class Job extends Endpoint {
        static segment = false
        GET(id) { return ['one', id] }
        PUT(id) { return ['put', id] }
      }
      export class Retry extends Endpoint { static member = 1; POST(id) { return ['retry', id] } }`),
  }

  test('beside a class without a segment → the one that has the verb and takes that many arguments', async () => {
    const { app, log } = await appOf(JOBS)
    expect(await answer(app, '/jobs')).toBe('list')
    expect(await answer(app, '/jobs', 'POST')).toBe('made')
    expect(await answer(app, '/jobs/7')).toEqual(['one', '7'])
    expect(await answer(app, '/jobs/7', 'PUT')).toEqual(['put', '7'])
    expect(await answer(app, '/jobs/7/retry', 'POST')).toEqual(['retry', '7'])
    expect(warnings(log)).toEqual([])
  })

  test('beside a class without a segment: other requests → answered as if one class had all methods', async () => {
    const { app } = await appOf(JOBS)
    expect(await answer(app, '/jobs', 'PUT')).toBe(404)
    expect(await answer(app, '/jobs/7', 'POST')).toBe(404)
    expect(await answer(app, '/jobs/7/8')).toBe(404)
    // The class has no segment, so its name is an argument like any other.
    expect(await answer(app, '/jobs/job')).toEqual(['one', 'job'])
    for (const target of ['/jobs', '/jobs/7']) {
      for (const [method, status] of [
        ['PATCH', 405],
        ['OPTIONS', 204],
      ] as const) {
        const refused = await inject(app, method, target)
        expect([refused.status, refused.headers.allow]).toEqual([status, 'GET, HEAD, OPTIONS, POST, PUT'])
      }
    }
  })

  test('a path that none accepts → 404, for every method and caller', async () => {
    const { app } = await appOf([
      {
        ...says("static access = 'any'; GET() {}"),
        '_services.ts': 'export const authenticate = () => null',
      },
      says('GET(a) {}'),
    ])
    for (const method of ['GET', 'PUT', 'OPTIONS']) {
      const { status, json } = await inject(app, method, '/x/y')
      expect([status, (json() as { message: string }).message]).toEqual([
        404,
        'No endpoint answers /x/y. Run "waybill routes" for a list of all paths.',
      ])
    }
    expect((await inject(app, 'GET', '/')).status).toBe(401)
  })

  test('a wrong number of arguments → mentioned if a class was named, else not', async () => {
    const { app } = await appOf({
      'index.ts': code(`
        export class Default extends Endpoint { GET(a, b) {} PUT(a) {} }
        export class Foo extends Endpoint { GET(a, b) {} }`),
    })
    const message = async (path: string) =>
      ((await inject(app, 'GET', path)).json() as { message: string }).message
    expect(await message('/x')).toMatch(/^No endpoint answers \/x\./)
    expect(await message('/foo/x')).toBe('The path has 1 arguments; expected 2.')
  })
})

describe('a directory without index', () => {
  test('beside a class of its name → hides no class, in one prefix and in two', async () => {
    const top = code(answers('Foo') + answers('Default', 'top'))
    const bar = code(answers('Default', 'bar'))
    const orders: Files[][] = [
      [{ 'index.ts': top, 'foo/bar.ts': bar }],
      [{ 'index.ts': top }, { 'foo/bar.ts': bar }],
      [{ 'foo/bar.ts': bar }, { 'index.ts': top }],
    ]
    for (const trees of orders) {
      const { app, log } = await appOf(trees)
      expect(await answer(app, '/foo')).toEqual(['Foo'])
      expect(await answer(app, '/foo/x')).toEqual(['Foo', 'x'])
      expect(await answer(app, '/foo/bar/x')).toEqual(['bar', 'x'])
      expect(warnings(log)).toEqual([])
    }
  })

  test('without a class of its name → Default of the module above does not take its paths', async () => {
    const { app } = await appOf([
      { 'index.ts': code(answers('Default', 'top')) },
      { 'foo/bar.ts': code(answers('Default', 'bar')) },
    ])
    expect(await answer(app, '/foo')).toBe(404)
    expect(await answer(app, '/foo/x')).toBe(404)
  })

  test('an index for it in another prefix → is a module', async () => {
    const { app } = await appOf([
      { 'foo/bar.ts': code(answers('Default', 'bar')) },
      { 'foo.ts': code(answers('Default', 'foo')) },
    ])
    expect(await answer(app, '/foo/x')).toEqual(['foo', 'x'])
  })
})

describe('a class that no path reaches', () => {
  const tidied = async (...trees: Files[]): Promise<string[]> => {
    const { site, log } = await appOf(trees)
    const tidy = (text: string): string =>
      site.prefixes.reduce((left, { path }, i) => left.replaceAll(path, 'ABC'[i] as string), text)
    return warnings(log).map(tidy)
  }
  const CURE = 'Rename one of them, or change the order of the prefixes.'

  test.each<[string, Files[], string[]]>([
    [
      'a class of the same name → a warning at the start',
      [{ 'index.ts': code(answers('Foo')) }, { 'index.ts': code(answers('Foo') + answers('Bar')) }],
      [`B/index.ts: no path reaches class Foo, because A/index.ts answers instead. ${CURE}`],
    ],
    [
      'a module of another prefix → a warning at the start',
      [{ 'index.ts': code(answers('Foo')) }, { 'foo.ts': code(answers('Bar')) }],
      [`A/index.ts: no path reaches class Foo, because B/foo.ts answers instead. ${CURE}`],
    ],
    [
      'a module that hides a nested class → a warning at the start',
      [
        {
          'index.ts': code(
            `export class Foo extends Endpoint { GET() {} static Bar = class extends Endpoint { GET() {} } }`,
          ),
        },
        { 'foo/bar.ts': code(answers('X')) },
      ],
      [`A/index.ts: no path reaches class Foo.Bar, because B/foo/bar.ts answers instead. ${CURE}`],
    ],
    [
      'Default that accepts everything → a warning at the start',
      [{ 'index.ts': code(answers('Default')) }, { 'index.ts': code(answers('Default')) }],
      [`B/index.ts: no path reaches class Default, because A/index.ts answers instead. ${CURE}`],
    ],
    [
      'Default that has another verb → no warning',
      [
        { 'index.ts': code(answers('Default')) },
        { 'index.ts': code(`export class Default extends Endpoint { PUT() {} }`) },
      ],
      [],
    ],
    [
      'a module beside a member class → no warning',
      [
        { 'jobs.ts': code(`export class Cancel extends Endpoint { static member = 1; GET(id) {} }`) },
        { 'jobs/cancel.ts': code(answers('Default')) },
      ],
      [],
    ],
  ])('%s', async (_title, trees, expected) => {
    expect(await tidied(...trees)).toEqual(expected)
  })
})

test('several prefixes: each with services → each class keeps those of its prefix, its authenticator and its errors', async () => {
  const services = (name: string) => `
    export const open = () => ({ own: '${name}' })
    export const authenticate = (services, header) => header === '${name}' ? { id: '${name}', roles: [] } : null
    export const errors = { oops: { status: ${name === 'a' ? 409 : 410}, when: '' } }`
  const classes = (name: string) =>
    code(`export class ${name} extends Endpoint {
      GET() { return [this.services.own, this.call.identity.id] }
      PUT() { throw Object.assign(new Error('x'), { code: 'oops' }) }
    }`)
  const { app } = await appOf([
    { 'x.ts': classes('InA'), '_services.ts': services('a') },
    { 'x.ts': classes('InB'), '_services.ts': services('b') },
  ])
  const as = (authorization: string) => ({ headers: { authorization } })
  expect((await inject(app, 'GET', '/x/in-a', as('a'))).json()).toEqual(['a', 'a'])
  expect((await inject(app, 'GET', '/x/in-b', as('b'))).json()).toEqual(['b', 'b'])
  expect((await inject(app, 'GET', '/x/in-b', as('a'))).status).toBe(401)
  expect((await inject(app, 'PUT', '/x/in-a', as('a'))).status).toBe(409)
  expect((await inject(app, 'PUT', '/x/in-b', as('b'))).status).toBe(410)
})

test.each([0, 1])(
  "endpoints of one's own beside the broker: at place %i → each answers its own paths",
  async (place) => {
    const mine = writeTree({
      'index.ts': code(answers('Default') + answers('Foo')),
      'auth.ts': code(answers('Mine')),
    })
    const paths = prefixPaths(['@broker'])
    paths.splice(place * paths.length, 0, mine)
    const { tree } = await readSite(paths)
    const found = (path: string): string | undefined => {
      const entry = match(tree, 'GET', path.split('/').filter(Boolean))
      return entry ? `${entry.prefix.path === mine ? 'mine' : 'broker'} ${entry.handler.name}` : undefined
    }
    expect(found('/foo')).toBe('mine Foo')
    expect(found('/auth/mine')).toBe('mine Mine')
    expect(found('/auth/login')).toBe('broker Login')
    expect(found('/ui/app.js')).toBe('broker Default')
    expect(found('/v3/api-docs')).toBe('broker api-docs')
    expect(found('/')).toBe(place === 0 ? 'mine Default' : 'broker Default')
    expect(found('/else')).toBe('mine Default')
  },
)

describe('reload', () => {
  test('removes a class that hid another → the other answers; adds it → it is hidden again', async () => {
    const { app, site, lifecycle, log } = await appOf([
      { 'index.ts': code(answers('Foo', 'first')), 'other.ts': code(answers('Default')) },
      { 'index.ts': code(answers('Foo', 'second')) },
    ])
    const [first] = site.prefixes
    if (!first) throw new Error('no prefix')
    expect(warnings(log)).toHaveLength(1)
    rmSync(join(first.path, 'index.ts'))
    await lifecycle.reload(first, readAgain, false)
    expect(await answer(app, '/foo')).toEqual(['second'])
    expect(warnings(log)).toHaveLength(1)
    writeIn(first.path, 'index.ts', code(answers('Foo', 'new')))
    await lifecycle.reload(first, readAgain, false)
    expect(await answer(app, '/foo')).toEqual(['new'])
    expect(warnings(log)).toHaveLength(2)
  })
})
