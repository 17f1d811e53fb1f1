/** The services that `_services` files open are shared by all prefixes, closed at the end and renewed by a reload. */
import { describe, expect, test } from 'vitest'
import { Request } from '../../endpoints/producer/index.ts'
import { Endpoint, type Uses } from '../../src/index.ts'
import type { UsesOwn } from '../../src/services.ts'
import { inject } from '../../src/web/inject.ts'
import { Lifecycle, ServicesError } from '../../src/web/lifecycle.ts'
import { readSite } from '../../src/web/read-site.ts'
import { appOf, code, problemOf, readAgain, recordingLog, writeIn, writeTree } from '../_support/trees.ts'

const SHOW = { 'show.ts': code('export class Default extends Endpoint { GET() { return this.services } }') }

/** Returns a `_services` file that records its opening and closing in the list `events` of its context. */
function recording(name: string, services: object = { [name]: true }): string {
  return `
    let events
    export async function open(context) {
      events = context.events
      events.push('open ${name}')
      return ${JSON.stringify(services)}
    }
    export async function close(opened) {
      events.push('close ${name} ' + Object.keys(opened))
    }`
}

describe('lifecycle of services', () => {
  test('several prefixes → opened in their order, closed in reverse, once', async () => {
    const events: string[] = []
    const paths = [{ '_services.ts': recording('a') }, SHOW, { '_services.ts': recording('b') }].map(
      writeTree,
    )
    const lifecycle = new Lifecycle(await readSite(paths), { events }, recordingLog())
    expect(events).toEqual([])
    await lifecycle.open()
    expect(events).toEqual(['open a', 'open b'])
    await lifecycle.close()
    expect(events).toEqual(['open a', 'open b', 'close b b', 'close a a'])
    await lifecycle.close()
    expect(events).toHaveLength(4)
  })

  test('no file, or a file without exports → nothing is opened', async () => {
    for (const files of [SHOW, { ...SHOW, '_services.ts': 'export const other = 1' }]) {
      const { app } = await appOf(files)
      expect((await inject(app, 'GET', '/show')).json()).toEqual({})
    }
  })

  test('open, synchronous → called with the context of the program', async () => {
    const { app } = await appOf(
      {
        ...SHOW,
        '_services.js': 'export const open = ({ settings, log }) => ({ settings, logs: typeof log.info })',
      },
      { context: { settings: { a: 1 } } },
    )
    expect((await inject(app, 'GET', '/show')).json()).toEqual({ settings: { a: 1 }, logs: 'function' })
  })

  test('one fails to open → the open ones are closed, the others never opened', async () => {
    const events: string[] = []
    const broken =
      "export const open = () => { throw new Error('no database') }\nexport const close = () => { throw new Error('never opened') }"
    const paths = [recording('a'), recording('b'), broken, recording('c')].map((text) =>
      writeTree({ '_services.ts': text }),
    )
    const lifecycle = new Lifecycle(await readSite(paths), { events }, recordingLog())
    await expect(lifecycle.open()).rejects.toThrow('no database')
    expect(events).toEqual(['open a', 'open b', 'close b b', 'close a a'])
  })

  test.each([
    ["new Error('no\\n database')", 'no database'],
    ["'no disk'", 'no disk'],
    ["Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })", 'ECONNREFUSED'],
    ['undefined', 'undefined'],
  ])('open throws %s → one line with file and reason, the stack at debug', async (thrown, reason) => {
    const root = writeTree({ '_services.ts': `export const open = () => { throw ${thrown} }` })
    const log = recordingLog()
    const opened = new Lifecycle(await readSite([root]), {}, log).open()
    const message = `${root}/_services.ts: open failed: ${reason}`
    const error: unknown = await opened.catch((reason: unknown) => reason)
    expect([error instanceof ServicesError, (error as Error).message]).toEqual([true, message])
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([['debug', message]])
    expect(Object.keys(log.lines[0]?.fields ?? {})).toEqual(['err'])
  })

  test('one fails to close → the others are closed, the error of the start is kept', async () => {
    const events: string[] = []
    const stuck =
      "export const open = () => ({})\nexport const close = async () => { throw new Error('stuck') }"
    const failing = "export const open = async () => { throw new Error('no database') }"
    const read = async (...texts: string[]) =>
      new Lifecycle(
        await readSite(texts.map((text) => writeTree({ '_services.ts': text }))),
        { events },
        recordingLog(),
      )
    const lifecycle = await read(recording('a'), stuck)
    await lifecycle.open()
    await expect(lifecycle.close()).rejects.toThrow('stuck')
    expect(events).toEqual(['open a', 'close a a'])
    await expect((await read(recording('b'), stuck, failing)).open()).rejects.toThrow('no database')
    expect(events.slice(2)).toEqual(['open b', 'close b b'])
  })
})

test('services: several prefixes → each has those of all; its own win, then those of the first', async () => {
  const show = (name: string) =>
    code(`export class ${name} extends Endpoint { GET() { return this.services } }`)
  const { app } = await appOf(
    [
      { 'index.ts': show('A'), '_services.ts': recording('a', { own: 'a', a: 1 }) },
      { 'index.ts': show('B'), '_services.ts': recording('b', { own: 'b', b: 2, a: 'of b' }) },
      { 'index.ts': show('Plain') },
    ],
    { context: { events: [] } },
  )
  expect((await inject(app, 'GET', '/a')).json()).toEqual({ own: 'a', a: 1, b: 2 })
  expect((await inject(app, 'GET', '/b')).json()).toEqual({ own: 'b', a: 'of b', b: 2 })
  expect((await inject(app, 'GET', '/plain')).json()).toEqual({ own: 'a', a: 1, b: 2 })
})

describe('shared', () => {
  const opens = (shared: string, close = '') => `
    export const open = () => ({ a: 1, b: 2, secret: 3 })
    export const shared = ${shared}
    ${close}`

  test('a list of names → other prefixes find those alone, its own classes find all', async () => {
    const show = code('export class Own extends Endpoint { GET() { return this.services } }')
    const { app } = await appOf([SHOW, { '_services.ts': opens("['b', 'a']"), 'index.ts': show }])
    expect((await inject(app, 'GET', '/show')).json()).toEqual({ a: 1, b: 2 })
    expect((await inject(app, 'GET', '/own')).json()).toEqual({ a: 1, b: 2, secret: 3 })
  })

  test('an empty list → other prefixes find nothing', async () => {
    const { app } = await appOf([SHOW, { '_services.ts': opens('[]') }])
    expect((await inject(app, 'GET', '/show')).json()).toEqual({})
  })

  test.each(["'a'", '{ a: 1 }', '[1]', 'null'])(
    '%s, which is no list of names → the start is refused',
    async (shared) => {
      expect(await problemOf({ '_services.ts': opens(shared) })).toBe(
        "A/_services.ts: shared must be a list of names, like ['db']",
      )
    },
  )

  test('a name that open does not return → closed again, the start is refused', async () => {
    const events: string[] = []
    const close = "export const close = ({ secret }) => globalThis.eventsOfTest.push('closed ' + secret)"
    Object.assign(globalThis, { eventsOfTest: events })
    const path = writeTree({ '_services.ts': opens("['a', 'c', 'toString']", close) })
    const lifecycle = new Lifecycle(await readSite([path]), {}, recordingLog())
    await expect(lifecycle.open()).rejects.toThrow(
      ['c', 'toString']
        .map(
          (name) =>
            `${path}/_services.ts: shared has "${name}", which open() does not return. Remove it from shared, or return it`,
        )
        .join('\n'),
    )
    expect(events).toEqual(['closed 3'])
  })
})

describe('reload', () => {
  const say = (text: string) =>
    code(`export class Default extends Endpoint { GET() { return ['${text}', this.services] } }`)

  async function running(files: Record<string, string>) {
    const events: string[] = []
    const { app, site, lifecycle } = await appOf(files, { context: { events } })
    const [prefix] = site.prefixes
    if (!prefix) throw new Error('no prefix')
    const get = async (path = '/') => {
      const { status, json } = await inject(app, 'GET', path)
      return status === 200 ? json() : status
    }
    const change = (path: string, text: string) => writeIn(prefix.path, path, text)
    const reload = (reopen: boolean) => lifecycle.reload(prefix, readAgain, reopen)
    return { events, get, change, reload }
  }

  test('a changed tree → the new one answers, services stay open', async () => {
    const { events, get, change, reload } = await running({
      'index.ts': say('old'),
      '_services.ts': recording('one'),
    })
    change('index.ts', say('new'))
    change('added.ts', say('added'))
    change('_services.ts', recording('two'))
    expect(await get()).toEqual(['old', { one: true }])
    await reload(false)
    expect(await get()).toEqual(['new', { one: true }])
    expect(await get('/added')).toEqual(['added', { one: true }])
    expect(events).toEqual(['open one'])
  })

  test('with reopen → the old code closes the services, the new code opens them', async () => {
    const { events, get, change, reload } = await running({
      'index.ts': say('old'),
      '_services.ts': recording('one'),
    })
    change('_services.ts', recording('two'))
    await reload(true)
    expect(events).toEqual(['open one', 'close one one', 'open two'])
    expect(await get()).toEqual(['old', { two: true }])
  })

  test.each([
    ['that does not parse', 'index.ts', 'export class {'],
    ['with a clash', 'Added.ts', 'export {}'],
    [
      'without the guard it needs',
      'index.ts',
      code("export class Default extends Endpoint { static access = 'MAN'; GET() {} }"),
    ],
    ['whose services cannot be loaded', '_services.ts', "throw new Error('no')"],
  ])('a tree %s → refused; the old one and its services stay', async (_what, path, text) => {
    const files = { 'index.ts': say('old'), 'added.ts': say('added'), '_services.ts': recording('one') }
    const { events, get, change, reload } = await running(files)
    change(path, text)
    await expect(reload(true)).rejects.toThrow(path)
    expect(await get()).toEqual(['old', { one: true }])
    expect(events).toEqual(['open one'])
  })

  test('the new services fail to open → refused; the old ones are opened again, with the old tree', async () => {
    const { events, get, change, reload } = await running({
      'index.ts': say('old'),
      '_services.ts': recording('one'),
    })
    change('index.ts', say('new'))
    change('_services.ts', "export const open = () => { throw new Error('no database') }")
    await expect(reload(true)).rejects.toThrow('_services.ts: open failed: no database')
    expect(await get()).toEqual(['old', { one: true }])
    change('_services.ts', recording('two'))
    await reload(true)
    expect(await get()).toEqual(['new', { two: true }])
    expect(events).toEqual(['open one', 'close one one', 'open one', 'close one one', 'open two'])
  })

  test('neither the new nor the old services can be opened → refused, and both reasons are named', async () => {
    const { get, change, reload } = await running({
      'index.ts': say('old'),
      '_services.ts':
        "let opened = 0; export const open = () => { if (opened++) throw new Error('the port is taken'); return { one: true } }",
    })
    change('_services.ts', "export const open = () => { throw new Error('no database') }")
    await expect(reload(true)).rejects.toThrow(/no database\. The old services .*the port is taken/)
    expect(await get()).toEqual(['old', {}])
  })

  test('the old services fail to close → the new ones are opened', async () => {
    const { get, change, reload } = await running({
      'index.ts': say('old'),
      '_services.ts':
        "export const open = () => ({}); export const close = () => { throw new Error('still busy') }",
    })
    change('_services.ts', recording('two'))
    await reload(true)
    expect(await get()).toEqual(['old', { two: true }])
  })
})

describe('a handler class without a server', () => {
  test('services are given to its constructor → it calls them', async () => {
    const orders: unknown[] = []
    const queues = {
      enqueue: async (order: unknown) => ({
        id: orders.push(order),
        status: 'NOT_DELIVERED',
        replayed: false,
      }),
    } as unknown as UsesOwn<'queues'>['queues']
    expect(await new Request({ canActFor: () => true, queues }).PUT('dev-1', { command: 'on' })).toEqual({
      id: 1,
      tmpId: null,
      deliveryStatus: 'NOT_DELIVERED',
    })
    expect(orders).toMatchObject([
      {
        deviceId: 'dev-1',
        command: 'on',
        guarantee: 'RECEIPT_CONFIRMATION',
        data: '{}',
        replyTo: null,
        details: false,
        terms: null,
        replaces: null,
        idempotency: null,
        senderId: null,
      },
    ])
  })

  class Start extends Endpoint<Uses<'broker'>> {
    async POST(pump: string, { speed = '1' } = {}) {
      const data = { speed: Number(speed) }
      const sender = this.call.identity
      return this.services.broker.enqueue({ deviceId: pump, command: 'start', data, sender })
    }
  }

  test('a class that uses the broker → tested with a fake in one line', async () => {
    const sent: unknown[] = []
    const fake = {
      enqueue: async (command: unknown) => ({
        id: sent.push(command),
        correlationId: null,
        status: 'NOT_DELIVERED',
      }),
    } as unknown as Uses<'broker'>['broker']
    expect(await new Start({ broker: fake }).POST('pump-1', { speed: '5' })).toMatchObject({ id: 1 })
    expect(sent).toEqual([{ deviceId: 'pump-1', command: 'start', data: { speed: 5 }, sender: null }])
  })
})
