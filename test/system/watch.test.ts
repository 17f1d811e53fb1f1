/** --watch: a changed tree is served without a restart, a broken one is refused, old versions are released. */
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { logIn } from '../_support/rest.ts'
import { BUILT, CLONE, LOCAL, type LogLine, type Server, startServer } from '../_support/server.ts'
import { type Files, writeIn, writeTree } from '../_support/trees.ts'

/** A class that answers with the expression `value` and the id of its process. */
const answers = (value: string, before = ''): string => `import { Endpoint } from 'waybill'
${before}
export class Default extends Endpoint {
  GET() { return { value: ${value}, pid: process.pid } }
}`

async function get({ url }: Server, path: string): Promise<unknown> {
  const response = await fetch(url + path)
  return response.status === 200 ? ((await response.json()) as { value: unknown }).value : response.status
}

const isReload = ({ msg }: LogLine): boolean => msg === 'endpoints reloaded'
const isRefusal = ({ msg }: LogLine): boolean => msg.startsWith('endpoints not reloaded')

/** Waits, one reload at a time, until `path` answers `value`. */
async function answered(server: Server, path: string, value: unknown): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    const seen = server.log.filter(isReload)
    if ((await get(server, path)) === value) return
    await server.logged((line) => isReload(line) && !seen.includes(line))
  }
  expect(await get(server, path)).toBe(value)
}

async function startWatching(files: Files): Promise<{ server: Server; root: string }> {
  const root = writeTree(files)
  return { root, server: await startServer({ args: [...LOCAL, '--watch', '--prefix', root] }) }
}

test('--watch: static files in the prefix and outside → read again', async () => {
  const outside = temporaryDirectory()
  writeIn(outside, 'a.json', '{"value":1}')
  const { server, root } = await startWatching({
    'assets.ts': `import { Files } from 'waybill'
      export class Inside extends Files { static directory = 'public' }
      export class Outside extends Files { static directory = ${JSON.stringify(outside)} }`,
    'public/a.json': '{"value":1}',
  })
  expect(await get(server, '/assets/outside/a.json')).toBe(1)
  writeIn(root, 'public/a.json', '{"value":2}')
  await answered(server, '/assets/inside/a.json', 2)
  writeIn(outside, 'a.json', '{"value":3}')
  await answered(server, '/assets/outside/a.json', 3)
})

describe.each([
  ['from a clone', CLONE],
  ['from the built package', BUILT],
])('--watch %s', (_how, program) => {
  test('files are changed, added, removed → served at once; services and other prefixes stay', async () => {
    const root = writeTree({ 'changed.ts': answers('1'), 'removed.mjs': answers('1') })
    const other = writeTree({ 'other.ts': answers('id', 'const id = Math.random()') })
    const server = await startServer({
      program,
      args: [...LOCAL, '--watch', '--prefix', root, '--prefix', other, '--prefix', '@broker'],
      env: { ADMIN_PASSWORD: 'secret', APP_SECURITY_PERMIT_ALL: 'true' },
      dataDir: temporaryDirectory(),
    })
    const admin = await logIn(server.url, 'admin', 'secret')
    await admin.put('/producer/request/lamp', { command: 'on' })
    const otherId = await get(server, '/other')
    expect([
      await get(server, '/changed'),
      await get(server, '/removed'),
      await get(server, '/added'),
    ]).toEqual([1, 1, 404])

    writeIn(root, 'changed.ts', answers('2'))
    await answered(server, '/changed', 2)
    writeIn(root, 'added.js', answers('2'))
    await answered(server, '/added', 2)
    rmSync(join(root, 'removed.mjs'))
    await answered(server, '/removed', 404)
    writeIn(root, 'deep/er/added.mts', answers('3'))
    await answered(server, '/deep/er/added', 3)

    expect(await (await fetch(`${server.url}/changed`)).json()).toEqual({ value: 2, pid: server.pid })
    expect(await get(server, '/other')).toBe(otherId)
    expect((await admin.get('/auth/me')).status).toBe(200)
    expect((await admin.get('/consumer/getLastMessage/lamp')).body).toMatchObject([{ command: 'on' }])
    expect(server.log.filter(({ msg }) => msg === 'listening')).toHaveLength(1)
    expect(server.log.filter(isReload).every(({ prefix }) => prefix === root)).toBe(true)
  })
})

test('--watch: a file changes → the log names it', async () => {
  const { server, root } = await startWatching({ 'index.ts': answers('1') })
  expect(server.log.map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(
      /^endpoint files are reloaded when they change \(--watch\).* Not watched: node_modules, /,
    ),
  )
  writeIn(root, 'index.ts', answers('2'))
  expect(await server.logged(isReload)).toMatchObject({ prefix: root, files: [join(root, 'index.ts')] })
})

test('--watch: a broken file → the old tree stays, the log says why', async () => {
  const { server, root } = await startWatching({ 'a.ts': answers('1'), 'b.ts': answers('1') })
  writeIn(root, 'a.ts', 'export class {')
  expect((await server.logged(isRefusal)).msg).toContain(`${join(root, 'a.ts')}: cannot be loaded`)
  expect([await get(server, '/a'), await get(server, '/b')]).toEqual([1, 1])
  writeIn(root, 'a.ts', answers('2'))
  await answered(server, '/a', 2)
})

test('--watch: a class that hid another is removed → the other answers; added → hidden again, with a warning', async () => {
  const [first, second] = [
    writeTree({ 'a.ts': answers('1'), 'b.ts': answers('1') }),
    writeTree({ 'a.ts': answers('2') }),
  ]
  const server = await startServer({ args: [...LOCAL, '--watch', '--prefix', first, '--prefix', second] })
  const hidden = ({ msg }: LogLine): boolean =>
    msg.startsWith(`${join(second, 'a.ts')}: no path reaches class Default`)
  expect(server.log.filter(hidden)).toHaveLength(1)
  rmSync(join(first, 'a.ts'))
  await answered(server, '/a', 2)
  writeIn(first, 'a.ts', answers('3'))
  await answered(server, '/a', 3)
  expect(server.log.filter(hidden)).toHaveLength(2)
})

test('--watch: two files of one module → the old tree stays, the log says why', async () => {
  const { server, root } = await startWatching({ 'a.ts': answers('1') })
  writeIn(root, 'a.js', answers('2'))
  expect((await server.logged(isRefusal)).msg).toContain('are both module a: keep one')
  expect(await get(server, '/a')).toBe(1)
})

describe('--watch: files outside of the prefix', () => {
  const start = (root: string, ...args: string[]): Promise<Server> =>
    startServer({ args: [...LOCAL, '--watch', '--prefix', join(root, 'api'), ...args] })

  test('an imported file, a JSON file that it imports → reloaded; other files of the directory → not', async () => {
    const root = writeTree({
      'api/a.ts': answers('value', "import { value } from '../lib/value.ts'"),
      'more/b.ts': answers('value', "import { value } from '../lib/value.ts'"),
      'lib/value.ts': "import data from './data.json' with { type: 'json' }\nexport const value = data.value",
      'lib/data.json': '{ "value": 1 }',
    })
    const server = await start(root, '--prefix', join(root, 'more'))
    expect(await get(server, '/a')).toBe(1)
    writeIn(root, 'lib/unused.ts', 'export {}')
    writeIn(root, 'lib/data.json', '{ "value": 2 }')
    await answered(server, '/a', 2)
    await answered(server, '/b', 2)
    writeIn(root, 'lib/value.ts', 'export const value = 3')
    await answered(server, '/a', 3)
    expect(server.log.filter(isReload).flatMap(({ files }) => files)).not.toContain(
      join(root, 'lib/unused.ts'),
    )
  })

  test('a linked file and a linked directory → reloaded', async () => {
    const root = writeTree({
      'api/index.ts': answers('0'),
      'lib/file.ts': answers('1'),
      'lib/folder/a.ts': answers('1'),
    })
    symlinkSync('../lib/file.ts', join(root, 'api/file.ts'))
    symlinkSync('../lib/folder', join(root, 'api/folder'))
    const server = await start(root)
    expect([await get(server, '/file'), await get(server, '/folder/a')]).toEqual([1, 1])
    writeIn(root, 'lib/file.ts', answers('2'))
    await answered(server, '/file', 2)
    writeIn(root, 'lib/folder/a.ts', answers('2'))
    await answered(server, '/folder/a', 2)
    writeIn(root, 'lib/folder/b.ts', answers('3'))
    await answered(server, '/folder/b', 3)
  })

  test('the prefix is removed and made again → the old tree stays, then the new one answers', async () => {
    const root = writeTree({ 'api/a.ts': answers('1') })
    const server = await start(root)
    rmSync(join(root, 'api'), { recursive: true })
    expect((await server.logged(isRefusal)).msg).toContain('no such directory')
    expect(await get(server, '/a')).toBe(1)
    writeIn(root, 'api/a.ts', answers('2'))
    await answered(server, '/a', 2)
    writeIn(root, 'api/a.ts', answers('3'))
    await answered(server, '/a', 3)
  })

  test('a file that the services import → opened again; open fails → the old ones stay', async () => {
    const root = writeTree({
      'api/a.ts': answers('services.value').replace('GET() {', 'GET() { const { services } = this;'),
      'api/_services.ts':
        "import { value } from '../lib/value.ts'\nexport const open = () => ({ value: value() })",
      'lib/value.ts': 'export const value = () => 1',
    })
    const server = await start(root)
    writeIn(root, 'lib/value.ts', 'export const value = () => 2')
    await answered(server, '/a', 2)
    writeIn(root, 'lib/value.ts', "export const value = () => { throw new Error('no database') }")
    expect((await server.logged(isRefusal)).msg).toContain('_services.ts: open failed: no database')
    expect(await get(server, '/a')).toBe(2)
    writeIn(root, 'lib/value.ts', 'export const value = () => 3')
    await answered(server, '/a', 3)
  })
})

test('--watch: a helper with top-level await → the log names the helper, its line and what to do', async () => {
  const { server, root } = await startWatching({
    'a.ts': answers('value', "import { value } from './_value.ts'"),
    '_value.ts': 'export const value = 1',
  })
  writeIn(root, '_value.ts', '\nexport const value = await Promise.resolve(2)')
  expect((await server.logged(isRefusal)).msg).toContain(
    `${join(root, '_value.ts')}:2: --watch cannot load a file with top-level await. Move the await into open() of _services, or into a function`,
  )
  expect(await get(server, '/a')).toBe(1)
})

describe('--watch: services', () => {
  const SERVICES = `import { version } from './_version.ts'
    const count = globalThis.count ??= { opened: 0, closed: 0 }
    export const open = () => { count.opened++; return { version, count } }
    export const close = () => { count.closed++ }`
  const VERSION = (version: number): string => `export const version = ${version}`
  /** Version of the services, `once` or `again` for their openings, and the number of open ones. */
  const STATE = answers(
    '[services.version, services.count.opened > 1 ? "again" : "once", services.count.opened - services.count.closed].join(" ")',
  ).replace('GET() {', 'GET() { const { services } = this;')
  const FILES = {
    '_services.ts': SERVICES,
    '_version.ts': VERSION(1),
    'index.ts': STATE,
    'a.ts': answers('1'),
  }

  test('an endpoint changes → they stay open', async () => {
    const { server, root } = await startWatching(FILES)
    expect(await get(server, '/')).toBe('1 once 1')
    writeIn(root, 'a.ts', answers('2'))
    await answered(server, '/a', 2)
    expect(await get(server, '/')).toBe('1 once 1')
  })

  test('a file with a leading _ changes → closed, and opened again', async () => {
    const { server, root } = await startWatching(FILES)
    writeIn(root, '_services.ts', SERVICES.replace('version, count', 'version: version + 1, count'))
    await answered(server, '/', '2 again 1')
    writeIn(root, '_version.ts', VERSION(10))
    await answered(server, '/', '11 again 1')
  })

  test('a service changes while the tree is broken → opened again once the tree is repaired', async () => {
    const { server, root } = await startWatching(FILES)
    writeIn(root, 'a.ts', 'export class {')
    const first = await server.logged(isRefusal)
    writeIn(root, '_version.ts', VERSION(2))
    await server.logged((line) => isRefusal(line) && line !== first)
    expect(await get(server, '/')).toBe('1 once 1')
    writeIn(root, 'a.ts', answers('2'))
    await answered(server, '/', '2 again 1')
  })
})
