/** A raw member reaches the handler as the text that the client sent. The length of a text is counted in characters. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/web/app.ts'
import { RawJson } from '../../src/web/endpoint.ts'
import { inject } from '../../src/web/inject.ts'
import { extractRawMembers, parseObject } from '../../src/web/json.ts'
import { RawJsonValue, Type } from '../../src/web/schema.ts'
import { KeywordValidator } from '../../src/web/validators.ts'
import { payloadParser } from '../../src/wire/messages.ts'
import { codePoint } from '../_support/code-point.ts'
import { runs } from '../_support/runs.ts'
import { appOf, code } from '../_support/trees.ts'

let app: App
beforeAll(async () => {
  ;({ app } = await appOf({
    'index.ts': code(`
      export class Data extends Endpoint {
        static keywords = {
          POST: Type.Object({
            data: Type.Optional(Type.Union([RawJsonObject(), Type.Null()])),
            command: Type.Optional(Text()),
          }),
        }
        POST({ data }) {
          return data instanceof RawJson ? data : { not: 'raw', data }
        }
      }
      export class Short extends Endpoint {
        static keywords = { POST: Type.Object({ text: Text({ minLength: 2, maxLength: 3 }) }) }
        POST({ text }) { return text }
      }`),
  }))
})

async function post(
  body: string | Uint8Array,
  headers = { 'content-type': 'application/json' },
): Promise<string> {
  const { status, text } = await inject(app, 'POST', '/data', { headers, body })
  return status === 200 ? text() : `${status} ${JSON.parse(text()).message}`
}

describe('raw member', () => {
  test.each([
    '{}',
    '{ }',
    '{"a":1.0}',
    '{"a":1e400,"b":-0,"c":1E+2}',
    '{"a":9007199254740993}',
    '{"a":1,"a":2}',
    '{"b":1,"a":2,"1":3}',
    '{"\\u0061":"\\u00e9\\/é\\ud83d\\ude00😀"}',
    '{"a":"\\ud800"}',
    '{"a":"}","b":"\\"}","c":"\\\\"}',
    '{\t"a"\r\n:[ 1 , [ ] , { } ]\n}',
    '{"__proto__":{"x":1},"constructor":null}',
    '{"data":{"data":{}}}',
  ])('%s → unchanged to the byte', async (data) => {
    expect(await post(`{"data":${data}}`)).toBe(data)
    expect(await post(`{"command":"}\\"","data":${data},"more":[{"data":{"no":1}}]}`)).toBe(data)
    expect(await post(` \n{ "x" : "data" , "data"\t: ${data}\r, "y" : -1.5e3 } `)).toBe(data)
  })

  test('its key has escapes → unchanged', async () => {
    expect(await post('{"\\u0064at\\u0061":{"a":1.0}}')).toBe('{"a":1.0}')
  })

  test('its key is there twice → the last one counts', async () => {
    expect(await post('{"data":{"a":1.0},"data":{"b":2.0}}')).toBe('{"b":2.0}')
    expect(await post('{"d\\u0061ta":{"a":1.0},"data":{"b":2.0}}')).toBe('{"b":2.0}')
    expect(await post('{"data":null,"data":{"b":2.0}}')).toBe('{"b":2.0}')
    expect(await post('{"data":3,"data":{"b":2.0}}')).toBe('{"b":2.0}')
    expect(await post('{"data":{"a":1.0},"data":null}')).toBe('{"not":"raw","data":null}')
  })

  test('null or absent → null or undefined', async () => {
    expect(await post('{"data":null}')).toBe('{"not":"raw","data":null}')
    expect(await post('{}')).toBe('{"not":"raw"}')
  })

  test.each([
    ['[]', 'a list'],
    ['1', 'a number'],
    ['"{}"', 'a string'],
    ['true', 'true'],
  ])('%s, which is no object → 400', async (data, type) => {
    expect(await post(`{"data":${data}}`)).toBe(
      `400 Parameter "data" is not valid: expected a JSON object or null, not ${type}.`,
    )
  })

  test('a text or a file of a form → 400', async () => {
    const refused = '400 Parameter "data" is not valid: expected a JSON object or null.'
    expect(await post('data=%7B%7D', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(refused)
    for (const head of ['name="data"', 'name="data"; filename="a.json"']) {
      const body = `--X\r\nContent-Disposition: form-data; ${head}\r\n\r\n{}\r\n--X--`
      expect(await post(body, { 'content-type': 'multipart/form-data; boundary=X' })).toBe(refused)
    }
  })

  test('nested 50,000 levels deep → unchanged', async () => {
    const data = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    expect(await post(`{"data":${data}}`)).toBe(data)
  })

  test('random JSON texts → unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(objectText, members, members, async (data, before, after) => {
        const body = `{${[...before, `"data":${data}`, ...after].join(',')}}`
        expect(await post(body)).toBe(data)
        expect(await post(Buffer.from(` ${body}\n`))).toBe(data)
      }),
      { numRuns: runs(60) },
    )
  })
})

/** JSON texts with everything that parsing and printing would lose. */
const space = fc.constantFrom('', '', ' ', '\n', '\t\r\n  ')
const escaped = fc.constantFrom(
  '\\"',
  '\\\\',
  '\\/',
  '\\b',
  '\\n',
  '\\u0041',
  '\\u005C',
  '\\ud83d\\ude00',
  '\\udc00',
  '{',
  '}',
  ',',
  ':',
)
const plain = fc.string({ unit: 'grapheme', maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1))
const string = fc.array(fc.oneof(escaped, plain), { maxLength: 5 }).map((parts) => `"${parts.join('')}"`)
const number = fc.constantFrom(
  '0',
  '-0',
  '1.0',
  '1.50e+07',
  '1e400',
  '9007199254740993',
  '-1E-400',
  '123456789012345678901234567890',
)
const { value: anyText, object: objectText } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(number, string, fc.constantFrom('true', 'false', 'null')),
    tie('object'),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), space)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},`)}${gap}]`),
  ),
  object: fc
    .tuple(fc.array(fc.tuple(fc.oneof(string, fc.constant('"a"')), tie('value')), { maxLength: 4 }), space)
    .map(
      ([pairs, gap]) =>
        `{${gap}${pairs.map(([key, text]) => `${key}${gap}:${gap}${text}`).join(`${gap},`)}${gap}}`,
    ),
}))
/** Members around `data`, none of which is `data` or `command` itself. */
const members = fc.array(
  fc.tuple(string, anyText).map(([key, text]) => `"x${key.slice(1)}:${text}`),
  { maxLength: 3 },
)

describe('raw value of any type', () => {
  const validator = new KeywordValidator(Type.Object({ result: Type.Optional(RawJsonValue()) }))
  const parse = payloadParser(validator.schema)
  const resultOf = (text: string) => (parse(Buffer.from(text)).result as RawJson | null | undefined)?.text

  test.each(['1', '1.0', '-0', '1e400', '9007199254740993', 'true', '""', '"\\u00e9"', '[]', '[ 1 ]', '{}'])(
    '%s → unchanged to the byte',
    (value) => {
      expect(resultOf(`{"result":${value}}`)).toBe(value)
      expect(resultOf(` {"x":"result","result" : ${value}\n,"y":[{"result":0}]} `)).toBe(value)
    },
  )

  test('its name is beyond ASCII, plain or with escapes → unchanged', () => {
    const parseHere = payloadParser(Type.Object({ größe: RawJsonValue() }))
    for (const name of ['größe', 'gr\\u00f6\\u00dfe', 'gr\\u00f6ße']) {
      const { größe } = parseHere(Buffer.from(`{"grö":0,"größen":0,"gr??e":0,"${name}":1.0}`))
      expect(größe).toEqual(new RawJson('1.0'))
    }
  })

  test('null or absent → no raw value; twice → the last one counts', () => {
    expect([resultOf('{"result":null}'), resultOf('{}')]).toEqual([undefined, undefined])
    expect(resultOf('{"result":1,"result":{"a":2.0}}')).toBe('{"a":2.0}')
    expect(resultOf('{"result":{"a":2.0},"result":"x"}')).toBe('"x"')
    expect(resultOf('{"result":1,"result":null}')).toBeUndefined()
  })

  test('text of a query or a form → a JSON string', () => {
    const keywords = { result: 'a"b' as unknown }
    validator.convert(keywords)
    validator.check(keywords, null)
    expect((keywords.result as RawJson).text).toBe('"a\\"b"')
  })

  test('random JSON texts → unchanged', () => {
    const value = anyText.filter((text) => text !== 'null')
    fc.assert(
      fc.property(value, members, members, (text, before, after) => {
        expect(resultOf(`{${[...before, `"result":${text}`, ...after].join(',')}}`)).toBe(text)
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('Text', () => {
  test.each(['ab', 'abc', '😀😀', '😀😀😀', 'é\u0301', '\u0000\u0000'])(
    '%j, of 2 or 3 characters → accepted',
    async (text) => {
      const { status, json } = await inject(app, 'POST', '/short', { body: { text } })
      expect([status, json()]).toEqual([200, text])
    },
  )

  test.each(['', 'a', '😀', 'abcd', '😀😀😀😀', '👨‍👩‍👧'])('%j, of fewer or more → 400', async (text) => {
    expect((await inject(app, 'POST', '/short', { body: { text } })).status).toBe(400)
  })

  test.each(['\\ud800a', 'a\\udc00', '\\udc00\\ud83d', 'a\\ud83dx'])(
    '%s, half a character → 400',
    async (text) => {
      const { status, json } = await inject(app, 'POST', '/short', { body: `{"text":"${text}"}` })
      expect([status, json()]).toEqual([
        400,
        {
          error: 'Bad Request',
          message: 'Parameter "text" is not valid: expected a string of 2 to 3 characters.',
        },
      ])
    },
  )

  test('random texts → accepted if they have 2 or 3 code points', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint, maxLength: 5 }), async (text) => {
        const { length } = Array.from(text)
        const { status } = await inject(app, 'POST', '/short', { body: { text } })
        expect(status).toBe(length === 2 || length === 3 ? 200 : 400)
      }),
    )
  })
})

test('memory: raw members of 500 long bodies are kept → the bodies are not', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const body = Buffer.from(JSON.stringify({ more: 'x'.repeat(200_000), data: { text: 'short' } }))
  const kept: unknown[] = []
  collect()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < 500; i++) {
    const members = parseObject(body)
    extractRawMembers(members, body, new Set(['data']))
    kept.push(members.data)
  }
  collect()
  expect(kept).toHaveLength(500)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000)
})
