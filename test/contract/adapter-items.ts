/** Part of the adapter contract: the first item of a stream decides its type, and how its items are sent. */
import { expect, test } from 'vitest'
import { Client, request, requestOf } from '../_support/http.ts'
import { code, problemOf } from '../_support/trees.ts'
import type { Adapter, Reach } from './adapter.ts'

const NDJSON = 'application/x-ndjson'
const TEXT = 'text/plain; charset=utf-8'

/** Returns a tree whose GET /rows yields these items. */
const yielding = (items: string, statics = '', name = 'Rows') => ({
  'index.ts': code(`export class ${name} extends Endpoint { ${statics} async *GET() { ${items} } }`),
})

/** Returns a tree whose GET /rows is a reply with these items. */
const replying = (items: string, status: number, options: string) => ({
  'index.ts': code(`async function* items() { ${items} }
    export class Rows extends Endpoint { GET() { return new Reply(${status}, items(), ${options}) } }`),
})

export function itemCases(reach: Reach): void {
  test.each([
    ['objects', 'yield { a: 1 }; yield null; yield [2]', NDJSON, '{"a":1}\nnull\n[2]\n'],
    ['text', "yield 'grüß '; yield ''; yield 'dich'", TEXT, 'grüß dich'],
    ['an empty text first', "yield ''; yield 'a'", TEXT, 'a'],
    ['bytes', 'yield Buffer.from([65]); yield new Uint8Array([66])', 'application/octet-stream', 'AB'],
    ['RawJson on two lines', `yield new RawJson('{"a":\\r\\n1.0}')`, NDJSON, '{"a": 1.0}\n'],
  ])('%s → %#: the type of the first item', async (_what, items, type, text) => {
    const { send } = await reach(yielding(items))
    const answer = await send('GET', '/rows')
    expect([answer.status, answer.headers['content-type'], answer.text()]).toEqual([200, type, text])
  })

  test.each([
    ['a Reply: no items', replying('', 202, "{ headers: { 'x-a': 'b' } }"), 202, 'b'],
    ['a generator: no items', yielding(''), 200, undefined],
  ])('%s → an empty body without type', async (_what, files, status, own) => {
    const { send } = await reach(files)
    const answer = await send('GET', '/rows')
    expect([answer.status, answer.text(), answer.headers['x-a']]).toEqual([status, '', own])
    expect(answer.headers['content-length']).toBe(answer.headers.date ? '0' : undefined)
    expect(answer.headers).not.toHaveProperty('content-type')
  })

  test('a Reply: its status and headers → kept, beside the type of the first item', async () => {
    const { send } = await reach(replying('yield 1', 201, "{ headers: { 'x-a': 'b' } }"))
    const { status, headers } = await send('GET', '/rows')
    expect([status, headers['content-type'], headers['x-a']]).toEqual([201, NDJSON, 'b'])
  })

  test('a promise of a stream, with await before → as the stream', async () => {
    const { send } = await reach({
      'index.ts': code(`async function* items() { yield 1 }
        export class Rows extends Endpoint { async GET() { await null; return items() } }`),
    })
    expect((await send('GET', '/rows')).headers['content-type']).toBe(NDJSON)
  })

  test.each([
    [
      'a content-type',
      replying(
        "yield 'a'; yield Buffer.from('b'); yield { c: 1 }",
        200,
        "{ headers: { 'Content-Type': 'text/x' } }",
      ),
      'text/x',
    ],
    [
      'static media',
      yielding("yield 'a'; yield Buffer.from('b'); yield { c: 1 }", "static media = 'text/x';"),
      'text/x',
    ],
  ])('%s → decides; text and bytes as they are, other items as lines', async (_what, files, type) => {
    const { send } = await reach(files)
    const answer = await send('GET', '/rows')
    expect([answer.headers['content-type'], answer.text()]).toEqual([type, 'ab{"c":1}\n'])
  })

  test('a class named with an extension → its type', async () => {
    const { send } = await reach(yielding("yield '<a>'; yield '</a>'", '', 'Feed_xml'))
    const answer = await send('GET', '/feed.xml')
    expect([answer.headers['content-type'], answer.text()]).toEqual(['application/xml', '<a></a>'])
  })

  test.each([
    ['an HttpError', "throw new HttpError(409, 'no')", 409, { error: 'Conflict', message: 'no' }],
    ['another error', "throw new Error('torn')", 500, expect.anything()],
    ['an item that JSON cannot represent', 'yield 1n', 500, expect.anything()],
  ])(
    '%s before the first item → an error answer, with hooks and CORS',
    async (_what, items, status, body) => {
      const { send } = await reach({
        ...yielding(`${items}; yield 1`),
        '_folder.ts': `export const cors = { origins: '*' }
        export const after = (call, reply) => reply.with({ 'x-after': String(reply.status) })`,
      })
      const answer = await send('GET', '/rows', { headers: { origin: 'https://a.example' } })
      expect([answer.status, answer.json()]).toEqual([status, body])
      expect(answer.headers).toMatchObject({ 'x-after': String(status), 'access-control-allow-origin': '*' })
    },
  )

  test('a stream with hooks and CORS → has their headers, and no ETag', async () => {
    const { send } = await reach({
      ...yielding('yield 1'),
      '_folder.ts': `export const cors = { origins: '*' }
        export const cache = { etag: true }
        export const after = (call, reply) => reply.with({ 'x-after': reply.options.headers['content-type'] })`,
    })
    const { headers } = await send('GET', '/rows', { headers: { origin: 'https://a.example' } })
    expect(headers).toMatchObject({ 'x-after': NDJSON, 'access-control-allow-origin': '*' })
    expect(headers).not.toHaveProperty('etag')
  })

  test.each([
    ['before', 'export const before = () => new Reply(200, items())'],
    ['before, later', 'export const before = async () => new Reply(200, items())'],
    ['after', 'export const after = () => new Reply(200, items())'],
    ['after, later', 'export const after = async () => new Reply(200, items())'],
  ])('a hook, %s: a stream → typed by its first item', async (_when, hook) => {
    const { send } = await reach({
      ...yielding("yield 'handler'"),
      '_folder.ts': `import { Reply } from 'waybill'\nasync function* items() { yield { hook: 1 } }\n${hook}`,
    })
    const answer = await send('GET', '/rows')
    expect([answer.headers['content-type'], answer.text()]).toEqual([NDJSON, '{"hook":1}\n'])
  })

  test.each([
    ['throws', "throw new HttpError(418, 'no')", 418],
    ['returns another reply', 'return new Reply(202)', 202],
  ])('after %s: the stream of the handler → ended', async (_what, hook, status) => {
    const { send } = await reach({
      'index.ts': code(`
        export class Rows extends Endpoint { async *GET() { try { yield 1 } finally { this.services.stage.pulled++ } } }
        export class Ended extends Endpoint { GET() { return this.services.stage.pulled } }`),
      '_folder.ts': `import { HttpError, Reply } from 'waybill'
        export const after = (call) => { if (call.path === '/rows') ${hook} }`,
    })
    expect((await send('GET', '/rows')).status).toBe(status)
    expect((await send('GET', '/ended')).json()).toBe(1)
  })

  test('HEAD → not read, closed; no type unless one is set', async () => {
    const { send } = await reach({
      'index.ts': code(`
        const callsOf = (stage) => (stage.calls ??= [])
        const source = (stage) => ({
          [Symbol.asyncIterator]: () => ({
            next: async () => (callsOf(stage).push('next'), { done: false, value: 1 }),
            return: async () => (callsOf(stage).push('return'), { done: true }),
          }),
        })
        export class Rows extends Endpoint { GET() { return source(this.services.stage) } }
        export class Typed extends Endpoint {
          GET() { return new Reply(200, source(this.services.stage), { headers: { 'content-type': 'text/x' } }) }
        }
        export class Calls extends Endpoint { GET() { return callsOf(this.services.stage) } }`),
    })
    expect((await send('HEAD', '/rows')).headers).not.toHaveProperty('content-type')
    expect((await send('HEAD', '/typed')).headers['content-type']).toBe('text/x')
    expect((await send('GET', '/calls')).json()).toEqual(['return', 'return'])
  })

  test('HEAD: the stream cannot be closed → logged, the next request is answered', async () => {
    const { send, log } = await reach({
      'index.ts': code(`
        export class Rows extends Endpoint {
          GET() { return { [Symbol.asyncIterator]: () => ({ return: async () => { throw new Error('stuck') } }) } }
        }
        export class Quick extends Endpoint { GET() { return 1 } }`),
    })
    expect((await send('HEAD', '/rows')).status).toBe(200)
    expect((await send('GET', '/quick')).json()).toBe(1)
    expect(log.lines).toMatchObject([{ fields: { err: new Error('stuck'), request: 'HEAD /rows' } }])
  })

  test('HEAD: a file that is open for reading → closed', async () => {
    const { send } = await reach({
      'index.ts': code(`import { createReadStream } from 'node:fs'
        const files = []
        const open = (path) => (files.push(createReadStream(path)), files.at(-1))
        export class Content extends Endpoint { GET() { return open(import.meta.filename ?? __filename) } }
        export class Missing extends Endpoint { GET() { return open('/no/such/file') } }
        export class Open extends Endpoint { GET() { return files.filter(({ destroyed }) => !destroyed).length } }`),
    })
    expect((await send('HEAD', '/content')).status).toBe(200)
    expect((await send('HEAD', '/missing')).status).toBe(200)
    expect((await send('GET', '/open')).json()).toBe(0)
    expect((await send('GET', '/content')).text()).toContain('createReadStream')
    expect((await send('GET', '/missing')).status).toBe(500)
  })

  test('*GET, which cannot wait → stops the start', async () => {
    expect(
      await problemOf({ 'a.ts': code('export class Rows extends Endpoint { *GET() { yield 1 } }') }),
    ).toBe('A/a.ts: class Rows, GET: it is a generator that cannot wait. Write async *GET to send a stream')
  })
}

/** Streams whose items wait for a cue of the test. */
const CUED = {
  'index.ts': code(`
    const headers = { 'content-type': 'text/x' }
    async function* items(stage, later) {
      try {
        stage.say('asked')
        await stage.heard('first')
        yield { a: 1 }
        await stage.heard('second')
        yield later
      } finally {
        stage.say('returned')
      }
    }
    export class Untyped extends Endpoint { GET() { return new Reply(200, items(this.services.stage), { onSent: this.services.stage.settle }) } }
    export class Typed extends Endpoint { GET() { return new Reply(200, items(this.services.stage), { headers }) } }
    export class Mixed extends Endpoint { GET() { return items(this.services.stage, 'text') } }
    export class Stuck extends Endpoint {
      GET() {
        const { stage } = this.services
        const next = () => (stage.say('asked'), new Promise(() => {}))
        const end = async () => (stage.say('returned'), { done: true })
        return new Reply(200, { [Symbol.asyncIterator]: () => ({ next, return: end }) }, { onSent: stage.settle })
      }
    }
    export class Quick extends Endpoint { GET() { return 'quick' } }`),
}

/** Cases of {@link itemCases} that a client notices only while the stream runs. */
export function itemTimingCases({ start }: Adapter): void {
  test.each([
    ['/typed', true],
    ['/untyped', false],
  ])('%s: the head arrives before the first item → %s', async (target, early) => {
    const { port, stage } = await start(CUED)
    const client = await Client.connect(port)
    let bytes = 0
    client.onBytes((total) => {
      bytes = total
    })
    await client.send(requestOf('GET', target))
    if (early) await client.arrived('text/x')
    await stage.heard('asked')
    for (let i = 0; i < 5; i++) await request(port, 'GET', '/quick')
    expect(bytes > 0).toBe(early)
    stage.say('first')
    await client.arrived('{"a":1}\n')
  })

  test('a later item of another kind → logged, the connection is cut, the source ended', async () => {
    const { port, stage, log } = await start(CUED)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/mixed'))
    stage.say('first')
    await client.arrived('{"a":1}\n')
    stage.say('second')
    const { whole } = await client.answer()
    await stage.heard('returned')
    expect(whole).toBe(false)
    expect(log.lines).toMatchObject([
      {
        fields: {
          err: new TypeError(
            'A stream began with values and continues with text. Yield one kind, or set a content-type.',
          ),
        },
      },
    ])
  })

  test.each(['/untyped', '/stuck'])(
    '%s: the client leaves before the first item → the source is ended, settled as not sent',
    async (target) => {
      const { port, stage, log } = await start(CUED)
      const client = await Client.connect(port)
      await client.send(requestOf('GET', target))
      await stage.heard('asked')
      await client.leave()
      await stage.heard('settled')
      stage.say('first')
      await stage.heard('returned')
      expect([stage.settlements, log.lines]).toEqual([[false], []])
    },
  )
}
