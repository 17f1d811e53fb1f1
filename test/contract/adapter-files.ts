/** Part of the adapter contract: a class that extends Files serves a directory from memory. */
import { describe, expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach } from './adapter.ts'

const FILES = `import { Files } from 'waybill'
`
const TREE = {
  'assets.ts': `${FILES}export class Default extends Files { static directory = 'public' }`,
  'public/app.js': 'throw new Error("a script for browsers was loaded")',
  'public/app.3f2a9c1b.css': 'a { color: red }',
  'public/report-20260101.txt': 'report',
  'public/grüß dich.txt': 'hello',
  'public/letters.txt': 'abcdefghij',
  'public/empty.bin': '',
  'public/strange.constructor': '1',
  'public/index.html': '<h1>root</h1>',
  'public/docs/index.html': '<h1>docs</h1>',
  'public/docs/deep/page.html': 'page',
  'public/.secret': 'hidden',
  'public/.well/known': 'hidden',
  'public/packed.js': 'plain',
  'public/packed.js.br': 'brotli',
  'public/packed.js.gz': 'gzip',
  'secret.txt': 'outside',
}

export function fileCases(reach: Reach): void {
  test('a file → its bytes, type, ETag and headers', async () => {
    const { send } = await reach(TREE)
    const { status, headers, text } = await send('GET', '/assets/app.js')
    expect([status, text()]).toEqual([200, TREE['public/app.js']])
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      'accept-ranges': 'bytes',
    })
    expect(headers.etag).toMatch(/^"[\w-]{27}"$/)
    expect(headers).not.toHaveProperty('vary')
  })

  test.each([
    ['/assets/app.3f2a9c1b.css', 'text/css; charset=utf-8', 'max-age=31536000, immutable'],
    ['/assets/report-20260101.txt', 'text/plain; charset=utf-8', 'no-cache'],
    ['/assets/gr%C3%BC%C3%9F%20dich.txt', 'text/plain; charset=utf-8', 'no-cache'],
    ['/assets/empty.bin', 'application/octet-stream', 'no-cache'],
    ['/assets/strange.constructor', 'application/octet-stream', 'no-cache'],
    ['/assets/docs/deep/page.html', 'text/html; charset=utf-8', 'no-cache'],
    ['//assets//docs/index.html', 'text/html; charset=utf-8', 'no-cache'],
  ])('%s → %s, %s', async (target, type, cache) => {
    const { send } = await reach(TREE)
    const { status, headers } = await send('GET', target)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, cache])
  })

  test.each([
    '/assets/.secret',
    '/assets/.well/known',
    '/assets/nothing.js',
    '/assets/App.js',
    '/assets/app.js/',
    '/assets/docs/deep',
    '/assets/docs/deep/',
    '/assets/../secret.txt',
    '/assets/%2e%2e/secret.txt',
    '/assets/..%2fsecret.txt',
    '/assets/%2e%2e%2fsecret.txt',
    '/assets/%252e%252e%252fsecret.txt',
    '/assets/..%5csecret.txt',
    '/assets/..\\secret.txt',
    '/assets/....//secret.txt',
    '/assets/docs/../../secret.txt',
    '/assets/docs%2findex.html',
    '/assets/%2fetc%2fpasswd',
    '/assets//etc/passwd',
    '/assets/app.js%00',
    '/assets/app.js%00.html',
    '/assets/./app.js%2f',
    '/assets/__proto__',
    '/assets/constructor',
    '/public/app.js',
    '/secret.txt',
  ])('%s → 404', async (target) => {
    const { send } = await reach(TREE)
    const answer = await send('GET', target)
    expect([answer.status, answer.text()]).toEqual([404, expect.not.stringContaining('outside')])
  })

  test.each(['/assets/%c0%ae%c0%ae/secret.txt', '/assets/%', '/assets/%zz'])('%s → 400', async (target) => {
    const { send } = await reach(TREE)
    expect((await send('GET', target)).status).toBe(400)
  })

  describe('index', () => {
    test.each([
      ['/assets/', 200, '<h1>root</h1>', undefined],
      ['/assets/docs/', 200, '<h1>docs</h1>', undefined],
      ['/assets', 308, '', './assets/'],
      ['/assets/docs', 308, '', './docs/'],
      ['/assets/docs?a=%2F&b', 308, '', './docs/?a=%2F&b'],
      ['//assets', 308, '', './assets/'],
    ])('%s → %i', async (target, status, text, location) => {
      const { send } = await reach(TREE)
      const answer = await send('GET', target)
      expect([answer.status, answer.text(), answer.headers.location]).toEqual([status, text, location])
    })

    test('static index: null → a directory is 404; another name → that file', async () => {
      const { send } = await reach({
        ...TREE,
        'assets.ts': `${FILES}
          export class None extends Files { static directory = 'public'; static index = null }
          export class Letters extends Files { static directory = 'public'; static index = 'letters.txt' }`,
      })
      expect((await send('GET', '/assets/none/')).status).toBe(404)
      expect((await send('GET', '/assets/none/index.html')).status).toBe(200)
      expect((await send('GET', '/assets/letters/')).text()).toBe('abcdefghij')
    })
  })

  describe('places of the class', () => {
    test.each([
      ['index.ts', "export class Default extends Files { static directory = 'public' }", '/letters.txt'],
      [
        'index.ts',
        "export class Assets extends Files { static directory = './public/' }",
        '/assets/letters.txt',
      ],
      [
        'public.ts',
        "export class Default extends Files { static directory = 'public' }",
        '/public/letters.txt',
      ],
      ['a/b.ts', "export class Default extends Files { static directory = '../public' }", '/a/b/letters.txt'],
      [
        'a.ts',
        "import { Endpoint } from 'waybill'; export class Outer extends Endpoint { static Inner = class extends Files { static directory = 'public' } }",
        '/a/outer/inner/letters.txt',
      ],
    ])('%s: %s → %s', async (file, source, target) => {
      const { 'assets.ts': _, 'public/app.js': __, ...files } = TREE
      const { send } = await reach({ ...files, 'public/index.js': 'not a module', [file]: FILES + source })
      expect((await send('GET', target)).text()).toBe('abcdefghij')
    })

    test('a method of the class beside GET → answers; a subclass may check first', async () => {
      const { send } = await reach({
        ...TREE,
        'assets.ts': code(`import { Files } from 'waybill'
          export class Default extends Files {
            static directory = 'public'
            static headers = [...Files.headers, 'x-key']
            GET(...path) {
              if (this.call.headers['x-key'] !== 'k') throw new HttpError(403, 'Send the key.')
              return super.GET(...path)
            }
            DELETE() { return 'gone' }
          }`),
      })
      expect((await send('GET', '/assets/app.js')).status).toBe(403)
      expect((await send('GET', '/assets/app.js', { headers: { 'x-key': 'k' } })).status).toBe(200)
      expect((await send('DELETE', '/assets')).json()).toBe('gone')
      expect((await send('POST', '/assets/app.js')).status).toBe(405)
    })
  })

  test('HEAD → the headers of GET without a body; a range is ignored', async () => {
    const { send } = await reach(TREE)
    const get = await send('GET', '/assets/letters.txt')
    const head = await send('HEAD', '/assets/letters.txt', { headers: { range: 'bytes=0-1' } })
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    const { date: _, 'content-length': __, ...own } = head.headers
    expect(get.headers).toMatchObject(own)
  })

  test('If-None-Match: the ETag, in a list, weak or * → 304 without body; another → 200', async () => {
    const { send } = await reach(TREE)
    const etag = (await send('GET', '/assets/letters.txt')).headers.etag as string
    for (const ifNoneMatch of [etag, `"a", ${etag}`, `W/${etag}`, '*']) {
      const { status, bytes, headers } = await send('GET', '/assets/letters.txt', {
        headers: { 'if-none-match': ifNoneMatch, range: 'bytes=0-1' },
      })
      expect([status, bytes.length, headers.etag, headers['cache-control']]).toEqual([
        304,
        0,
        etag,
        'no-cache',
      ])
    }
    const other = await send('GET', '/assets/letters.txt', { headers: { 'if-none-match': '"other"' } })
    expect(other.status).toBe(200)
  })

  describe('ranges of ten bytes', () => {
    test.each([
      ['bytes=0-3', 206, 'abcd', 'bytes 0-3/10'],
      ['bytes=8-', 206, 'ij', 'bytes 8-9/10'],
      ['bytes=-3', 206, 'hij', 'bytes 7-9/10'],
      ['bytes=-30', 206, 'abcdefghij', 'bytes 0-9/10'],
      ['bytes=5-5', 206, 'f', 'bytes 5-5/10'],
      ['BYTES = 0-0', 206, 'a', 'bytes 0-0/10'],
      [`bytes=9-${'9'.repeat(400)}`, 206, 'j', 'bytes 9-9/10'],
      ['bytes=0-1,3-4', 200, 'abcdefghij', undefined],
      ['bytes=5-2', 200, 'abcdefghij', undefined],
      ['bytes=-', 200, 'abcdefghij', undefined],
      ['bytes=a-b', 200, 'abcdefghij', undefined],
      ['lines=0-1', 200, 'abcdefghij', undefined],
      ['bytes=10-', 416, expect.stringContaining('The file has 10 bytes.'), 'bytes */10'],
      ['bytes=-0', 416, expect.anything(), 'bytes */10'],
      [`bytes=${'9'.repeat(400)}-`, 416, expect.anything(), 'bytes */10'],
    ])('%s → %i', async (range, status, text, contentRange) => {
      const { send } = await reach(TREE)
      const answer = await send('GET', '/assets/letters.txt', { headers: { range } })
      expect([answer.status, answer.text(), answer.headers['content-range']]).toEqual([
        status,
        text,
        contentRange,
      ])
    })

    test('an empty file: the last bytes → the whole; the first → 416', async () => {
      const { send } = await reach(TREE)
      const get = (range: string) => send('GET', '/assets/empty.bin', { headers: { range } })
      expect([(await get('bytes=-1')).status, (await get('bytes=0-')).status]).toEqual([200, 416])
    })

    test('If-Range: the ETag → the range; another, weak or a date → the whole', async () => {
      const { send } = await reach(TREE)
      const etag = (await send('GET', '/assets/letters.txt')).headers.etag as string
      const get = async (ifRange: string) =>
        (await send('GET', '/assets/letters.txt', { headers: { range: 'bytes=0-0', 'if-range': ifRange } }))
          .status
      expect(await get(etag)).toBe(206)
      for (const other of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2015 07:28:00 GMT'])
        expect(await get(other)).toBe(200)
    })
  })

  describe('precompressed', () => {
    test.each([
      [undefined, 'plain', undefined],
      ['gzip', 'gzip', 'gzip'],
      ['gzip, deflate, br', 'brotli', 'br'],
      ['gzip;q=1.0, br;q=0.5', 'gzip', 'gzip'],
      ['br;q=0, gzip;q=0.1', 'gzip', 'gzip'],
      ['identity, br;q=0.5', 'plain', undefined],
      ['*', 'brotli', 'br'],
      ['*;q=0', 'plain', undefined],
      ['BR ; Q=0.3', 'brotli', 'br'],
      ['zstd', 'plain', undefined],
      ['gzip;q=zzz', 'plain', undefined],
      [',;,', 'plain', undefined],
    ])('Accept-Encoding: %s → %s', async (accepted, text, encoding) => {
      const { send } = await reach(TREE)
      const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-encoding': accepted }
      const answer = await send('GET', '/assets/packed.js', { headers })
      expect([answer.text(), answer.headers['content-encoding']]).toEqual([text, encoding])
      expect(answer.headers).toMatchObject({
        vary: 'Accept-Encoding',
        'content-type': 'text/javascript; charset=utf-8',
      })
    })

    test('the ETag of one encoding → does not match the other', async () => {
      const { send } = await reach(TREE)
      const packed = { 'accept-encoding': 'br' }
      const { etag } = (await send('GET', '/assets/packed.js', { headers: packed })).headers
      const again = (headers: Record<string, string>) =>
        send('GET', '/assets/packed.js', { headers: { ...headers, 'if-none-match': etag as string } })
      const same = await again(packed)
      expect([same.status, same.headers.vary]).toEqual([304, 'Accept-Encoding'])
      expect((await again({})).status).toBe(200)
    })
  })

  describe('rules', () => {
    const guarded = (statics: string) => ({
      ...TREE,
      '_services.ts': `export const authenticate = (services, authorization) =>
        authorization ? { id: 'ann', roles: [authorization] } : null`,
      'assets.ts': `${FILES}export class Default extends Files { static directory = 'public'; ${statics} }`,
    })
    const asMan = { headers: { authorization: 'MAN', origin: 'https://a.example' } }

    test('access → checked; caches of others may not store the file', async () => {
      const { send } = await reach(guarded("static access = 'MAN'"))
      expect((await send('GET', '/assets/app.js')).status).toBe(401)
      expect((await send('GET', '/assets/nothing.js')).status).toBe(401)
      const { status, headers } = await send('GET', '/assets/app.3f2a9c1b.css', asMan)
      expect([status, headers['cache-control']]).toEqual([200, 'private, max-age=31536000, immutable'])
    })

    test('static cache and cors → as for any class', async () => {
      const { send } = await reach(guarded("static cache = { maxAge: 5 }; static cors = { origins: '*' }"))
      const { headers } = await send('GET', '/assets/app.3f2a9c1b.css', asMan)
      expect(headers['cache-control']).toBe('private, max-age=5')
      expect(headers['access-control-allow-origin']).toBe('*')
    })
  })
}
