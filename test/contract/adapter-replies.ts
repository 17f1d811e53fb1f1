/** Part of the adapter contract: the value that a handler returns or throws becomes status, headers and body. */
import { expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach } from './adapter.ts'

const JSON_VALUES: [source: string, text: string][] = [
  [`'say "hi"'`, '"say \\"hi\\""'],
  [`''`, '""'],
  ['42.5', '42.5'],
  ['false', 'false'],
  ['null', 'null'],
  ['[1, [2]]', '[1,[2]]'],
  [`{ a: { b: 'grüß 日本 🚀' } }`, '{"a":{"b":"grüß 日本 🚀"}}'],
  [`new RawJson('{"id": 1.0}')`, '{"id": 1.0}'],
]

export function replyCases(reach: Reach): void {
  test.each(JSON_VALUES)('a value: %s → 200 with JSON', async (value, text) => {
    const { send } = await reach({
      'index.ts': code(`export class Value extends Endpoint { GET() { return ${value} } }`),
    })
    const answer = await send('GET', '/value')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.text()).toBe(text)
  })

  test('a class that needs a token: each answer, errors too → cache-control: no-store', async () => {
    const { send } = await reach({
      '_services.ts': `export const authenticate = (services, authorization) =>
        authorization ? { id: 'ann', roles: [authorization] } : null`,
      'index.ts': code(`export class Value extends Endpoint {
        static access = 'MAN'
        static keywords = { POST: Type.Object({ n: Type.Integer() }) }
        GET() { return 1 }
        PUT() {}
        POST({ n }) { throw new HttpError(409, 'Taken.') }
        DELETE() { return new Reply(202, new Uint8Array(3), { headers: { 'X-Note': 'a' } }) }
        async *PATCH() { yield 'a' }
      }`),
    })
    const as = (authorization: string) => ({ headers: { authorization }, body: { n: 1 } })
    const expected: [number, string, string, object][] = [
      [401, 'GET', '/value', {}],
      [403, 'GET', '/value', { headers: { authorization: 'DEVISE' } }],
      [200, 'GET', '/value', { headers: { authorization: 'MAN' } }],
      [200, 'HEAD', '/value', { headers: { authorization: 'MAN' } }],
      [204, 'PUT', '/value', as('MAN')],
      [409, 'POST', '/value', as('MAN')],
      [400, 'POST', '/value?n=x', { headers: { authorization: 'MAN' } }],
      [202, 'DELETE', '/value', as('MAN')],
      [200, 'PATCH', '/value', as('MAN')],
      [405, 'TRACE', '/value', { headers: { authorization: 'MAN' } }],
      [404, 'GET', '/value/extra', { headers: { authorization: 'MAN' } }],
    ]
    for (const [status, method, target, options] of expected) {
      const answer = await send(method, target, options)
      const seen = [answer.status, method, answer.headers['cache-control']]
      expect(seen).toEqual([status, method, 'no-store'])
    }
  })

  test('a class that needs a token: its own Cache-Control → unchanged, and sent once', async () => {
    const { send } = await reach({
      '_services.ts': `export const authenticate = () => ({ id: 'ann', roles: [] })`,
      'index.ts': code(`export class Value extends Endpoint {
        GET() { return new Reply(200, 1, { headers: { 'Cache-Control': 'private, max-age=5' } }) }
      }`),
    })
    expect((await send('GET', '/value')).headers['cache-control']).toBe('private, max-age=5')
  })

  test('a public class: a value → no Cache-Control; an error → no-store', async () => {
    const { send } = await reach({
      'index.ts': code('export class Value extends Endpoint { GET() { return 1 } }'),
    })
    expect((await send('GET', '/value')).headers).not.toHaveProperty('cache-control')
    expect((await send('GET', '/nothing')).headers['cache-control']).toBe('no-store')
  })

  test('a value: none → 204 without a body', async () => {
    const { send } = await reach({ 'index.ts': code('export class Value extends Endpoint { PUT() {} }') })
    const answer = await send('PUT', '/value')
    expect(answer.status).toBe(204)
    expect(answer.headers).not.toHaveProperty('content-type')
    expect(answer.headers).not.toHaveProperty('content-length')
    expect(answer.bytes).toHaveLength(0)
  })

  test('a value: a promise → awaited', async () => {
    const { send } = await reach({
      'index.ts': code('export class Value extends Endpoint { async GET() { await null; return 1 } }'),
    })
    expect((await send('GET', '/value')).json()).toBe(1)
  })

  test('a value: bytes → unchanged, application/octet-stream', async () => {
    const { send } = await reach({
      'index.ts': code(`export class Value extends Endpoint {
        GET() { return Uint8Array.from({ length: 256 }, (_, i) => i) }
      }`),
    })
    const answer = await send('GET', '/value')
    expect(answer.headers['content-type']).toBe('application/octet-stream')
    expect([...answer.bytes]).toEqual(Array.from({ length: 256 }, (_, i) => i))
  })

  test('Reply: status, headers and type are set → sent so', async () => {
    const { send } = await reach({
      'index.ts': code(`
        export class Made extends Endpoint {
          POST() { return new Reply(201, { id: 7 }, { headers: { Location: '/made/7' } }) }
        }
        export class Page extends Endpoint {
          GET() { return new Reply(200, Buffer.from('<p>'), { headers: { 'Content-Type': 'text/html' } }) }
        }
        export class Old extends Endpoint { GET() { return new Reply(304, 'same', { headers: { etag: '"1"' } }) } }`),
    })
    const made = await send('POST', '/made')
    expect([made.status, made.headers.location, made.json()]).toEqual([201, '/made/7', { id: 7 }])
    const page = await send('GET', '/page')
    expect([page.headers['content-type'], page.text()]).toEqual(['text/html', '<p>'])
    const old = await send('GET', '/old')
    expect([old.status, old.headers.etag, old.text()]).toEqual([304, '"1"', ''])
  })

  test.each([
    ['Robots_txt', '/robots.txt', 'text/plain; charset=utf-8'],
    ['Page_html', '/page.html', 'text/html; charset=utf-8'],
    ['Feed_xml', '/feed.xml', 'application/xml'],
    ['Rows_csv', '/rows.csv', 'text/csv; charset=utf-8'],
    ['Logo_svg', '/logo.svg', 'image/svg+xml'],
    ['Site_css', '/site.css', 'text/css; charset=utf-8'],
    ['App_js', '/app.js', 'text/javascript; charset=utf-8'],
    ['Notes_md', '/notes.md', 'text/markdown; charset=utf-8'],
    ['Api_yaml', '/api.yaml', 'application/yaml'],
  ])('class %s: a string → as it is, as %s; an object → JSON', async (name, path, type) => {
    const { send } = await reach({
      'index.ts': code(
        `export class ${name} extends Endpoint { GET({ o = '' }) { return o ? { o } : 'grüß "x"' } }`,
      ),
    })
    const text = await send('GET', path)
    expect([text.status, text.headers['content-type'], text.text()]).toEqual([200, type, 'grüß "x"'])
    const value = await send('GET', `${path}?o=1`)
    expect([value.headers['content-type'], value.json()]).toEqual(['application/json', { o: '1' }])
  })

  test('class Data_json, static media and a type of the Reply → decide about strings', async () => {
    const { send } = await reach({
      'index.ts': code(`
        export class Data_json extends Endpoint { GET() { return 'a' } }
        export class Day extends Endpoint {
          static media = { GET: 'text/calendar' }
          GET() { return 'BEGIN' }
          PUT() { return 'put' }
          POST() { return new Reply(201, '<p>', { headers: { 'Content-Type': 'text/html' } }) }
          PATCH() { return new Reply(200, 'x', { headers: { 'content-type': 'application/vnd.api+json' } }) }
        }
        export class Made_txt extends Endpoint { POST() { return new Reply(201, 'made') } }`),
    })
    for (const [method, path, type, text] of [
      ['GET', '/data.json', 'application/json', '"a"'],
      ['GET', '/day', 'text/calendar', 'BEGIN'],
      ['PUT', '/day', 'application/json', '"put"'],
      ['POST', '/day', 'text/html', '<p>'],
      ['PATCH', '/day', 'application/vnd.api+json', '"x"'],
      ['POST', '/made.txt', 'text/plain; charset=utf-8', 'made'],
    ] as const) {
      const answer = await send(method, path)
      expect([method, path, answer.headers['content-type'], answer.text()]).toEqual([
        method,
        path,
        type,
        text,
      ])
    }
  })

  test('a header: a list of values → a line for each', async () => {
    const { send } = await reach({
      'index.ts': code(`export class Value extends Endpoint {
        GET() { return new Reply(200, 1, { headers: { 'Set-Cookie': ['a=1', 'b=2'], 'x-none': [] } }) }
      }`),
    })
    const { headers } = await send('GET', '/value')
    expect(headers['set-cookie']).toBe('a=1, b=2')
    expect(headers).not.toHaveProperty('x-none')
  })

  test('HEAD: a class with GET → the status and type of GET, no body', async () => {
    const { send } = await reach({
      'index.ts': code(`export class Value extends Endpoint { GET() { return this.call.method } }`),
    })
    const answer = await send('HEAD', '/value')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.bytes).toHaveLength(0)
  })

  test('OPTIONS: a class with GET and PUT → 204, Allow lists the methods', async () => {
    const { send } = await reach({
      'index.ts': code('export class Value extends Endpoint { GET() {}  PUT() {} }'),
    })
    const answer = await send('OPTIONS', '/value')
    expect([answer.status, answer.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, PUT'])
  })

  test('a method: the class lacks it → 405, Allow lists the methods', async () => {
    const { send } = await reach({ 'index.ts': code('export class Value extends Endpoint { GET() {} }') })
    const answer = await send('DELETE', '/value')
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(answer.json()).toMatchObject({ error: 'Method Not Allowed' })
  })

  test('a path: no class answers it → 404', async () => {
    const { send } = await reach({ 'index.ts': code('export class Value extends Endpoint { GET() {} }') })
    const answer = await send('GET', '/other')
    expect(answer.status).toBe(404)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.json()).toEqual({ error: 'Not Found', message: expect.stringContaining('/other') })
  })

  test('an error: HttpError → its status, message, headers and fields; nothing logged', async () => {
    const { send, log } = await reach({
      'index.ts': code(`export class Value extends Endpoint {
        async GET() {
          throw new HttpError(429, 'Slow down.', { headers: { 'retry-after': '3' }, fields: { left: 0 } })
        }
      }`),
    })
    const answer = await send('GET', '/value')
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '3'])
    expect(answer.json()).toEqual({ error: 'Too Many Requests', message: 'Slow down.', left: 0 })
    expect(log.lines).toEqual([])
  })

  test.each([
    ['at once', 'GET() { throw new Error("db://root:secret@host") }'],
    ['later', 'async GET() { await null; throw new Error("db://root:secret@host") }'],
    ['as text', 'GET() { throw "db://root:secret@host" }'],
  ])('an error: thrown %s → 500, logged, its text is not sent', async (_, method) => {
    const { send, log } = await reach({
      'index.ts': code(`export class Value extends Endpoint { ${method} }`),
    })
    const answer = await send('GET', '/value')
    expect(answer.status).toBe(500)
    expect(answer.json()).toMatchObject({ error: 'Internal Server Error' })
    expect(answer.text()).not.toContain('secret')
    expect(log.lines).toMatchObject([{ level: 'error', fields: { request: 'GET /value' } }])
    const cause = (log.lines[0]?.fields.err as Error | string | undefined) ?? ''
    expect(String(cause)).toContain('secret')
  })

  const HEADS: [what: string, status: string, name: string, value: string, problem: string][] = [
    [
      'a line break in a value',
      '200',
      `'x-name'`,
      `'a\\r\\nset-cookie: evil=1'`,
      '"x-name" has the character U+000D',
    ],
    ['LF in a value', '200', `'x-name'`, `'a\\nset-cookie: evil=1'`, '"x-name" has the character U+000A'],
    ['CR in a value', '200', `'x-name'`, `'a\\rset-cookie: evil=1'`, '"x-name" has the character U+000D'],
    ['NUL in a value', '200', `'x-name'`, `'a\\0'`, '"x-name" has the character U+0000'],
    ['DEL in a value', '200', `'x-name'`, `'a\\x7f'`, '"x-name" has the character U+007F'],
    ['a value that is no ASCII', '200', `'x-name'`, `'ü'`, '"x-name" has the character U+00FC'],
    ['a value beyond Latin-1', '200', `'x-name'`, `'€'`, '"x-name" has the character U+20AC'],
    [
      'a redirect to two lines',
      '302',
      `'Location'`,
      `'/a\\r\\n\\r\\n<script>'`,
      '"location" has the character U+000D',
    ],
    [
      'a file name of two lines',
      '200',
      `'content-disposition'`,
      `'attachment; filename="a\\r\\nset-cookie: evil=1"'`,
      '"content-disposition" has the character U+000D',
    ],
    ['a line break in a name', '200', `'x: y\\r\\nset-cookie'`, `'evil=1'`, 'a name must be a token'],
    ['a space in a name', '200', `'x y'`, `'z'`, 'a name must be a token'],
    ['an empty name', '200', `''`, `'z'`, 'a name must be a token'],
    ['a value that is a number', '200', `'x-name'`, '5', 'a value must be a string'],
    ['a list with a number', '200', `'x-name'`, `['a', 1]`, 'a value must be a string'],
    ['a list with CR LF', '200', `'x-name'`, `['a', 'b\\r\\nset-cookie: evil=1']`, 'the character U+000D'],
    ['no value', '200', `'x-name'`, 'undefined', 'a value must be a string'],
    ['a status below 200', '100', `'x-name'`, `'z'`, 'must be an integer of'],
    ['a status above 599', '600', `'x-name'`, `'z'`, 'must be an integer of'],
    [
      'a status of several lines',
      `'200 OK\\r\\nset-cookie: evil=1\\r\\nx:'`,
      `'x-name'`,
      `'z'`,
      'must be an integer',
    ],
  ]

  test.each(HEADS)('a head that HTTP forbids: %s → 500, logged, nothing of it is sent', async (...all) => {
    const [, status, name, value, problem] = all
    const head = `{ headers: { [${name}]: ${value} } }`
    const failed = ['200', '302'].includes(status) ? '409' : status
    const { send, log } = await reach({
      'index.ts': code(`
        export class AtOnce extends Endpoint { GET() { return new Reply(${status}, 1, ${head}) } }
        export class Later extends Endpoint { async GET() { return new Reply(${status}, 1, ${head}) } }
        export class Empty extends Endpoint { async GET() { return new Reply(${status}, undefined, ${head}) } }
        export class Thrown extends Endpoint { GET() { throw new HttpError(${failed}, 'x', ${head}) } }
        export class ThrownLater extends Endpoint { async GET() { throw new HttpError(${failed}, 'x', ${head}) } }`),
    })
    for (const path of ['/at-once', '/later', '/empty', '/thrown', '/thrown-later']) {
      const answer = await send('GET', path)
      expect([path, answer.status]).toEqual([path, 500])
      expect(answer.json()).toEqual({
        error: 'Internal Server Error',
        message: 'An unexpected error occurred. The cause is in the server log.',
      })
      expect(answer.headers).not.toHaveProperty('set-cookie')
      expect(answer.headers).not.toHaveProperty('x-name')
      const { fields } = log.lines.at(-1) ?? {}
      expect(fields).toMatchObject({ request: `GET ${path}` })
      expect(String(fields?.err)).toContain(problem)
    }
    expect(log.lines).toHaveLength(5)
  })

  test('a header value: tab, quotes and percent-encoding → sent unchanged', async () => {
    const value = `attachment;\tfilename="a b.txt"; filename*=UTF-8''%C3%BC%0D%0A`
    const { send } = await reach({
      'index.ts': code(`export class Value extends Endpoint {
        GET() { return new Reply(200, 1, { headers: { 'Content-Disposition': ${JSON.stringify(value)} } }) }
      }`),
    })
    expect((await send('GET', '/value')).headers['content-disposition']).toBe(value)
  })

  test('the error table of a prefix: its headers throw or break the line → 500, logged', async () => {
    const { send, log } = await reach({
      'index.ts': code(`
        export class Value extends Endpoint {
          async GET({ code }) { throw Object.assign(new Error(), { code }) }
        }`),
      '_services.ts': `
        export const open = ({ stage }) => ({ stage })
        export const errors = {
          throws: { status: 400, when: '', headers() { throw new Error('no header') } },
          breaks: { status: 400, when: '', headers: () => ({ a: 'b\\r\\nset-cookie: evil=1' }) },
        }`,
    })
    for (const code of ['throws', 'breaks'])
      expect((await send('GET', `/value?code=${code}`)).status).toBe(500)
    expect(log.lines.map(({ fields }) => String(fields.err))).toEqual([
      'Error: no header',
      expect.stringContaining('"a" has the character U+000D'),
    ])
  })
}
