/** The class that answers a path: prefixes, modules and names. Other tests cover the work of the class. */
import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/web/app.ts'
import { inject } from '../../src/web/inject.ts'
import { codePoint } from '../_support/code-point.ts'
import { answers, appOf, code, type Files, writeIn } from '../_support/trees.ts'

/** Returns the class that answered with the rest of the path, or the status. */
async function answer(app: App, target: string): Promise<unknown> {
  const { status, json } = await inject(app, 'GET', target)
  return status === 200 ? json() : status
}

describe('a member class', () => {
  const verb = (name: string, behind: number, parameters: string): string =>
    `export class ${name} extends Endpoint { static member = ${behind}; GET(${parameters}) { return ['${name}', ...arguments] } }\n`

  test('behind one or two segments → found, with these as its first arguments', async () => {
    const { app } = await appOf({
      'jobs.ts': code(
        verb('Cancel', 1, 'id') +
          verb('Retry', 1, 'id, how') +
          verb('Swap', 2, 'a, b') +
          answers('List') +
          answers('Default'),
      ),
      'plain.ts': code(verb('Cancel', 1, 'id')),
    })
    expect(await answer(app, '/jobs/7/cancel')).toEqual(['Cancel', '7'])
    expect(await answer(app, '/jobs/cancel/cancel')).toEqual(['Cancel', 'cancel'])
    expect(await answer(app, '/jobs/7/retry/now')).toEqual(['Retry', '7', 'now'])
    expect(await answer(app, '/jobs/1/2/swap')).toEqual(['Swap', '1', '2'])
    expect(await answer(app, '/jobs/list/cancel')).toEqual(['Cancel', 'list'])
    expect(await answer(app, '/jobs/7/cancel/x')).toBe(404)
    expect(await answer(app, '/jobs/7')).toEqual(['Default', '7'])
    expect(await answer(app, '/jobs/cancel')).toEqual(['Default', 'cancel'])
    expect(await answer(app, '/jobs/7/swap')).toEqual(['Default', '7', 'swap'])
    expect(await answer(app, '/jobs/list/7')).toEqual(['List', '7'])
    expect(await answer(app, '/plain/cancel')).toBe(404)
  })

  test.each([
    ['too few arguments', verb('A', 2, 'a, b = 1'), /A, GET: static member is 2/],
    [
      'no number',
      `export class A extends Endpoint { static member = 'x'; GET() {} }`,
      /static member must be/,
    ],
    [
      'a nested class',
      `export class A extends Endpoint { static B = class extends Endpoint { static member = 1; GET(a) {} } }`,
      /only for exported classes/,
    ],
  ])('%s → the start is refused', async (_what, text, problem) => {
    await expect(appOf({ 'a.ts': code(text) })).rejects.toThrow(problem)
  })
})

describe('search in the tree', () => {
  let app: App
  beforeAll(async () => {
    ;({ app } = await appOf({
      'index.ts': code(answers('Default', 'top') + answers('Foo') + answers('Deep', 'top Deep')),
      'a.ts': code(answers('Default', 'a') + answers('Foo', 'a Foo')),
      'a/b/c/index.ts': code(answers('D')),
      'bare/inner.ts': code(answers('Default', 'bare/inner')),
      'folder/index.ts': code(answers('Default', 'folder') + answers('Foo', 'folder Foo')),
      'plain.js': code(answers('Default', 'js')),
      'modern.mts': code(answers('Default', 'mts')),
      'script.mjs': code(answers('Default', 'mjs')),
      'noDefault.ts': code(answers('Only')),
      'empty/notes.txt': 'no code here',
    }))
  })

  test.each([
    ['/', ['top']],
    ['/foo', ['Foo']],
    ['/foo/1/2', ['Foo', '1', '2']],
    ['/nobody', ['top', 'nobody']],
    ['/a', ['a']],
    ['/a/foo', ['a Foo']],
    ['/a/x/y', ['a', 'x', 'y']],
    ['/folder', ['folder']],
    ['/folder/foo/x', ['folder Foo', 'x']],
    ['/plain', ['js']],
    ['/modern', ['mts']],
    ['/script', ['mjs']],
    ['/bare/inner/x', ['bare/inner', 'x']],
    ['/a/b/c/d/e', ['D', 'e']],
    ['/no-default/only', ['Only']],
  ])('%s → %j', async (target, expected) => {
    expect(await answer(app, target)).toEqual(expected)
  })

  // The deepest module has no handler for the rest. A shallower one, or Default at the top, would have one.
  test.each([
    '/a/b',
    '/a/b/foo',
    '/a/b/c',
    '/a/b/c/foo',
    '/bare',
    '/bare/foo',
    '/no-default',
    '/no-default/foo',
  ])('%s → 404, not the handler of a shallower module', async (target) => {
    expect(await answer(app, target)).toBe(404)
  })

  test('a directory without code → no module', async () => {
    expect(await answer(app, '/empty/x')).toEqual(['top', 'empty', 'x'])
  })

  test('empty segments and a query → ignored', async () => {
    expect(await answer(app, '//a///foo//x/?y=1')).toEqual(['a Foo', 'x'])
  })

  test('the absolute form of a target → the same class', async () => {
    expect(await answer(app, 'http://example.org:8080/a/foo')).toEqual(['a Foo'])
    expect(await answer(app, 'HTTP://example.org')).toEqual(['top'])
  })

  test.each(['GET', 'PUT'])('%s * → 404; OPTIONS * → 204', async (method) => {
    expect((await inject(app, method, '*')).status).toBe(404)
    expect((await inject(app, 'OPTIONS', '*')).status).toBe(204)
  })

  test.each([
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'hasOwnProperty',
    'GET',
    'name',
    '..',
    '.',
    '%2e%2e',
    '..%2f..%2f',
    '%252e%252e',
    '%2561',
    '%00',
    'index',
    'index.ts',
    'a.ts',
    'a%2Ffoo',
    'default',
    'Default',
  ])('the segment %s → an argument', async (segment) => {
    const decoded = decodeURIComponent(segment)
    expect(await answer(app, `/${segment}`)).toEqual(['top', decoded])
    expect(await answer(app, `/a/${segment}/foo`)).toEqual(['a', decoded, 'foo'])
    expect(await answer(app, `/bare/${segment}`)).toBe(404)
  })

  test('random paths → 200, 400 or 404', async () => {
    const odd = fc.constantFrom(
      '..',
      '%2e',
      '%',
      '__proto__',
      'constructor',
      'a',
      'foo',
      '',
      '*',
      '%ff',
      'http:',
    )
    const segment = fc.oneof(odd, fc.string(), fc.string({ unit: codePoint }).map(encodeAny))
    await fc.assert(
      fc.asyncProperty(fc.array(segment), async (segments) => {
        const { status } = await inject(app, 'GET', `/${segments.join('/')}`)
        expect([200, 400, 404]).toContain(status)
      }),
    )
  })
})

/** Percent-encodes each byte of a text. */
const encodeAny = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

describe('names', () => {
  let app: App
  beforeAll(async () => {
    const classes = ['GetLastMessage', 'Foo', 'Foo_txt', 'HTTPStatus', 'V2Api', 'ÜberSicht', '$Cash', 'lower']
    ;({ app } = await appOf({
      'index.ts': code(classes.map((name) => answers(name)).join('')),
      'savedMessages.ts': code(answers('Default', 'savedMessages')),
      'old-messages.ts': code(answers('Default', 'old-messages')),
      'well.known.ts': code(answers('Default', 'well.known')),
    }))
  })

  test.each([
    ['getLastMessage', 'GetLastMessage'],
    ['get-last-message', 'GetLastMessage'],
    ['get_last_message', 'GetLastMessage'],
    ['GetLastMessage', 'GetLastMessage'],
    ['Get-Last_message', 'GetLastMessage'],
    ['%67etLastMessage', 'GetLastMessage'],
    ['foo', 'Foo'],
    ['Foo', 'Foo'],
    ['foo.txt', 'Foo_txt'],
    ['httpStatus', 'HTTPStatus'],
    ['http-status', 'HTTPStatus'],
    ['v2Api', 'V2Api'],
    ['v2-api', 'V2Api'],
    ['%C3%BCberSicht', 'ÜberSicht'],
    ['$cash', '$Cash'],
    ['lower', 'lower'],
    ['savedMessages', 'savedMessages'],
    ['saved-messages', 'savedMessages'],
    ['saved_messages', 'savedMessages'],
    ['oldMessages', 'old-messages'],
    ['well.known', 'well.known'],
    ['well-known', 'well.known'],
  ])('/%s → %s', async (segment, name) => {
    expect(await answer(app, `/${segment}`)).toEqual([name])
  })

  test.each(['getlastmessage', 'get--last-message', 'fo-o', 'foo.', '-foo', 'foo txt', 'foo%2Etxt%20'])(
    '/%s → 404',
    async (segment) => {
      expect(await answer(app, `/${segment}`)).toBe(404)
    },
  )
})

describe('ignored files', () => {
  test.each([
    '_hidden.ts',
    '.hidden.ts',
    'hidden.d.ts',
    'hidden.d.mts',
    'hidden.test.ts',
    'hidden.test.helper.ts',
    '_hidden/index.ts',
    '.hidden/index.ts',
    'node_modules/hidden.ts',
    'hidden.json',
    'hidden.tsx',
    'hidden.ts.bak',
  ])('%s → no module, and not loaded', async (file) => {
    const { app } = await appOf({ 'index.ts': code(answers('Foo')), [file]: 'this is no code' })
    const name = file.split('/')[0]?.split('.')[0] || 'hidden'
    for (const segment of [name, file, 'hidden', '_hidden', 'node_modules/hidden'])
      expect(await answer(app, `/${segment}`)).toBe(404)
  })
})

describe('several prefixes', () => {
  const first: Files = {
    'index.ts': code(answers('Foo', 'first Foo')),
    'a.ts': code(answers('X', 'first a X')),
  }
  const second: Files = {
    'index.ts': code(answers('Foo', 'second Foo') + answers('Bar', 'second Bar')),
    'a.ts': code(answers('X', 'second a X') + answers('Y', 'second a Y')),
  }

  test.each([
    ['/foo', ['first Foo'], ['second Foo']],
    ['/bar', ['second Bar'], ['second Bar']],
    ['/a/x', ['first a X'], ['second a X']],
    ['/a/y', ['second a Y'], ['second a Y']],
    ['/a/z', 404, 404],
  ])('%s → the first prefix that has it', async (target, inOrder, reversed) => {
    expect(await answer((await appOf([first, second])).app, target)).toEqual(inOrder)
    expect(await answer((await appOf([second, first])).app, target)).toEqual(reversed)
  })
})

test('files: removed or added after the start → no effect on requests', async () => {
  const { app, site } = await appOf({ 'index.ts': code(answers('Foo')), 'a/b.ts': code(answers('Bar')) })
  for (const { path } of site.prefixes) {
    rmSync(path, { recursive: true })
    writeIn(path, 'late.ts', code(answers('Default', 'late')))
  }
  expect(await answer(app, '/foo')).toEqual(['Foo'])
  expect(await answer(app, '/a/b/bar')).toEqual(['Bar'])
  expect(await answer(app, '/late')).toBe(404)
})
