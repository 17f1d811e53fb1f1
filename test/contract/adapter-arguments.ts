/** Part of the adapter contract: the path, the query and the body become the arguments of a handler. */
import { expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach } from './adapter.ts'

/** Classes that answer with the arguments they were called with. */
const ECHO = {
  'index.ts': code(`
    export class Echo extends Endpoint {
      static headers = ['x-tag']
      GET(...path) { return { path, sent: this.call.path, tag: this.call.headers['x-tag'], remote: this.call.remote } }
      POST({ ...all }) { return all }
    }
    export class Query extends Endpoint { GET({ ...all }) { return all } }
    export class Typed extends Endpoint {
      static keywords = { GET: Type.Object({ n: Type.Integer(), on: Type.Boolean(), list: Type.Array(Type.Number()) }) }
      GET({ n, on, list }) { return { n, on, list } }
    }
    export class Upload extends Endpoint {
      POST({ note, file }) {
        return { note, name: file.filename, type: file.mediaType, bytes: [...file.bytes] }
      }
    }`),
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export function argumentCases(reach: Reach): void {
  test('path: %2F in a segment → decoded, and still one segment', async () => {
    const { send } = await reach(ECHO)
    const answer = await send('GET', '/echo/a%2Fb/%C3%BC%20%F0%9F%9A%80/c+d//%2e%2e')
    expect(answer.json()).toMatchObject({
      path: ['a/b', 'ü 🚀', 'c+d', '..'],
      sent: '/echo/a%2Fb/%C3%BC%20%F0%9F%9A%80/c+d//%2e%2e',
    })
  })

  test('call: a class names a header → its handler gets that header alone, and the address of the client', async () => {
    const { send } = await reach(ECHO)
    const answer = await send('GET', '/echo', { headers: { 'X-Tag': 'blue', 'X-Other': 'red' } })
    expect(answer.json()).toMatchObject({ tag: 'blue', remote: '127.0.0.1' })
  })

  test('query: encoded names and values, one name twice → decoded, the two values as a list', async () => {
    const { send } = await reach(ECHO)
    const answer = await send('GET', '/query?a=1&b=x%26y+z&a=2&%C3%BC=%C3%9F&empty=&q=a?b=c')
    expect(answer.json()).toEqual({ a: ['1', '2'], b: 'x&y z', ü: 'ß', empty: '', q: 'a?b=c' })
  })

  test('query: a schema of types → converted values, or 400 that names the parameter', async () => {
    const { send } = await reach(ECHO)
    expect((await send('GET', '/typed?n=3&on=true&list=1&list=2.5')).json()).toEqual({
      n: 3,
      on: true,
      list: [1, 2.5],
    })
    const wrong = await send('GET', '/typed?n=three&on=true&list=1')
    expect([wrong.status, wrong.text()]).toEqual([400, expect.stringContaining('n')])
  })

  test('body: a JSON object in UTF-8 → the keyword arguments', async () => {
    const { send } = await reach(ECHO)
    const body = { text: 'grüß 日本 🚀', nested: { list: [1, null, true] } }
    expect((await send('POST', '/echo', { body })).json()).toEqual(body)
  })

  test('body: JSON without a content type, a query beside it → the value of the body counts', async () => {
    const { send } = await reach(ECHO)
    const answer = await send('POST', '/echo?a=query&b=query', { body: '{"a":"body"}' })
    expect(answer.json()).toEqual({ a: 'body', b: 'query' })
  })

  test('body: a urlencoded form → the keyword arguments', async () => {
    const { send } = await reach(ECHO)
    const answer = await send('POST', '/echo', { headers: FORM, body: 'a=1&b=%C3%BC+x&a=2' })
    expect(answer.json()).toEqual({ a: ['1', '2'], b: 'ü x' })
  })

  test('body: a multipart form → fields and files', async () => {
    const { send } = await reach(ECHO)
    const file = Buffer.from([0, 13, 10, 45, 45, 255])
    const body = Buffer.concat([
      Buffer.from('--cut\r\nContent-Disposition: form-data; name="note"\r\n\r\ngrüß\r\n'),
      Buffer.from('--cut\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n'),
      Buffer.from('Content-Type: image/x-own\r\n\r\n'),
      file,
      Buffer.from('\r\n--cut--\r\n'),
    ])
    const headers = { 'content-type': 'multipart/form-data; boundary=cut' }
    const answer = await send('POST', '/upload', { headers, body })
    expect(answer.json()).toEqual({ note: 'grüß', name: 'a.bin', type: 'image/x-own', bytes: [...file] })
  })

  test('body: a file input left empty → a missing value, also in a list and where it is required', async () => {
    const { send } = await reach({
      'index.ts': code(`import { File } from 'waybill'
      export class Optional extends Endpoint {
        static keywords = { POST: Type.Object({ file: Type.Optional(File()), note: Type.String() }) }
        POST({ file, note }) { return [file === undefined, note] }
      }
      export class List extends Endpoint {
        static keywords = { POST: Type.Object({ files: Type.Array(File()) }) }
        POST({ files }) { return files.map(({ filename, bytes }) => [filename, bytes.length]) }
      }
      export class Required extends Endpoint {
        static keywords = { POST: Type.Object({ file: File() }) }
        POST({ file }) { return file.filename }
      }`),
    })
    const part = (name: string, filename: string, content = ''): string =>
      `--cut\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n`
    const note = '--cut\r\nContent-Disposition: form-data; name="note"\r\n\r\nx\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=cut' }
    const post = (path: string, ...parts: string[]) =>
      send('POST', path, { headers, body: `${parts.join('')}--cut--\r\n` })
    expect((await post('/optional', part('file', ''), note)).json()).toEqual([true, 'x'])
    expect((await post('/list', part('files', ''), part('files', 'a', 'abc'))).json()).toEqual([['a', 3]])
    expect((await post('/list', part('files', 'empty'))).json()).toEqual([['empty', 0]])
    for (const path of ['/required', '/list']) {
      const refused = await post(path, part(path === '/list' ? 'files' : 'file', ''))
      expect([refused.status, refused.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'Bad Request' }),
      ])
    }
  })

  test.each([
    ['a percent-encoding in the path', 'GET', '/echo/100%', {}],
    ['a percent-encoding that is no UTF-8', 'GET', '/echo/%ff', {}],
    ['a percent-encoding in the query', 'GET', '/query?a=%zz', {}],
    ['a percent-encoding in a form', 'POST', '/echo', { headers: FORM, body: 'a=%f' }],
    ['JSON', 'POST', '/echo', { body: '{"a":' }],
    ['JSON that is no object', 'POST', '/echo', { body: '[1]' }],
    [
      'JSON that is no UTF-8',
      'POST',
      '/echo',
      { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
    ],
    ['multipart', 'POST', '/echo', { headers: { 'content-type': 'multipart/form-data' }, body: 'x' }],
  ])('malformed: %s → 400, nothing logged', async (_, method, target, options) => {
    const { send, log } = await reach(ECHO)
    const answer = await send(method, target, options)
    expect(answer.status).toBe(400)
    expect(answer.json()).toEqual({ error: 'Bad Request', message: expect.any(String) })
    expect(log.lines).toEqual([])
  })

  test.each([
    ['another type', { 'content-type': 'text/plain' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['compressed', { 'content-encoding': 'gzip' }],
  ])('body: %s → 415', async (_, headers) => {
    const { send } = await reach(ECHO)
    expect((await send('POST', '/echo', { headers, body: '{}' })).status).toBe(415)
  })

  test('body: as long as the limit → accepted; one byte more → 413', async () => {
    const { send } = await reach(ECHO, { bodyLimit: 20 })
    const fits = '{"a":"0123456789ab"}'
    expect((await send('POST', '/echo', { body: fits })).json()).toEqual({ a: '0123456789ab' })
    const answer = await send('POST', '/echo', { body: `${fits} ` })
    expect(answer.status).toBe(413)
    expect(answer.json()).toEqual({ error: 'Payload Too Large', message: expect.stringContaining('20') })
  })
}
