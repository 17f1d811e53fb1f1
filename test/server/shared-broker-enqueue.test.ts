/** `enqueue` of the broker in the endpoints of other prefixes: it stores what REST would store, and refuses everything else. */
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type NewCommand, RawJson, type SharedBroker } from '../../src/index.ts'
import { codePoint } from '../_support/code-point.ts'
import { ACCEPTED, FREE, REFUSED } from '../_support/json-corpus.ts'
import { BAD_MESSAGES, DATA } from '../_support/message-corpus.ts'
import type { Rest } from '../_support/rest.ts'
import { runs } from '../_support/runs.ts'
import type { Server } from '../_support/server.ts'
import { BODY_LIMIT, startShared } from '../_support/shared-broker.ts'

let server: Server
let rest: Rest
let broker: SharedBroker
beforeAll(async () => {
  ;({ server, rest, broker } = await startShared())
})

/** Returns the members of a stored message that a sender chooses, with `data` as stored text. */
async function stored(id: number) {
  const { text } = await rest.get(`/admin/api/messages/${id}`)
  const { deviseId, command, deliveryGuarantee, tmpId, producerDeviseId } = JSON.parse(text)
  const data = /"data":([\s\S]*?),"senderDeviseId"/.exec(text)?.[1]
  return { deviseId, command, deliveryGuarantee, tmpId, producerDeviseId, data }
}

const enqueue = (given: unknown) => broker.enqueue(given as NewCommand)
const refusal = (given: unknown): Promise<string> =>
  enqueue(given).then(
    ({ id }) => `stored as ${id}`,
    ({ code, message }) => `${code}: ${message}`,
  )

async function newest(): Promise<number> {
  const { body } = await rest.get('/admin/api/messages?limit=1')
  return (body as { id: number }[])[0]?.id ?? 0
}

describe('enqueue', () => {
  test('only what is required → stored with the defaults of REST', async () => {
    const result = await enqueue({ deviceId: 'bare', command: 'c' })
    expect(result).toEqual({ id: expect.any(Number), correlationId: null, status: 'NOT_DELIVERED' })
    const { body } = await rest.put('/producer/request/bare', { command: 'c' })
    expect(await stored(result.id)).toEqual(await stored((body as { id: number }).id))
    const { sender: _, ...all } = {
      deviceId: 'bare',
      command: 'c',
      sender: null,
      data: null,
      guarantee: null,
    }
    const { id } = await enqueue({ ...all, replyTo: null })
    expect(await stored(id)).toEqual(await stored(result.id))
  })

  test('all members → stored, and returned by message', async () => {
    const { id, correlationId } = await enqueue({
      deviceId: 'all',
      command: 'start',
      data: { speed: 1 },
      guarantee: 'ONLY_LAST',
      sender: { id: 'panel', roles: [] },
      replyTo: { producerId: 'shop', correlationId: 7 },
    })
    expect(correlationId).toBe(7)
    const members = { id, deviceId: 'all', command: 'start', status: 'NOT_DELIVERED', guarantee: 'ONLY_LAST' }
    const view = await broker.message(id)
    expect(view).toMatchObject({
      ...{ ...members, senderId: 'panel', producerId: 'shop', correlationId: 7, deliveredError: false },
      ...{ data: { text: '{"speed":1}' }, attempts: [], wait: { reason: 'DEVICE_AWAY' } },
      history: [{ status: 'NOT_DELIVERED', cause: 'STORED', by: 'panel', messageId: null }],
    })
    const shown = await rest.get(`/admin/api/messages/${id}`)
    // `cause` is among the details.
    expect(Object.keys(view)).toHaveLength(Object.keys(shown.body as object).length + 1)
    const { body } = await rest.get(`/message/${id}`)
    expect(body).toMatchObject({ ...members, data: { speed: 1 } })
  })

  test.each([
    ['an identity', { id: 'panel', roles: ['MAN'] }, 'panel'],
    ['an id', 'panel', 'panel'],
    ['an identity without access checks', { id: '', roles: [], unrestricted: true }, null],
    ['null', null, null],
    ['undefined', undefined, null],
  ])('sender: %s → stored', async (_what, sender, senderId) => {
    const { id } = await enqueue({ deviceId: 'sent', command: 'c', sender })
    expect((await broker.message(id)).senderId).toBe(senderId)
  })

  test.each(DATA.filter((data) => data.length < BODY_LIMIT))(
    'data: the text %s → byte for byte',
    async (data) => {
      const { id } = await enqueue({ deviceId: 'd', command: 'c', data: new RawJson(` \n${data}\t`) })
      expect((await stored(id)).data).toBe(data)
    },
  )

  test('data: the texts of the JSON corpus → byte for byte, or bad-message', async () => {
    const texts = Object.values({ ...ACCEPTED, ...REFUSED, ...FREE }).filter(
      (text) => text.length < BODY_LIMIT / 4,
    )
    const results = texts.map(async (text, i) => {
      const data = new RawJson(`{"x":${text}}`)
      const given = { deviceId: `corpus ${i}`, command: 'c', data }
      return enqueue(given).then(
        async ({ id }) => (await broker.message(id)).data.text === data.text,
        ({ code }) => code,
      )
    })
    const isStored = (text: string): boolean => {
      try {
        return JSON.parse(text) !== undefined && text.isWellFormed()
      } catch {
        return false
      }
    }
    expect(await Promise.all(results)).toEqual(texts.map((text) => isStored(text) || 'bad-message'))
  })

  const when = new Date(0)
  test.each<[string, object, string]>([
    ['a Date', { when }, '{"when":"1970-01-01T00:00:00.000Z"}'],
    [
      'undefined and a function',
      { a: undefined, f() {}, list: [undefined, () => 1] },
      '{"list":[null,null]}',
    ],
    [
      'numbers that JSON lacks',
      { n: Number.NaN, i: Number.NEGATIVE_INFINITY, z: -0 },
      '{"n":null,"i":null,"z":0}',
    ],
    ['a lone surrogate', { '\ud800': '\udc00' }, String.raw`{"\ud800":"\udc00"}`],
    ['__proto__', JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ['no prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['a RawJson inside', { deep: new RawJson('{ "n": 1.0 }') }, '{"deep":{"n":1}}'],
    ['a symbol', { [Symbol('s')]: 1, b: Symbol('t') }, '{}'],
  ])('data: %s → stored as JSON.stringify writes it', async (_what, data, text) => {
    const { id } = await enqueue({ deviceId: 'd', command: 'c', data })
    expect((await stored(id)).data).toBe(text)
  })

  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)
  test.each<[string, unknown, RegExp]>([
    ['a text', '{bad', /^bad-message: "data" is not valid: expected a JSON object or null, not a string\.$/],
    ['a text of JSON', '{}', /"data" .*not a string/],
    ['a list', [], /"data" .*not a list/],
    ['a number', 1, /"data" .*not a number/],
    ['a function', () => ({}), /"data" .*not a function/],
    ['a broken RawJson', new RawJson('{bad'), /^bad-message: "data" is not valid JSON: ./],
    ['a RawJson of two objects', new RawJson('{}{}'), /"data" is not valid JSON/],
    ['a RawJson of a list', new RawJson('[]'), /"data" .*not a list/],
    ['a RawJson of a text', new RawJson('"{}"'), /"data" .*not a string/],
    ['a RawJson of null', new RawJson('null'), /"data" /],
    ['a RawJson with half a character', new RawJson('{"a":"\ud800"}'), /"data" .*well-formed/],
    ['a RawJson of no text', new RawJson({} as string), /"data" .*well-formed/],
    ['a RawJson with a byte order mark', new RawJson('\ufeff{}'), /"data" is not valid JSON/],
    ['a BigInt', { n: 1n }, /"data" cannot be written as JSON: .*BigInt/],
    ['a cycle', cycle, /^bad-message: "data" cannot be written as JSON: [^\n]*circular[^\n]*$/],
    // Node 26 writes any depth, and the text is then too large.
    ['too many levels', deep, /"data" (cannot be written as JSON|is too large): /],
    ['a Map', new Map([[1, 2]]), /"data" .*a plain object/],
    ['a Date', when, /"data" .*a plain object/],
    ['bytes', Buffer.from('{}'), /"data" .*a plain object/],
    ['an instance', new (class Speed {})(), /"data" .*a plain object/],
    ['toJSON that returns a list', { toJSON: () => [] }, /"data" .*a plain object/],
    ['toJSON that returns nothing', { toJSON: () => undefined }, /"data" .*a plain object/],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('no value')
        },
      },
      /"data" cannot be written as JSON: no value/,
    ],
    ['more bytes than the limit', { a: 'é'.repeat(BODY_LIMIT / 2) }, /"data" is too large: 2008 bytes.*2000/],
  ])('data: %s → bad-message, nothing is stored', async (_what, data, words) => {
    const before = await newest()
    expect(await refusal({ deviceId: 'd', command: 'c', data })).toMatch(words)
    expect(await newest()).toBe(before)
  })

  /** Returns the body of a request over REST with the names of `enqueue`. */
  function fromWire(body: string): unknown {
    let wire: Record<string, unknown>
    try {
      wire = JSON.parse(body)
    } catch {
      return body
    }
    if (typeof wire !== 'object' || Array.isArray(wire)) return wire
    const { believerGuarantee: guarantee, messageBirthCertificate: certificate, ...members } = wire
    const { tmpId: correlationId, producerDeviseId: producerId } = { ...(certificate as object) } as Record<
      string,
      unknown
    >
    const replyTo = typeof certificate === 'object' ? { correlationId, producerId } : certificate
    return { deviceId: 'bad', ...members, guarantee, replyTo }
  }

  test.each(BAD_MESSAGES)(
    'a message that REST refuses: %s → bad-message, nothing is stored',
    async (body) => {
      const before = await newest()
      expect(await refusal(fromWire(body))).toMatch(
        /^bad-message: ("(command|data|guarantee|replyTo(\.\w+)?|deviceId)" is |The message must be an object)/,
      )
      expect(await newest()).toBe(before)
    },
  )

  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'The message must be an object, like { deviceId, command }.'],
    [
      'no device',
      { command: 'c' },
      '"deviceId" is missing: expected a string of 1 to 255 characters without control characters.',
    ],
    [
      'a device of 256 characters',
      { deviceId: 'd'.repeat(256), command: 'c' },
      '"deviceId" is not valid: expected a string of 1 to 255 characters without control characters.',
    ],
    [
      'a device with a line break',
      { deviceId: 'a\nb', command: 'c' },
      '"deviceId" is not valid: expected a string of 1 to 255 characters without control characters.',
    ],
    [
      'a number as the device',
      { deviceId: 7, command: 'c' },
      '"deviceId" is not valid: expected a string of 1 to 255 characters without control characters, not a number.',
    ],
    [
      'a misspelt member',
      { deviceId: 'd', command: 'c', gurantee: 'NO' },
      '"gurantee" is not known. Omit it.',
    ],
    [
      'the name of another interface',
      { deviceId: 'd', command: 'c', senderId: 'x' },
      '"senderId" is not known. Omit it.',
    ],
    [
      'a long sender',
      { deviceId: 'd', command: 'c', sender: 's'.repeat(256) },
      '"sender" is not valid: expected a string of at most 255 characters or null.',
    ],
    [
      'a sender without an id',
      { deviceId: 'd', command: 'c', sender: { id: 5 } },
      '"sender" is not valid: expected a string of at most 255 characters or null, not a number.',
    ],
    [
      'a fraction',
      { deviceId: 'd', command: 'c', replyTo: { correlationId: 1.5 } },
      '"replyTo.correlationId" is not valid: expected an integer of -9007199254740991 to 9007199254740991 or null.',
    ],
    [
      'an unknown part of replyTo',
      { deviceId: 'd', command: 'c', replyTo: { tmpId: 1 } },
      '"replyTo.tmpId" is not known. Omit it.',
    ],
  ])('%s → bad-message', async (_what, given, message) => {
    expect(await refusal(given)).toBe(`bad-message: ${message}`)
  })

  test('an endpoint that lets the error through → 400 with its text, nothing in the log', async () => {
    const lines = server.log.length
    const answer = await rest.post('/services', { deviceId: 'd', text: '{bad' })
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'Bad Request', message: expect.stringMatching(/^"data" is not valid JSON: /) },
    ])
    expect(server.log.slice(lines)).toEqual([])
  })

  test('any input → stored as REST stores it, or bad-message and nothing is stored', async () => {
    const text = fc.oneof(
      { weight: 8, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom('x'.repeat(256), 'é'.repeat(255)) },
    )
    const odd = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      maxDepth: 2,
    })
    const json = fc.object({
      maxDepth: 2,
      maxKeys: 3,
      values: [fc.jsonValue({ maxDepth: 1 }), fc.double(), text],
    })
    const orOdd = <T>(good: fc.Arbitrary<T>) =>
      fc.oneof({ weight: 20, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd })
    const input = fc.record(
      {
        deviceId: orOdd(text),
        command: orOdd(text),
        data: orOdd(
          fc.oneof(
            json,
            fc.json().map((each) => new RawJson(each)),
            json.map((each) => new RawJson(JSON.stringify(each))),
          ),
        ),
        guarantee: orOdd(fc.constantFrom('NO', 'RECEIPT_CONFIRMATION', 'ONLY_LAST', null)),
        replyTo: orOdd(
          fc.record(
            { producerId: orOdd(text), correlationId: orOdd(fc.maxSafeInteger()) },
            { requiredKeys: [] },
          ),
        ),
        sender: orOdd(text),
      },
      { requiredKeys: ['deviceId', 'command'] },
    )
    let kept = 0
    let changes = 0
    const unsubscribe = broker.onChange(() => changes++)
    await fc.assert(
      fc.asyncProperty(input, async (given) => {
        const before = changes
        const result = await enqueue(given).catch((error) => error)
        if (result instanceof Error) {
          expect(result).toMatchObject({ code: 'bad-message' })
          expect(changes).toBe(before)
          return
        }
        kept++
        const mine = await stored(result.id)
        await broker.cancel(result.id)
        const { deviceId, command, data, guarantee, replyTo } = given as NewCommand
        const members = [
          `"command":${JSON.stringify(command)}`,
          `"believerGuarantee":${JSON.stringify(guarantee ?? null)}`,
          `"data":${data instanceof RawJson ? data.text : JSON.stringify(data ?? null)}`,
          `"messageBirthCertificate":${JSON.stringify(replyTo ? { tmpId: replyTo.correlationId, producerDeviseId: replyTo.producerId } : null)}`,
        ]
        const body = `{${members}}`
        // The limit holds for the whole body of a request, but here for the data alone.
        if (Buffer.byteLength(body) > BODY_LIMIT) return
        // `fetch` resolves these as parts of a path.
        if (deviceId === '.' || deviceId === '..') return
        const answer = await rest.put(`/producer/request/${encodeURIComponent(deviceId)}`, body)
        expect(answer).toMatchObject({
          status: 200,
          body: { tmpId: result.correlationId, deliveryStatus: result.status },
        })
        const { id } = answer.body as { id: number }
        expect(mine).toEqual(await stored(id))
        await broker.cancel(id)
      }),
      // Never fewer: some inputs are refused, and the last line counts the others.
      { numRuns: Math.max(15, runs(15)) },
    )
    unsubscribe()
    expect(kept).toBeGreaterThan(2)
  })
})
