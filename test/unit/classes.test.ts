/** The exports of a module that are handlers, the exports that are none, and classes inside of classes. */
import { describe, expect, test } from 'vitest'
import { inject } from '../../src/web/inject.ts'
import { answers, appOf, code } from '../_support/trees.ts'

/** Returns those of the paths that answer 200. */
async function reachable(files: Record<string, string>, paths: readonly string[]): Promise<string[]> {
  const { app } = await appOf(files)
  const found: string[] = []
  for (const path of paths) if ((await inject(app, 'GET', path)).status === 200) found.push(path)
  return found
}

describe('an exported class that extends Endpoint', () => {
  test.each([
    ['a declaration', answers('Foo')],
    ['an expression', 'export const Foo = class extends Endpoint { GET() {} }'],
    ['a list of exports', 'class Foo extends Endpoint { GET() {} }\nexport { Foo }'],
    ['another name', 'class Inner extends Endpoint { GET() {} }\nexport { Inner as Foo }'],
    ['a name of its own', 'export class Foo extends Endpoint { static name = "Bar"; GET() {} }'],
    ['a base of its own', 'class Base extends Endpoint { GET() {} }\nexport class Foo extends Base {}'],
  ])('%s → reachable', async (_how, text) => {
    const { app } = await appOf({ 'index.ts': code(text) })
    expect((await inject(app, 'GET', '/foo')).status).toBeLessThan(300)
    for (const other of ['/inner', '/bar', '/base'])
      expect((await inject(app, 'GET', other)).status).toBe(404)
  })

  test('a base class from another file → reachable, with the methods of the base', async () => {
    const files = {
      'index.ts': code(
        `import { SharedController } from './_shared.ts'\nexport class Foo extends SharedController {}`,
      ),
      '_shared.ts': code(answers('SharedController', 'inherited GET')),
    }
    const { app } = await appOf(files)
    expect((await inject(app, 'GET', '/foo/x')).json()).toEqual(['inherited GET', 'x'])
  })
})

describe('other exports', () => {
  const shared = {
    'shared.ts': code(answers('Foo') + answers('Bar')),
    'whole.ts': code(`export default class Foo extends Endpoint { GET() {} }`),
  }

  test.each([
    ['imported and exported', "import { Foo } from './shared.ts'\nexport { Foo }"],
    ['exported from elsewhere', "export { Foo } from './shared.ts'"],
    ['all exported from elsewhere', "export * from './shared.ts'"],
    ['another name from elsewhere', "export { Bar as Foo } from './shared.ts'"],
    ['imported, exported by another name', "import { Bar } from './shared.ts'\nexport { Bar as Foo }"],
    ['imported by another name', "import { Bar as Foo } from './shared.ts'\nexport { Foo }"],
    ['imported as the default', "import Foo from './whole.ts'\nexport { Foo }"],
    [
      'mentioned in comments',
      "// class Foo\n/* class Foo */ import { Foo } from './shared.ts' // class Foo\nexport { Foo }",
    ],
    ['only imported', "import { Foo } from './shared.ts'\nvoid Foo"],
    ['a class of another kind', 'export class Foo { GET() { return 1 } }'],
    ['a function', 'export function Foo() { return 1 }'],
    ['an object', 'export const Foo = { GET() { return 1 } }'],
    ['the base class itself', 'export { Endpoint as Foo }'],
    ['the default export', 'export default class Foo extends Endpoint { GET() { return 1 } }'],
    ['not exported', 'class Foo extends Endpoint { GET() { return 1 } }\nvoid Foo'],
  ])('%s → not reachable', async (_how, text) => {
    const imports = text.includes('Endpoint') ? code(text) : text
    expect(await reachable({ 'index.ts': imports, ...shared }, ['/foo', '/bar', '/default', '/'])).toEqual([])
    expect(await reachable({ 'index.ts': imports, ...shared }, ['/shared/foo'])).toEqual(['/shared/foo'])
  })

  test.each([
    ['_Foo', ['/_Foo', '/_foo', '/-foo', '/foo']],
    ['FooController', ['/fooController', '/foo-controller', '/foo_controller', '/foo']],
    ['Controller', ['/controller']],
    ['DEFAULT', ['/DEFAULT', '/default']],
  ])('class %s → not reachable', async (name, paths) => {
    expect(await reachable({ 'index.ts': code(answers(name)) }, paths)).toEqual([])
  })

  test('static members, fields and other methods → not reachable', async () => {
    const text = `export class Foo extends Endpoint {
      static secret = 'static'
      field = 'field'
      GET() { return 'GET' }
      helper() { return 'helper' }
      get() { return 'lower case' }
    }`
    const { app } = await appOf({ 'index.ts': code(text) })
    for (const name of ['secret', 'field', 'helper', 'get', 'GET', 'services', 'call', 'prototype'])
      expect((await inject(app, 'GET', `/foo/${name}`)).status).toBe(404)
    expect((await inject(app, 'get', '/foo')).status).toBe(501)
    expect((await inject(app, 'helper', '/foo')).status).toBe(501)
  })
})

describe('classes inside of classes', () => {
  const files = {
    'index.ts': code(`
      class Base extends Endpoint {
        static Inherited = class extends Endpoint { GET() { return 'never' } }
      }
      export class Foo extends Base {
        static Bar = class extends Endpoint {
          GET(...rest) { return ['Foo.Bar', ...rest] }
          static GetDeep = class extends Endpoint { GET(...rest) { return ['Foo.Bar.GetDeep', ...rest] } }
        }
        static Default = class extends Endpoint { GET() { return 'never' } }
        static BaseController = class extends Endpoint { GET() { return 'never' } }
        static _Hidden = class extends Endpoint { GET() { return 'never' } }
        static Other = Endpoint
        GET(...rest) { return ['Foo', ...rest] }
      }
      export class Outer extends Endpoint { static Inner = class extends Endpoint { GET() { return ['Outer.Inner'] } } }`),
  }

  test.each([
    ['/foo', ['Foo']],
    ['/foo/bar', ['Foo.Bar']],
    ['/foo/bar/x', ['Foo.Bar', 'x']],
    ['/foo/bar/getDeep', ['Foo.Bar.GetDeep']],
    ['/foo/bar/get-deep/x', ['Foo.Bar.GetDeep', 'x']],
    ['/foo/getDeep', ['Foo', 'getDeep']],
    ['/foo/default', ['Foo', 'default']],
    ['/foo/inherited', ['Foo', 'inherited']],
    ['/foo/baseController', ['Foo', 'baseController']],
    ['/foo/_Hidden', ['Foo', '_Hidden']],
    ['/foo/other', ['Foo', 'other']],
    ['/outer/inner', ['Outer.Inner']],
  ])('%s → %j', async (target, expected) => {
    const { app } = await appOf(files)
    expect((await inject(app, 'GET', target)).json()).toEqual(expected)
  })

  test('a class without a verb of its own → 405; its inner class alone → 404', async () => {
    const { app } = await appOf(files)
    expect((await inject(app, 'GET', '/outer')).status).toBe(405)
    expect((await inject(app, 'GET', '/bar')).status).toBe(404)
  })
})

test('a class: made by a second copy of the package → reachable', async () => {
  const text = `
    class Endpoint { static [Symbol.for('waybill.endpoint')] = true; constructor(services, call) { this.call = call } }
    export class Foo extends Endpoint { GET() { return this.call.path } }`
  const { app } = await appOf({ 'index.ts': text })
  expect((await inject(app, 'GET', '/foo')).json()).toBe('/foo')
})
