/** Bodies that are refused before their arguments are checked: by type, size or syntax. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/web/app.ts'
import { type InjectOptions, inject } from '../../src/web/inject.ts'
import { appOf, code, type RecordingLog } from '../_support/trees.ts'

let app: App
let log: RecordingLog
beforeAll(async () => {
  const text = code(`
    export class Echo extends Endpoint { POST({ ...all }) { return all } }
    export class Defaults extends Endpoint {
      static keywords = { POST: Type.Object({ n: Type.Integer({ default: 1 }), any: Type.Union([Type.Object({}), Type.Null()]) }) }
      POST({ n }) { return n }
    }`)
  ;({ app, log } = await appOf({ 'index.ts': text }, { bodyLimit: 1_000_000 }))
})

async function post(options: InjectOptions, path = '/echo'): Promise<[number, string?]> {
  const { status, json } = await inject(app, 'POST', path, options)
  return status === 200 ? [200] : [status, (json() as { message: string }).message]
}

describe('type of a body', () => {
  test.each([
    ['text/plain', '{}'],
    ['application/xml', '<a/>'],
    ['application/jsonp', '{}'],
    ['text/json', '{}'],
    ['application/octet-stream', '{}'],
    ['multipart/mixed; boundary=X', '--X--'],
    ['json', '{}'],
    [';', '{}'],
    ['constructor', '{}'],
  ])('%s → 415', async (type, body) => {
    const name = type.split(';')[0]
    expect(await post({ headers: { 'content-type': type }, body })).toEqual([
      415,
      `A body of type "${name}" is not accepted. Send application/json or a form.`,
    ])
  })

  test.each(['latin1', 'utf-16', '"ISO-8859-1"'])('charset %s → 415', async (charset) => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded'])
      expect(await post({ headers: { 'content-type': `${type}; charset=${charset}` }, body: 'a=1' })).toEqual(
        [415, `A body in "${charset.replaceAll('"', '').toLowerCase()}" is not accepted. Send it in UTF-8.`],
      )
  })

  test.each(['utf-8', 'UTF-8', 'utf8', '"utf-8"', 'us-ascii'])('charset %s → accepted', async (charset) => {
    const headers = { 'content-type': `application/json;charset=${charset}` }
    expect(await post({ headers, body: '{}' })).toEqual([200])
  })

  test.each(['gzip', 'br', 'x-whatever'])('content-encoding %s → 415', async (encoding) => {
    expect(await post({ headers: { 'content-encoding': encoding }, body: '{}' })).toEqual([
      415,
      `A body in content-encoding "${encoding}" is not accepted. Send it without an encoding.`,
    ])
    expect(await post({ headers: { 'content-encoding': 'Identity' }, body: '{}' })).toEqual([200])
  })

  test('JSON declared as a form → 415', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await post({ headers, body: '{"a":1}' })).toEqual([
      415,
      'The body looks like JSON, but its Content-Type is a form. Send Content-Type: application/json.',
    ])
  })
})

describe('syntax of a body', () => {
  test.each(['[]', '[{}]', 'null', 'true', '1', '"a"', ' \n0'])(
    'JSON that is no object, %s → 400',
    async (body) => {
      expect(await post({ body })).toEqual([
        400,
        'The body must be a JSON object, with the parameters as its members.',
      ])
    },
  )

  test.each(['{', '{"a":1,}', "{'a':1}", '{"a":NaN}', 'a=1', '{}{}', '{"a":"\t"}', ' ', '\ufeff{}'])(
    'no JSON, %j → 400',
    async (body) => {
      expect(await post({ body })).toEqual([400, expect.stringMatching(/^The body is not valid JSON: ./)])
    },
  )

  test.each([
    [[0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]],
    [[0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]],
    [[0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('JSON that is not UTF-8, %j → 400', async (bytes) => {
    expect(await post({ body: Uint8Array.from(bytes) })).toEqual([
      400,
      'The body is not UTF-8. Send JSON encoded as UTF-8.',
    ])
  })

  test.each(['a=%', 'a=%zz', '%ff=1', 'a=%C3%28', 'a=1&b=%ED%A0%80'])(
    'a malformed percent-encoding, %s → 400',
    async (text) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const refused = (where: string) => [
        400,
        `A percent-encoding in the ${where} is malformed. Encode "%" itself as %25.`,
      ]
      expect(await post({ headers, body: text })).toEqual(refused('form'))
      expect(await post({}, `/echo?${text}`)).toEqual(refused('query'))
    },
  )

  const FIELD = 'Content-Disposition: form-data; name="a"'
  test.each([
    ['no boundary', 'multipart/form-data', '--X--'],
    ['another boundary', 'multipart/form-data; boundary=Y', `--X\r\n${FIELD}\r\n\r\n1\r\n--X--`],
    ['no multipart at all', 'multipart/form-data; boundary=X', 'a=1'],
    ['an end within a field', 'multipart/form-data; boundary=X', `--X\r\n${FIELD}\r\n\r\n1`],
    ['an end within a file', 'multipart/form-data; boundary=X', `--X\r\n${FIELD}; filename="f"\r\n\r\n1`],
    [
      'an end within a second file',
      'multipart/form-data; boundary=X',
      `--X\r\n${FIELD}; filename="f"\r\n\r\n1\r\n`.repeat(2),
    ],
    ['an end within the headers', 'multipart/form-data; boundary=X', `--X\r\n${FIELD}`],
    [
      'too many parts',
      'multipart/form-data; boundary=X',
      `${`--X\r\n${FIELD}\r\n\r\n1\r\n`.repeat(1001)}--X--`,
    ],
  ])('a multipart body with %s → 400', async (_what, type, body) => {
    expect(await post({ headers: { 'content-type': type }, body })).toEqual([
      400,
      expect.stringMatching(/^The multipart body does not parse: ./),
    ])
  })

  test('nested 100,000 levels deep → 400, not a server error', async () => {
    const deep = `{"any":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
    expect(await post({ body: deep }, '/defaults')).toEqual([
      400,
      'The parameters are nested too deeply. Use fewer levels.',
    ])
    expect(log.lines).toEqual([])
  })
})

describe('size of a body', () => {
  test.each([
    ['declared as too large → 413', { headers: { 'content-length': '101' }, body: '{}' }, 413],
    [
      'larger than declared → 413',
      { headers: { 'content-length': '5' }, body: `{"a":"${'x'.repeat(100)}"}` },
      413,
    ],
    [
      'of unknown length, too large → 413',
      {
        headers: { 'transfer-encoding': 'chunked', 'content-length': '0' },
        body: `{"a":"${'x'.repeat(100)}"}`,
      },
      413,
    ],
    ['just within the limit → 200', { body: `{"a":"${'x'.repeat(92)}"}` }, 200],
  ])('%s', async (_what, options, expected) => {
    const small = await appOf(
      { 'index.ts': code('export class Echo extends Endpoint { POST({ a }) { return a } }') },
      { bodyLimit: 100 },
    )
    const { status, json } = await inject(small.app, 'POST', '/echo', options)
    expect(status).toBe(expected)
    if (expected === 413)
      expect(json()).toEqual({
        error: 'Payload Too Large',
        message: 'The body is larger than 100 bytes. Send a smaller one.',
      })
  })
})

test('onRefusal: keyword arguments are refused → called with the reason and the positional arguments before the answer', async () => {
  const text = code(`
    export class Note extends Endpoint {
      static keywords = { POST: Type.Object({ n: Type.Integer() }) }
      POST(name, { n }) { return n }
      async onRefusal({ message }, name) { await null; this.services.refused.push([name, message]) }
    }`)
  const services = 'export const open = ({ refused }) => ({ refused })'
  const refused: unknown[] = []
  const { app: noting } = await appOf(
    { 'index.ts': text, '_services.ts': services },
    { context: { refused } },
  )
  for (const body of ['{}', '{', '{"n":1}']) await inject(noting, 'POST', '/note/a', { body })
  expect(refused).toEqual([
    ['a', 'Parameter "n" is missing: expected an integer.'],
    ['a', expect.stringContaining('not valid JSON')],
  ])
})
