/** Query, forms and JSON become one set of keyword arguments. A missing or unknown one is refused by name. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/web/app.ts'
import { type InjectOptions, inject } from '../../src/web/inject.ts'
import { appOf, code } from '../_support/trees.ts'

let app: App
beforeAll(async () => {
  ;({ app } = await appOf(
    {
      'index.ts': code(`
      export class Echo extends Endpoint { POST({ ...all }) { return all } }
      export class Some extends Endpoint { POST({ a, b: renamed = 'B' }) { return { a, renamed } } }
      export class None extends Endpoint { POST() { return 'called with ' + arguments.length } }
      export class Odd extends Endpoint { POST({ constructor, __proto__: proto, toString: text = 0 }) { return [constructor, proto, text] } }
      export class Strict extends Endpoint {
        static keywords = {
          POST: Type.Object({
            id: Type.Integer(),
            limit: Type.Integer({ default: 10 }),
            deep: Type.Optional(Type.Object({ on: Type.Boolean({ default: true }) })),
          }, { additionalProperties: false }),
        }
        POST({ id, limit, deep }) { return { id, limit, deep } }
      }
      export class Safe extends Endpoint {
        static keywords = { POST: Type.Object({ user: Text(), password: Maybe(Secret()) }) }
        POST({ user, password }) { return [user, password] }
      }`),
    },
    { bodyLimit: 2000 },
  ))
})

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=X' }

const part = (head: string, body: string) =>
  `--X\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`

/** Returns the arguments of the handler, or the status and the message. */
async function post(target: string, options: InjectOptions = {}): Promise<unknown> {
  const { status, json } = await inject(app, 'POST', target, options)
  return status === 200 ? json() : `${status} ${(json() as { message: string }).message}`
}

describe('sources', () => {
  test.each<[string, string, InjectOptions, object]>([
    ['query', '/echo?a=1&b=x%20y+z&%63=%26', {}, { a: '1', b: 'x y z', c: '&' }],
    ['a name without a value', '/echo?a&b=', {}, { a: '', b: '' }],
    ['a query name given twice is a list', '/echo?a=1&b=2&a=3&a=', {}, { a: ['1', '3', ''], b: '2' }],
    [
      'an urlencoded form',
      '/echo',
      { headers: FORM, body: 'a=1&b=%C3%A9+x&a=2' },
      { a: ['1', '2'], b: 'é x' },
    ],
    [
      'a multipart form',
      '/echo',
      { headers: MULTIPART, body: `${part('name="a"', '1')}${part('name="b"', 'é\r\n')}--X--` },
      { a: '1', b: 'é\r\n' },
    ],
    [
      'a multipart name given twice',
      '/echo',
      { headers: MULTIPART, body: `${part('name="a"', '1')}${part('name="a"', '2')}--X--` },
      { a: ['1', '2'] },
    ],
    [
      'a JSON object',
      '/echo',
      { body: { a: 1, b: [true, null], c: { d: 'e' } } },
      { a: 1, b: [true, null], c: { d: 'e' } },
    ],
    ['JSON without a media type', '/echo', { body: '{"a":1}' }, { a: 1 }],
    [
      'JSON by another name',
      '/echo',
      { headers: { 'content-type': 'Application/Problem+JSON; charset="UTF-8"' }, body: '{"a":1}' },
      { a: 1 },
    ],
    [
      'query and JSON (the body wins)',
      '/echo?a=1&b=2',
      { body: { b: null, c: 3 } },
      { a: '1', b: null, c: 3 },
    ],
    [
      'query and form (the body wins)',
      '/echo?a=1&b=2&b=3',
      { headers: FORM, body: 'b=4' },
      { a: '1', b: '4' },
    ],
    [
      'query and multipart (the body wins)',
      '/echo?a=1',
      { headers: MULTIPART, body: `${part('name="a"', '2')}--X--` },
      { a: '2' },
    ],
    ['no body, whatever its type', '/echo?a=1', { headers: { 'content-type': 'image/png' } }, { a: '1' }],
    [
      'a parameter without a name in a form',
      '/echo',
      { headers: MULTIPART, body: `${part('x="a"', '1')}--X--` },
      {},
    ],
  ])('%s → the keyword arguments', async (_what, target, options, expected) => {
    expect(await post(target, options)).toEqual(expected)
  })

  test('a file of a form → its name, type and bytes', async () => {
    const file = part('name="f"; filename="a.txt"', 'abc')
    expect(await post('/echo', { headers: MULTIPART, body: `${file}--X--` })).toEqual({
      f: {
        filename: 'a.txt',
        mediaType: 'text/plain',
        bytes: { type: 'Buffer', data: [...Buffer.from('abc')] },
      },
    })
  })

  test('a method without keywords → called without arguments, its body is ignored', async () => {
    for (const body of ['{}', 'no json', '[]'])
      expect(await post('/none?a=1', { headers: JSON_TYPE, body })).toBe('called with 0')
  })
})

describe('keywords of a strict schema', () => {
  test.each<[string, object | undefined, unknown]>([
    ['?id=1', undefined, { id: 1, limit: 10 }],
    ['?id=1&limit=2', undefined, { id: 1, limit: 2 }],
    ['?id=1', { limit: 3 }, { id: 1, limit: 3 }],
    ['', { id: 1, deep: {} }, { id: 1, limit: 10, deep: { on: true } }],
    ['', undefined, '400 Parameter "id" is missing: expected an integer.'],
    ['', { limit: 1 }, '400 Parameter "id" is missing: expected an integer.'],
    ['', { id: null }, '400 Parameter "id" is not valid: expected an integer, not null.'],
    ['?id=x', undefined, '400 Parameter "id" is not valid: expected an integer.'],
    ['?id=', undefined, '400 Parameter "id" is missing: expected an integer.'],
    ['?id', undefined, '400 Parameter "id" is not valid: expected an integer.'],
    ['?id=1&limit=', undefined, { id: 1, limit: 10 }],
    ['?id=1&other=1', undefined, '400 Parameter "other" is not known. Omit it.'],
    ['?id=1', { other: 1 }, '400 Parameter "other" is not known. Omit it.'],
    ['?id=1&a%2Fb~c=1', undefined, '400 Parameter "a/b~c" is not known. Omit it.'],
  ])('%s with body %j → %j', async (query, body, expected) => {
    expect(await post(`/strict${query}`, body === undefined ? {} : { body })).toEqual(expected)
  })

  test('no schema: a key without a default → required', async () => {
    expect(await post('/some?a=1')).toEqual({ a: '1', renamed: 'B' })
    expect(await post('/some?a=1&b=2&c=3')).toEqual({ a: '1', renamed: '2' })
    expect(await post('/some', { body: { a: null } })).toEqual({ a: null, renamed: 'B' })
    expect(await post('/some?renamed=1')).toBe('400 Parameter "a" is missing.')
    expect(await post('/some', { body: {} })).toBe('400 Parameter "a" is missing.')
  })
})

describe('names of members that every object has', () => {
  const SENT = '{"constructor":{"prototype":{"polluted":2}},"toString":3}'

  test('in JSON, query and forms → keyword arguments, the prototype is unchanged', async () => {
    const { text } = await inject(app, 'POST', '/echo', { headers: JSON_TYPE, body: SENT })
    expect(text()).toBe(SENT)
    expect(await post('/echo', { headers: JSON_TYPE, body: '{"__proto__":{"polluted":1}}' })).toBe(
      '400 The body has a member "__proto__", which is not accepted. Rename it.',
    )
    const pairs = '__proto__=1&constructor=2&toString=3&__proto__=4'
    const echoed = '{"__proto__":["1","4"],"constructor":"2","toString":"3"}'
    expect((await inject(app, 'POST', `/echo?${pairs}`)).text()).toBe(echoed)
    expect((await inject(app, 'POST', '/echo', { headers: FORM, body: pairs })).text()).toBe(echoed)
    const body = `${part('name="__proto__"', '1')}${part('name="constructor"', '2')}--X--`
    expect((await inject(app, 'POST', '/echo', { headers: MULTIPART, body })).text()).toBe(
      '{"__proto__":"1","constructor":"2"}',
    )
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('absent → missing, not inherited', async () => {
    expect(await post('/odd')).toBe('400 Parameter "constructor" is missing.')
    expect(await post('/odd?constructor=1')).toBe('400 Parameter "__proto__" is missing.')
    expect(await post('/odd?constructor=1&__proto__=2')).toEqual(['1', '2', 0])
  })

  test.each(['__proto__', 'constructor', 'hasOwnProperty'])('%s with a strict schema → 400', async (name) => {
    const refused = `400 Parameter "${name}" is not known. Omit it.`
    expect(await post(`/strict?id=1&${name}=1`)).toBe(refused)
    expect(await post('/strict', { headers: JSON_TYPE, body: `{"id":1,"${name}":1}` })).toBe(refused)
  })
})

describe('a secret', () => {
  const form = { headers: FORM, body: 'password=p' }

  test.each([
    ['JSON', '/safe?user=u', { body: { password: 'p' } }],
    ['a form', '/safe?user=u', form],
    [
      'a multipart form',
      '/safe?user=u',
      { headers: MULTIPART, body: `${part('name="password"', 'p')}--X--` },
    ],
  ])('in %s → accepted', async (_where, target, options) => {
    expect(await post(target, options)).toEqual(['u', 'p'])
  })

  test.each([
    ['alone', '/safe?user=u&password=p', {}],
    ['percent-encoded', '/safe?user=u&%70assword=p', {}],
    ['empty', '/safe?user=u&password', {}],
    ['twice', '/safe?user=u&password=p&password=q', {}],
    ['and in a form', '/safe?user=u&password=p', form],
    ['and in JSON', '/safe?user=u&password=p', { body: { password: 'p' } }],
  ])('in the query, %s → 400 that says where to put it', async (_how, target, options) => {
    expect(await post(target, options)).toBe(
      '400 Parameter "password" is in the URL, which proxies and logs keep. Send it in the body.',
    )
  })
})
