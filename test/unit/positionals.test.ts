/** The rest of the path behind the class becomes the positional arguments of the method. */

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/web/app.ts'
import { inject } from '../../src/web/inject.ts'
import { answers, appOf, code } from '../_support/trees.ts'

let app: App
beforeAll(async () => {
  ;({ app } = await appOf({
    'index.ts': code(`
      ${answers('Rest')}
      export class None extends Endpoint { GET() { return [] } }
      export class Two extends Endpoint { GET(a, b) { return [a, b] } }
      export class Optional extends Endpoint { GET(a, b = 'B', c = 'C') { return [a, b, c] } }
      export class Keywords extends Endpoint { GET(a = 'A', b = 'B', { k = 'K' } = {}) { return [a, b, k] } }
      export class Tail extends Endpoint { GET(a, b = 'B', ...rest) { return [a, b, rest] } }
      export class Typed extends Endpoint {
        static positionals = { GET: [Type.Integer({ minimum: 1 }), Choice(['up', 'down']), Type.Boolean()] }
        GET(_id, way, ...flags) { return [_id, way, flags] }
      }
    `),
  }))
})

async function get(target: string): Promise<unknown> {
  const { status, json } = await inject(app, 'GET', target)
  return status === 200 ? json() : [status, (json() as { message: string }).message]
}

test.each([
  ['/rest/a%20b', ['Rest', 'a b']],
  ['/rest/a+b', ['Rest', 'a+b']],
  ['/rest/%C3%A9%F0%9F%98%80', ['Rest', 'é😀']],
  ['/rest/a%2Fb/c', ['Rest', 'a/b', 'c']],
  ['/rest/a%2fb', ['Rest', 'a/b']],
  ['/rest/%2F', ['Rest', '/']],
  ['/rest/%252F', ['Rest', '%2F']],
  ['/rest/%3Fx=1/%23', ['Rest', '?x=1', '#']],
  ['/rest/a;b=1,2', ['Rest', 'a;b=1,2']],
  ['/rest//a///b//', ['Rest', 'a', 'b']],
  ['/rest/', ['Rest']],
  ['/rest/%20', ['Rest', ' ']],
  ['/rest/../rest', ['Rest', '..', 'rest']],
])('segments: %s → %j', async (target, expected) => {
  expect(await get(target)).toEqual(expected)
})

test.each([
  '/rest/%',
  '/rest/%2',
  '/rest/%zz',
  '/rest/%C3',
  '/rest/%C3%28',
  '/rest/%FF',
  '/rest/%ED%A0%80',
  '/%',
])('segments: %s is malformed → 400', async (target) => {
  expect(await get(target)).toEqual([
    400,
    'A percent-encoding in the path is malformed. Encode "%" itself as %25.',
  ])
})

test('segments: any list of encoded texts → the same texts', async () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 })
  await fc.assert(
    fc.asyncProperty(fc.array(text), async (texts) => {
      expect(await get(`/rest/${texts.map(encodeURIComponent).join('/')}`)).toEqual(['Rest', ...texts])
    }),
  )
})

describe('number of arguments', () => {
  test.each([
    ['/none', []],
    ['/two/1/2', ['1', '2']],
    ['/optional/1', ['1', 'B', 'C']],
    ['/optional/1/2', ['1', '2', 'C']],
    ['/optional/1/2/3', ['1', '2', '3']],
    ['/keywords', ['A', 'B', 'K']],
    ['/keywords/1', ['1', 'B', 'K']],
    ['/keywords?k=x', ['A', 'B', 'x']],
    ['/keywords/1/2?k=x', ['1', '2', 'x']],
    ['/tail/1', ['1', 'B', []]],
    ['/tail/1/2', ['1', '2', []]],
    ['/tail/1/2/3/4', ['1', '2', ['3', '4']]],
  ])('%s → %j', async (target, expected) => {
    expect(await get(target)).toEqual(expected)
  })

  test.each([
    ['/none/1', 'The path has 1 arguments; expected 0.'],
    ['/two', 'The path has 0 arguments; expected 2.'],
    ['/two/1', 'The path has 1 arguments; expected 2.'],
    ['/two/1//', 'The path has 1 arguments; expected 2.'],
    ['/two/1/2/3', 'The path has 3 arguments; expected 2.'],
    ['/optional', 'The path has 0 arguments; expected 1 to 3.'],
    ['/optional/1/2/3/4', 'The path has 4 arguments; expected 1 to 3.'],
    ['/keywords/1/2/3', 'The path has 3 arguments; expected 0 to 2.'],
    ['/tail', 'The path has 0 arguments; expected 1 or more.'],
  ])('%s → 404: %s', async (target, message) => {
    expect(await get(target)).toEqual([404, message])
  })
})

describe('schemas of arguments', () => {
  test.each([
    ['/typed/7/up', [7, 'up', []]],
    ['/typed/%37/down/true/false', [7, 'down', [true, false]]],
  ])('%s → %j', async (target, expected) => {
    expect(await get(target)).toEqual(expected)
  })

  test.each([
    ['/typed/0/up', '"id" in the path is not valid: expected an integer of at least 1.'],
    ['/typed/1.0/up', '"id" in the path is not valid: expected an integer of at least 1.'],
    ['/typed/0x1/up', '"id" in the path is not valid: expected an integer of at least 1.'],
    ['/typed/%201/up', '"id" in the path is not valid: expected an integer of at least 1.'],
    ['/typed/1e3/up', '"id" in the path is not valid: expected an integer of at least 1.'],
    ['/typed/9007199254740993/up', '"id" in the path is not valid: expected an integer of at least 1.'],
    ['/typed/1/UP', '"way" in the path is not valid: expected one of up, down.'],
    ['/typed/1/constructor', '"way" in the path is not valid: expected one of up, down.'],
    ['/typed/1/up/true/yes', '"flags" in the path is not valid: expected true or false.'],
  ])('%s → 400: %s', async (target, message) => {
    expect(await get(target)).toEqual([400, message])
  })
})
