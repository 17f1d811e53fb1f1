/** Endpoint files of each kind, in a directory without package.json and node_modules. */
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { logIn } from '../_support/rest.ts'
import { BUILT, CLONE, LOCAL, type Server, startServer } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

const HELLO = `export class Hello extends Endpoint {
  GET(name) {
    if (name === 'nobody') throw new HttpError(404, 'Nobody is here.')
    return 'Hello ' + name
  }
}`
const ESM = `import { Endpoint, HttpError } from 'waybill'\n${HELLO}`
const FILES = {
  'typescript.ts': ESM.replace('GET(name)', 'GET(name: string): string'),
  'typescript-module.mts': ESM.replace('GET(name)', 'GET(name: string): string'),
  'module-syntax.js': ESM,
  'module.mjs': ESM,
  'commonjs.js': `const { Endpoint, HttpError } = require('waybill')\n${HELLO.replace('export ', '')}\nexports.Hello = Hello`,
  '_word.ts': "export const word: string = 'Hi'",
  'neighbour.ts': `import { Endpoint } from 'waybill'
    import { word } from './_word.ts'
    export class Hello extends Endpoint { GET(name: string) { return word + ' ' + name } }`,
  'awaits.mts': `import { Endpoint } from 'waybill'
    const word = await Promise.resolve('Late hello')
    export class Hello extends Endpoint { GET(name: string) { return word + ' ' + name } }`,
}

const USES_BROKER = `
import { Endpoint } from 'waybill'

export class Blink extends Endpoint {
  async POST(deviceId: string) {
    const { broker } = this.services
    const { id } = await broker.enqueue({ deviceId, command: 'blink', guarantee: 'NO', sender: this.call.identity })
    return { id, status: await broker.status(id) }
  }
}

export class Open extends Endpoint {
  static access = 'public'
  GET() { return 'anyone' }
}`

describe.each([
  ['from a clone', CLONE],
  ['from the built package', BUILT],
])('endpoint files %s', (_how, program) => {
  let server: Server
  beforeAll(async () => {
    server = await startServer({ program, args: [...LOCAL, '--prefix', writeTree(FILES)] })
  })

  test.each(['typescript', 'typescript-module', 'module-syntax', 'module', 'commonjs'])(
    'a file of kind %s → its class answers, its error is a 404',
    async (name) => {
      const hello = await fetch(`${server.url}/${name}/hello/Ada`)
      expect({ status: hello.status, body: await hello.json() }).toEqual({ status: 200, body: 'Hello Ada' })
      const error = await fetch(`${server.url}/${name}/hello/nobody`)
      expect({ status: error.status, body: await error.json() }).toEqual({
        status: 404,
        body: { error: 'Not Found', message: 'Nobody is here.' },
      })
    },
  )

  test('an import of a neighbour → loaded', async () => {
    expect(await (await fetch(`${server.url}/neighbour/hello/Ada`)).json()).toBe('Hi Ada')
  })

  test('a top-level await → loaded', async () => {
    expect(await (await fetch(`${server.url}/awaits/hello/Ada`)).json()).toBe('Late hello Ada')
  })

  test('beside the broker → guarded, and its services are there', async () => {
    const { url } = await startServer({
      program,
      args: [...LOCAL, '--prefix', writeTree({ 'index.ts': USES_BROKER }), '--prefix', '@broker'],
      dataDir: temporaryDirectory(),
      env: { ADMIN_PASSWORD: 'secret' },
    })
    const stranger = await fetch(`${url}/blink/lamp`, { method: 'POST' })
    expect({ status: stranger.status, body: await stranger.json() }).toEqual({
      status: 401,
      body: { error: 'Unauthorized', message: expect.stringContaining('A valid token is required.') },
    })
    expect(await (await fetch(`${url}/open`)).json()).toBe('anyone')
    const admin = await logIn(url, 'admin', 'secret')
    const blink = await admin.post('/blink/lamp', {})
    expect(blink).toMatchObject({ status: 200, body: { id: 1, status: 'NOT_DELIVERED' } })
    expect((await admin.get('/consumer/getLastMessage/lamp')).body).toMatchObject([
      { id: 1, command: 'blink' },
    ])
  })

  test('alone, a class that needs a token → the start is refused', async () => {
    const prefix = writeTree({
      'index.ts':
        "import { Endpoint } from 'waybill'\nexport class A extends Endpoint { static access = 'any'; GET() {} }",
    })
    await expect(startServer({ program, args: [...LOCAL, '--prefix', prefix] })).rejects.toThrow(
      `${prefix}/index.ts: class A has access 'any', but no prefix has a _services file`,
    )
  })

  test('two files that cannot be loaded → the start is refused, both are named', async () => {
    const prefix = writeTree({ 'one.ts': 'export class {', 'two.js': "throw new Error('no luck')" })
    const started = startServer({ program, args: [...LOCAL, '--prefix', prefix] })
    await expect(started).rejects.toThrow(
      /one\.ts: cannot be loaded[\s\S]*two\.js: cannot be loaded: no luck/,
    )
  })
})

describe('a rejection that an endpoint file forgets', () => {
  const files = {
    'forgets.ts': `import { Endpoint } from 'waybill'
export class Default extends Endpoint {
  GET() {
    void Promise.reject(new Error('forgotten'))
    return 'answered'
  }
}`,
  }

  test('→ the server stops, and the log names the file', async () => {
    const root = writeTree(files)
    const server = await startServer({ args: [...LOCAL, '--prefix', root] })
    await fetch(`${server.url}/forgets`).catch(() => {})
    const line = await server.logged(({ msg }) => msg.startsWith('unexpected error'))
    expect(line.msg).toMatch(/^unexpected error in \S+forgets\.ts:4: stopping$/)
    expect((await server.exited).code).not.toBe(0)
  })

  test('under --watch → the log names the file, and the server continues', async () => {
    const root = writeTree(files)
    const server = await startServer({ args: [...LOCAL, '--watch', '--prefix', root] })
    expect(await (await fetch(`${server.url}/forgets`)).json()).toBe('answered')
    const line = await server.logged(({ msg }) => msg.startsWith('unexpected error'))
    expect(line.msg).toMatch(/^unexpected error in \S+forgets\.ts:4: under --watch the server continues/)
    expect((await fetch(`${server.url}/forgets`)).status).toBe(200)
  })
})
