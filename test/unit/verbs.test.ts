/** The method of a class that is called, and the answer when the class has none. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/web/app.ts'
import { isRouted, NO_BODY, omitBodyForHead } from '../../src/web/http.ts'
import { inject } from '../../src/web/inject.ts'
import { appOf, code } from '../_support/trees.ts'

const REST = "GET() { return 'got' } POST() { return 'posted' } DELETE() { return 'deleted' }"

let app: App
beforeAll(async () => {
  ;({ app } = await appOf({
    'index.ts': code(`
      export class Rest extends Endpoint { ${REST} }
      export class Any extends Endpoint { ANY() { return 'any ' + this.call.method } }
      export class Both extends Endpoint { ANY() { return 'any ' + this.call.method } ${REST} }
      export class Head extends Endpoint { GET() { return 'got' } HEAD() { return 'a longer answer' } }
      export class Cors extends Endpoint { GET() { return 'got' } OPTIONS() { return 'own options' } }
      export class None extends Endpoint { static GET() { return 'static' } }
      export class Derived extends Both { PUT() { return 'put' } DELETE() { return 'own' } }
      export class Webdav extends Endpoint { PROPFIND() { return 'found' } QUERY() { return 'queried' } }
    `),
  }))
})

test.each([
  ['GET', '/rest', 'got'],
  ['POST', '/rest', 'posted'],
  ['DELETE', '/rest', 'deleted'],
  ['GET', '/any', 'any GET'],
  ['PUT', '/any', 'any PUT'],
  ['PROPFIND', '/any', 'any PROPFIND'],
  ['GET', '/both', 'got'],
  ['PATCH', '/both', 'any PATCH'],
  ['OPTIONS', '/cors', 'own options'],
  ['GET', '/derived', 'got'],
  ['PUT', '/derived', 'put'],
  ['DELETE', '/derived', 'own'],
  ['PATCH', '/derived', 'any PATCH'],
  ['PROPFIND', '/webdav', 'found'],
])('method: %s %s → %j', async (method, path, expected) => {
  const { status, json } = await inject(app, method, path)
  expect([status, json()]).toEqual([200, expected])
})

describe('HEAD', () => {
  test('a class with GET → its answer without the body', async () => {
    const { status, bytes, headers } = await inject(app, 'HEAD', '/rest')
    expect([status, bytes.length, headers['content-type']]).toEqual([200, 0, 'application/json'])
  })

  test('a class with GET and ANY → GET', async () => {
    expect((await inject(app, 'HEAD', '/both')).status).toBe(200)
  })

  test('a class with HEAD → its own method, without the body', async () => {
    const own = app.route(head('HEAD', '/head'))
    const response = omitBodyForHead(app, 'HEAD', '/', isRouted(own) ? await own.run(NO_BODY) : own)
    expect([response.body, response.length]).toEqual([null, '"a longer answer"'.length])
  })
})

describe('OPTIONS', () => {
  test.each([
    ['/rest', 'DELETE, GET, HEAD, OPTIONS, POST'],
    ['/rest/one/argument/too/many', 'DELETE, GET, HEAD, OPTIONS, POST'],
    ['/webdav', 'OPTIONS, PROPFIND, QUERY'],
    ['/none', 'OPTIONS'],
  ])('%s → 204 with Allow: %s', async (path, allow) => {
    const { status, headers, bytes } = await inject(app, 'OPTIONS', path)
    expect([status, headers, bytes.length]).toEqual([204, { allow }, 0])
  })

  test('an unknown path → 404', async () => {
    expect((await inject(app, 'OPTIONS', '/nothing')).status).toBe(404)
  })
})

describe('a verb that the class lacks', () => {
  test.each([
    ['PUT', '/rest', 'DELETE, GET, HEAD, OPTIONS, POST'],
    ['PATCH', '/head', 'GET, HEAD, OPTIONS'],
    ['GET', '/none', 'OPTIONS'],
    ['HEAD', '/none', 'OPTIONS'],
    ['GET', '/webdav', 'OPTIONS, PROPFIND, QUERY'],
  ])('%s %s → 405 with Allow: %s', async (method, path, allow) => {
    const { status, headers, text } = await inject(app, method, path)
    expect([status, headers.allow]).toEqual([405, allow])
    if (method !== 'HEAD')
      expect(JSON.parse(text())).toEqual({
        error: 'Method Not Allowed',
        message: `${method} is not available here. Use one of ${allow}.`,
      })
  })
})

test.each(['get', 'Get', 'ANY', 'FOO', 'constructor', '__proto__', 'toString', ''])(
  'method: "%s", unknown to HTTP → 501 on every path',
  async (method) => {
    for (const path of ['/any', '/rest', '/nothing', '*']) {
      const { status, json } = await inject(app, method, path)
      expect([status, json()]).toEqual([
        501,
        {
          error: 'Not Implemented',
          message: `HTTP has no method "${method}". Use one like GET or POST, in upper case.`,
        },
      ])
    }
  },
)

function head(method: string, path: string) {
  const { signal } = new AbortController()
  const remote = '127.0.0.1'
  return {
    method,
    path,
    query: '',
    length: 0,
    header: () => undefined,
    remote: () => remote,
    signal: () => signal,
  }
}
