/** The broker delivers odd JSON byte for byte, or answers with a 4xx that says what is wrong. Cases: a published corpus and more. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { ACCEPTED, FREE, REFUSED } from '../_support/json-corpus.ts'

const LIMIT = 262_144

const NOT_UTF8: Record<string, number[]> = {
  'a lone byte': [0xff],
  'a lone continuation byte': [0x81],
  'a cut character': [0xe0, 0xff],
  'a cut character at the end': [0xe6, 0x97],
  'an overlong form of 2 bytes': [0xc0, 0xaf],
  'an overlong form of 6 bytes': [0xfc, 0x83, 0xbf, 0xbf, 0xbf, 0xbf],
  'an overlong NUL': [0xc0, 0x80],
  'beyond Unicode': [0xf4, 0xbf, 0xbf, 0xbf],
  'half a surrogate pair': [0xed, 0xa0, 0x80],
  'a whole surrogate pair': [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  'ISO Latin 1': [0xe9],
}

const NO_JSON = expect.stringMatching(/^400 The body is not valid JSON: ./)
const NO_UTF8 = '400 The body is not UTF-8. Send JSON encoded as UTF-8.'
const NO_OBJECT = '400 The body must be a JSON object, with the parameters as its members.'
const NO_DATA = expect.stringMatching(
  /^400 Parameter "data" is not valid: expected a JSON object or null, not (a list|a string|a number|true|false)\.$/,
)
const NO_COMMAND = '400 Parameter "command" is missing: expected a string of 1 to 255 characters.'

const deep = (depth: number, open: string, close: string, core = ''): string =>
  open.repeat(depth) + core + close.repeat(depth)
const isObject = (text: string): boolean => text.trimStart().startsWith('{')
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the result of each case by its name. */
async function results<T>(cases: Record<string, T>, run: (value: T) => Promise<string>): Promise<object> {
  const entries = Object.entries(cases).map(async ([name, value]) => [name, await run(value)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

function each<T>(cases: Record<string, T>, expected: (value: T) => unknown): object {
  return Object.fromEntries(Object.entries(cases).map(([name, value]) => [name, expected(value)]))
}

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let devices = 0
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })
  afterAll(() => {
    expect(broker.server.log.filter(({ level }) => level === 'error')).toEqual([])
  })

  /** Sends a body to a device of its own. @returns the bytes of `data` that the device gets, or the refusal */
  async function sent(body: string | Uint8Array): Promise<string> {
    const device = `json-${++devices}`
    const answer = await broker.raw('PUT', `/producer/request/${device}`, body)
    const poll = (await broker.raw('GET', `/consumer/getLastMessage/${device}`)).text()
    if (answer.status === 200) return /^\[\{.*?"data":([\s\S]*)\}\]$/.exec(poll)?.[1] ?? poll
    expect(poll).toBe('[]')
    return `${answer.status} ${(answer.json() as { message: string }).message}`
  }
  const inData = (value: string): Promise<string> => sent(`{"command":"c","data":{"x":${value}}}`)
  const asData = (value: string): Promise<string> => sent(`{"command":"c","data":${value}}`)

  describe('JSON corpus', () => {
    test('texts that every parser must accept → delivered byte for byte, or a 400 about their type', async () => {
      expect(await results(ACCEPTED, inData)).toEqual(each(ACCEPTED, (text) => `{"x":${text}}`))
      expect(await results(ACCEPTED, asData)).toEqual(
        each(ACCEPTED, (text) => (isObject(text) ? text.trim() : text === 'null' ? '{}' : NO_DATA)),
      )
      expect(await results(ACCEPTED, sent)).toEqual(
        each(ACCEPTED, (text) => (isObject(text) ? NO_COMMAND : NO_OBJECT)),
      )
    })

    test('texts that every parser must refuse → 400', async () => {
      for (const place of [inData, asData])
        expect(await results(REFUSED, place)).toEqual(each(REFUSED, () => NO_JSON))
      // A request without a body is one without parameters.
      expect(await results(REFUSED, sent)).toEqual(
        each(REFUSED, (text) => (text === '' ? NO_COMMAND : NO_JSON)),
      )
    })

    test('texts that parsers may refuse or alter → 400, or delivered byte for byte', async () => {
      expect(await results(FREE, inData)).toEqual(
        each(FREE, (text) => (isJson(text) ? `{"x":${text}}` : NO_JSON)),
      )
    })
  })

  describe('JSON encoding', () => {
    test('bytes that are not UTF-8, anywhere in the body → 400', async () => {
      const places =
        ([before, behind]: [string, string]) =>
        (bytes: number[]) =>
          sent(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(behind)]))
      for (const place of [
        ['', ''],
        ['{"command":"', '"}'],
        ['{"command":"c","data":{"x":"', '"}}'],
        ['{"command":"c","data":{"', '":1}}'],
        ['{"command":"c","data":{"x":12', '}}'],
        ['{"command":"c","', '":1}'],
      ] as [string, string][])
        expect(await results(NOT_UTF8, places(place))).toEqual(each(NOT_UTF8, () => NO_UTF8))
    })

    test.each([
      ['UTF-16 with a mark', Buffer.from('\ufeff{"command":"c"}', 'utf16le'), NO_UTF8],
      ['UTF-16', Buffer.from('{"command":"c"}', 'utf16le'), NO_JSON],
      ['UTF-16, the other way round', Buffer.from('{"command":"c"}', 'utf16le').swap16(), NO_JSON],
      ['half a byte order mark', Buffer.from([0xef, 0xbb, 0x7b, 0x7d]), NO_UTF8],
    ])('%s → 400', async (_what, bytes, expected) => {
      expect(await sent(bytes)).toEqual(expected)
    })

    test('a byte order mark at the beginning → 400 that names it; inside data → delivered', async () => {
      expect(await sent('\ufeff{"command":"c"}')).toBe(
        '400 The body is not valid JSON: it begins with a byte order mark (U+FEFF). Send it without one.',
      )
      expect(await sent('{"command":"c","data":{"\ufeff":"\ufeff"}}')).toBe('{"\ufeff":"\ufeff"}')
    })
  })

  describe('JSON size', () => {
    const whole = (bytes: number): string => {
      const [before, behind] = ['{"command":"c","data":{"x":"', '"}}']
      return before + 'y'.repeat(bytes - before.length - behind.length) + behind
    }
    const LARGE = {
      'a number': '9'.repeat(200_000),
      'a fraction': `0.${'1'.repeat(200_000)}`,
      'a string of escapes': `"${'\\u0000'.repeat(40_000)}"`,
      'a string of two-byte characters': `"${'é'.repeat(120_000)}"`,
      'a key': `{"${'k'.repeat(200_000)}":1}`,
      '20,000 keys': `{${Array.from({ length: 20_000 }, (_, i) => `"${i}":${i}`)}}`,
      'one key 40,000 times': `{${'"k":1,'.repeat(40_000)}"k":2}`,
      '100,000 items': `[${'0,'.repeat(100_000)}0]`,
      blanks: `${' '.repeat(200_000)}1`,
      '100,000 lists in each other': deep(100_000, '[', ']'),
      '40,000 objects in each other': deep(40_000, '{"":', '}', '1'),
    }

    test('large and deep values in data → delivered byte for byte', async () => {
      expect(await results(LARGE, inData)).toEqual(each(LARGE, (text) => `{"x":${text}}`))
    })

    test('a body up to the limit → delivered; beyond it → 413', async () => {
      expect(await sent(whole(LIMIT))).toHaveLength(LIMIT - '{"command":"c","data":}'.length)
      const refused = '413 The body is larger than 262144 bytes. Send a smaller one.'
      expect(await sent(whole(LIMIT + 1))).toBe(refused)
      // The engine of uws ends a connection on which a refused body still arrives: the answer may be lost.
      if (ADAPTER === 'node') expect(await sent(whole(20 * LIMIT))).toBe(refused)
    })

    const DEEP = {
      'lists that do not end': '['.repeat(100_000),
      'lists that do not begin': ']'.repeat(100_000),
      'objects that do not end': '{"":'.repeat(50_000),
      'a list of lists': deep(100_000, '[', ']'),
      'an unknown member': `{"x":${deep(100_000, '[', ']')}}`,
      'a command': `{"command":${deep(100_000, '[', ']')}}`,
      'a guarantee': `{"command":"c","believerGuarantee":${deep(100_000, '[', ']')}}`,
      'a certificate': `{"command":"c","messageBirthCertificate":${deep(40_000, '{"":', '}', '1')},"data":1}`,
    }
    test('deep values outside data → 400', async () => {
      expect(await results(DEEP, sent)).toEqual(each(DEEP, () => expect.stringMatching(/^400 /)))
    })
  })

  const VALUES = [
    ...['null', 'true', '0', '-1', '1.5', '1e400', '-1e400', '9007199254740993', '""', '"x"', '"\\ud800"'],
    ...['[]', '[[]]', '{}', '{"__proto__":1}', '{"length":1}', '{"toString":null}'],
  ]
  test.each<[string, string, string, (value: string) => string]>([
    ['PUT', '/producer/request/types', 'command', (v) => `{"command":${v}}`],
    ['PUT', '/producer/request/types', 'data', (v) => `{"command":"c","data":${v}}`],
    [
      'PUT',
      '/producer/request/types',
      'believerGuarantee',
      (v) => `{"command":"c","believerGuarantee":${v}}`,
    ],
    [
      'PUT',
      '/producer/request/types',
      'messageBirthCertificate',
      (v) => `{"command":"c","messageBirthCertificate":${v}}`,
    ],
    [
      'PUT',
      '/producer/request/types',
      'messageBirthCertificate.tmpId',
      (v) => `{"command":"c","messageBirthCertificate":{"tmpId":${v}}}`,
    ],
    [
      'PUT',
      '/producer/request/types',
      'messageBirthCertificate.producerDeviseId',
      (v) => `{"command":"c","messageBirthCertificate":{"producerDeviseId":${v}}}`,
    ],
    ['POST', '/consumer/request/types', 'id', (v) => `{"id":${v}}`],
    ['POST', '/consumer/request/types', 'deliveryStatus', (v) => `{"id":1,"deliveryStatus":${v}}`],
    ['POST', '/auth/login', 'deviseId', (v) => `{"deviseId":${v},"password":"x"}`],
    ['POST', '/auth/login', 'password', (v) => `{"deviseId":"admin","password":${v}}`],
    ['POST', '/auth/isClientEnabled', 'username', (v) => `{"username":${v},"password":"x"}`],
    ['POST', '/auth/isClientEnabled', 'password', (v) => `{"username":"admin","password":${v}}`],
  ])('JSON types: %s %s, a wrong type of %s → 400 that names it', async (method, path, member, bodyOf) => {
    const wrong: string[] = []
    for (const value of VALUES) {
      const answer = await broker.raw(method, path, bodyOf(value))
      const { status } = answer
      const named = answer.text().includes(`Parameter \\"${member}\\" is not valid: expected `)
      const plausible = status === 400 ? named : [200, 401, 404].includes(status)
      if (!plausible) wrong.push(`${value}: ${status} ${answer.text()}`)
    }
    expect(wrong).toEqual([])
  })

  test.each([
    '{"__proto__":{"command":"c"}}',
    '{"constructor":{"prototype":{"command":"c"}}}',
    '{"__proto__":{"__proto__":{"command":"c","data":{}}}}',
    '{"\\u005f_proto__":{"command":"c"}}',
    '{"prototype":{"command":"c"},"toString":1,"valueOf":2,"hasOwnProperty":3}',
  ])('JSON prototypes: %s → 400, and no effect on later requests', async (body) => {
    expect(await sent(body)).toBe(NO_COMMAND)
    expect(await sent('{}')).toBe(NO_COMMAND)
    expect(await sent('{"command":"c","__proto__":{"data":{"x":1}},"messageBirthCertificate":{}}')).toBe('{}')
  })

  test('JSON prototypes: tmpId in the prototype of a certificate → ignored', async () => {
    const body = '{"command":"c","messageBirthCertificate":{"__proto__":{"tmpId":5}}}'
    expect((await broker.raw('PUT', '/producer/request/types', body)).json()).toMatchObject({ tmpId: null })
  })

  test('JSON members: the same name twice → the last one counts', async () => {
    const device = 'twice'
    await broker.raw('PUT', `/producer/request/${device}`, '{"command":1,"c\\u006fmmand":"a","command":"b"}')
    expect((await broker.poll(device)).body).toMatchObject([{ command: 'b' }])
  })
})
