/** `waybill routes` and `waybill routes explain`: the class that answers a path, and the reason. */
import { expect, test } from 'vitest'
import { CLONE, PROJECT, runCommand } from '../_support/server.ts'
import { writeTree } from '../_support/trees.ts'

const FILES = {
  'index.ts': `import { Endpoint } from 'waybill'
    export class Default extends Endpoint { static access = 'public'; GET() {} }`,
  'a/b.ts': `import { Endpoint } from 'waybill'
    export class Thing extends Endpoint {
      static access = 'any'
      GET(id: string, part = 'all') {}
      PUT(id: string, { name, size }: { name: string; size?: number }) {}
    }
    export class Files_txt extends Endpoint { ANY(...path: string[]) {} }
    export class Default extends Endpoint { static access = 'MAN'; DELETE() {} }`,
  '_services.ts': 'export const authenticate = () => null',
}

async function output(expected: number, ...args: string[]): Promise<string[]> {
  const cwd = writeTree(FILES)
  const { code, stdout, stderr } = await runCommand({ args: ['routes', ...args, '--prefix', '.'], cwd })
  expect({ code, stderr }).toEqual({ code: expected, stderr: '' })
  return stdout.trimEnd().split('\n')
}

const routes = (...args: string[]): Promise<string[]> => output(0, ...args)
/** Explains a request that finds no method. */
const explainFailure = (...args: string[]): Promise<string[]> => output(1, 'explain', ...args)

test('routes: a tree → a line for each method and path, in columns', async () => {
  expect(await routes()).toEqual([
    'METHOD  PATH                      FILE      CLASS      ACCESS',
    'GET     /                         index.ts  Default    public',
    'DELETE  /a/b                      a/b.ts    Default    MAN',
    'ANY     /a/b/files.txt[/{path}…]  a/b.ts    Files_txt  any',
    'GET     /a/b/thing/{id}[/{part}]  a/b.ts    Thing      any',
    'PUT     /a/b/thing/{id}           a/b.ts    Thing      any',
  ])
})

test('routes: the broker → every path of the specification', async () => {
  const { code, stdout } = await runCommand({ args: ['routes'], program: CLONE, cwd: PROJECT })
  expect(code).toBe(0)
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/).filter((cell) => cell !== ''))
  for (const row of [
    ['POST', '/auth/login', 'endpoints/auth.ts', 'Login', 'public'],
    ['GET', '/auth/me', 'endpoints/auth.ts', 'Me', 'any'],
    ['POST', '/auth/isClientEnabled', 'endpoints/auth.ts', 'IsClientEnabled', 'public'],
    ['PUT', '/producer/request/{deviceId}', 'endpoints/producer/index.ts', 'Request', 'DEVISE|MAN'],
    [
      'GET',
      '/producer/getMessageStatus/{messageId}',
      'endpoints/producer/index.ts',
      'GetMessageStatus',
      'any',
    ],
    [
      'GET',
      '/consumer/getLastMessage/{deviceId}',
      'endpoints/consumer/index.ts',
      'GetLastMessage',
      'DEVISE|MAN',
    ],
    ['POST', '/consumer/request/{deviceId}', 'endpoints/consumer/index.ts', 'Request', 'DEVISE|MAN'],
  ]) {
    expect(rows).toContainEqual(row)
  }
})

test.each(['module', 'commonjs'])(
  'routes: a default export, package.json of type %s → a warning',
  async (type) => {
    const cwd = writeTree({
      'package.json': JSON.stringify({ type }),
      'a.ts': `import { Endpoint } from 'waybill'
      export class Foo extends Endpoint { static access = 'public'; GET() {} }
      export default class Bar extends Endpoint { GET() {} }`,
    })
    const { stderr } = await runCommand({ args: ['routes', '--prefix', '.'], cwd })
    expect(stderr.replaceAll(`${cwd}/`, '')).toBe(
      'warning: a.ts:3: no path reaches a default export. Export the class by name: export class Bar\n',
    )
  },
)

test('routes --json: a tree → JSON lines; --rules → the rules below each line', async () => {
  const lines = (await routes('--json')).map((line) => JSON.parse(line) as { path: string; access: unknown })
  expect(lines.map(({ path, access }) => [path, access])).toContainEqual(['/a/b', ['MAN']])
  expect((await routes('--rules')).slice(1, 3)).toEqual([
    expect.stringMatching(/^GET +\/ /),
    '    access: "public" (index.ts)',
  ])
})

test('start: open of a _services file fails → exit code 1, one line, the stack at debug', async () => {
  const cwd = writeTree({
    'index.ts': FILES['index.ts'],
    '_services.ts': "export const open = () => { throw new Error('no disk') }",
  })
  const start = { args: ['--prefix', '.', '--host', '127.0.0.1:0'], cwd }
  const { code, stdout, stderr } = await runCommand(start)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `waybill: ${cwd}/_services.ts: open failed: no disk\n`,
  })
  expect(stdout).not.toContain('at open')
  const debug = await runCommand({ ...start, env: { WAYBILL_LOG_LEVEL: 'debug' } })
  expect(debug.stdout).toMatch(/at (?:Object\.)?open \(\S*_services\.ts:1:/)
})

test('routes explain: a path with arguments → the steps, the class and the arguments', async () => {
  expect(await routes('explain', 'GET', '/a/b/thing/x%2Fy')).toEqual([
    '  module a: a directory without index (prefix .)',
    '  module b: a/b.ts (prefix .)',
    '  no module "thing"',
    '  class Thing: a/b.ts (prefix .)',
    'found a/b.ts, class Thing, method GET',
    '  id = "x/y"',
    '  part = (its default)',
    '  access: any',
  ])
})

test('routes explain: keywords → their names and sources', async () => {
  expect((await routes('explain', 'PUT', '/a/b/thing/x?size=1')).slice(-4)).toEqual([
    'found a/b.ts, class Thing, method PUT',
    '  id = "x"',
    '  keywords: name, size (from ?size=1 and the body)',
    '  access: any',
  ])
})

test('routes explain: ANY and a rest parameter → the class and the rest of the path', async () => {
  expect((await routes('explain', 'PATCH', '/a/b/files.txt/x/y')).slice(-4)).toEqual([
    'found a/b.ts, class Files_txt, method ANY',
    '  ...path = "x"',
    '  ...path = "y"',
    '  access: any',
  ])
})

test('routes explain: an unknown path → the steps and 404', async () => {
  const tree = await explainFailure('GET', '/a/c')
  expect(tree).toEqual([
    '  module a: a directory without index (prefix .)',
    '  no module "c"',
    '  no class "a"',
    '  no class Default in a directory without index',
    '404: nothing answers /a/c',
  ])
})

test('routes explain: several prefixes → each step names its prefix', async () => {
  expect(await routes('explain', 'GET', '/auth/me', '--prefix', '@broker')).toEqual([
    expect.stringMatching(/^ {2}module auth: \S+endpoints\/auth\.[jt]s \(prefix \S+endpoints\)$/),
    '  no module "me"',
    expect.stringMatching(/^ {2}class Me: \S+endpoints\/auth\.[jt]s \(prefix \S+endpoints\)$/),
    expect.stringMatching(/^found \S+endpoints\/auth\.[jt]s, class Me, method GET$/),
    '  access: any',
  ])
})

test('routes: a class of the same name in an earlier prefix → marked as hidden', async () => {
  const thing = "import { Endpoint } from 'waybill'\nexport class Thing extends Endpoint { GET() {} }"
  const [first, second] = [writeTree({ 'a.ts': thing }), writeTree({ 'a.ts': thing })]
  const { code, stdout } = await runCommand({ args: ['routes', '--prefix', first, '--prefix', second] })
  expect(code).toBe(0)
  expect(stdout.split('\n')[2]).toBe(
    `GET     /a/thing  ${second}/a.ts  Thing  public  hidden by ${first}/a.ts`,
  )
})

test('routes explain: a method that the class lacks → 405', async () => {
  expect((await explainFailure('POST', '/a/b/thing/x')).at(-1)).toBe(
    '405: Thing in a/b.ts has no POST, only GET, HEAD, OPTIONS, PUT',
  )
})

test('routes explain: a wrong number of arguments → 404', async () => {
  expect((await explainFailure('GET', '/a/b/thing')).at(-1)).toBe(
    '404: The path has 0 arguments; expected 1 to 2.',
  )
  expect((await explainFailure('GET', '/a/b/thing/x/y/z')).at(-1)).toBe(
    '404: The path has 3 arguments; expected 1 to 2.',
  )
})

test('routes explain: a malformed encoding → 400', async () => {
  expect((await explainFailure('GET', '/a/%zz')).at(-1)).toMatch(/^400: A percent-encoding/)
})

test('routes explain: --prefix before the word explain → accepted', async () => {
  const args = ['routes', '--prefix', '.', 'explain', 'GET', '/a/b/thing/x']
  const { stdout } = await runCommand({ args, cwd: writeTree(FILES) })
  expect(stdout).toContain('found a/b.ts, class Thing, method GET')
})

test('routes: a tree with problems → exit code 78, each problem on a line', async () => {
  const cwd = writeTree({ 'a.ts': '', 'a.js': '', 'b.mts': '', 'b.mjs': '' })
  const { code, stdout, stderr } = await runCommand({ args: ['routes', '--prefix', '.'], cwd })
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^waybill: .*are both module a: keep one$/),
    expect.stringMatching(/^waybill: .*are both module b: keep one$/),
  ])
})
