/** `waybill routes`: the list of routes and the explanation of a request agree with the server. */
import { relative } from 'node:path'
import { expect, test } from 'vitest'
import { listRoutes, routesAsJson } from '../../src/runner/routes.ts'
import { explainRoute } from '../../src/runner/routes-explain.ts'
import { inject } from '../../src/web/inject.ts'
import type { Site } from '../../src/web/site.ts'
import { appOf, code } from '../_support/trees.ts'

const FILES = {
  'index.ts': code(`
    export class Default extends Endpoint { static access = 'public'; GET() { return 'home' } }
    export class Foo_txt extends Endpoint { GET() {} POST({ name, size = 1 }) {} }
    export class GetLastMessage extends Endpoint {
      static access = 'MAN'
      GET(deviceId, limit = '1', { since = 0 } = {}) {}
      DELETE(deviceId) {}
      static Inner = class extends Endpoint { ANY(...path) {} }
    }`),
  'admin/api/savedMessages.ts': code(`export class Default extends Endpoint { PUT(id) {} }`),
  'odd.ts': code(`export class Default extends Endpoint {
    static positionals = { GET: [Type.Integer()] }
    GET(id) {}
  }`),
}
const GUARD = { '_services.ts': `export const authenticate = () => ({ id: 'x', roles: ['MAN'] })` }

/** Replaces the temporary directories in a text by `A`, `B`. */
function tidy(text: string, { prefixes }: Site): string {
  return prefixes.reduce(
    (tidied, { path }, i) =>
      tidied.replaceAll(relative(process.cwd(), path), path).replaceAll(path, 'ABC'[i] as string),
    text,
  )
}

test('routes: a tree with a guard → a line for each method and path, with its access', async () => {
  const { site } = await appOf({ ...FILES, ...GUARD })
  const rows = tidy(listRoutes(site), site)
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, '  '))
  expect(rows[0]).toBe('METHOD  PATH  FILE  CLASS  ACCESS')
  expect(rows.slice(1).toSorted()).toEqual([
    'ANY  /getLastMessage/inner[/{path}…]  A/index.ts  GetLastMessage.Inner  any',
    'DELETE  /getLastMessage/{deviceId}  A/index.ts  GetLastMessage  MAN',
    'GET  /  A/index.ts  Default  public',
    'GET  /foo.txt  A/index.ts  Foo_txt  any',
    'GET  /getLastMessage/{deviceId}[/{limit}]  A/index.ts  GetLastMessage  MAN',
    'GET  /odd/{id}  A/odd.ts  Default  any',
    'POST  /foo.txt  A/index.ts  Foo_txt  any',
    'PUT  /admin/api/saved-messages/{id}  A/admin/api/savedMessages.ts  Default  any',
  ])
})

test('routes: another prefix hides a class → its line names the file that answers', async () => {
  const verbs = (name: string, methods: string) =>
    code(`export class ${name} extends Endpoint { ${methods} }`)
  const { site } = await appOf([
    { 'a.ts': verbs('Foo', 'GET() {}') },
    { 'a.ts': verbs('Foo', 'GET() {} static Inner = class extends Endpoint { GET() {} }') },
    { 'a/foo.ts': verbs('Default', 'GET(x) {}') },
  ])
  const rows = tidy(listRoutes(site), site)
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, '  '))
  expect(rows).toEqual([
    'METHOD  PATH  FILE  CLASS  ACCESS',
    'GET  /a/foo  A/a.ts  Foo  public  hidden by C/a/foo.ts',
    'GET  /a/foo  B/a.ts  Foo  public  hidden by C/a/foo.ts',
    'GET  /a/foo/inner  B/a.ts  Foo.Inner  public  hidden by C/a/foo.ts',
    'GET  /a/foo/{x}  C/a/foo.ts  Default  public',
  ])
})

test('routes: several Default → a line is marked if an earlier one answers all its requests', async () => {
  const say = (methods: string) => ({ 'a.ts': code(`export class Default extends Endpoint { ${methods} }`) })
  const { site } = await appOf([say('GET(x) {}'), say('GET(y) {} PUT() {}')])
  const rows = tidy(listRoutes(site), site)
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/ {2,}/g, '  '))
  expect(rows).toEqual([
    'GET  /a/{x}  A/a.ts  Default  public',
    'GET  /a/{y}  B/a.ts  Default  public  hidden by A/a.ts',
    'PUT  /a  B/a.ts  Default  public',
  ])
})

test('routes: a row below its heading → the columns are aligned', async () => {
  const { site } = await appOf({ 'odd.ts': FILES['odd.ts'] })
  const [heading = '', row = ''] = listRoutes(site).split('\n')
  for (const [name, cell] of [
    ['PATH', '/odd/{id}'],
    ['CLASS', 'Default'],
    ['ACCESS', 'public'],
  ] as const)
    expect(row.indexOf(` ${cell}`)).toBe(heading.indexOf(` ${name}`))
})

test('routes: a request for every path → answered', async () => {
  const { app, site } = await appOf({ ...FILES, ...GUARD })
  const lines = listRoutes(site).trimEnd().split('\n').slice(1)
  for (const line of lines) {
    const [method = '', path = ''] = line.split(/ +/)
    const target = path.replace(/\[[^\]]*\]/g, '').replace(/\{\w+\}/g, '1')
    const { status } = await inject(app, method === 'ANY' ? 'PATCH' : method, `${target}?name=x`)
    expect([line, status]).toEqual([line, status === 200 ? 200 : 204])
  }
})

const RULED = {
  ...GUARD,
  '_folder.ts': `
    export const access = 'staff'
    export const cors = { GET: { origins: '*' } }
    export function before() {}
    export function after() {}`,
  'jobs/_folder.ts': 'export function before() {}\nexport function after() {}\nexport const cache = false',
  'jobs/index.ts': code(`export class Default extends Endpoint {
    static access = { GET: ['staff', 'guest'], ANY: 'staff' }
    static limit = { POST: { requests: 1, seconds: 60, by: ({ method }) => method } }
    static cors = false
    GET() {}
    POST() {}
  }`),
  'top.ts': code('export class Default extends Endpoint { GET() {} POST() {} }'),
}

test('routes with rules: class and folders → each rule with the file that declares it', async () => {
  const { site } = await appOf([
    RULED,
    { 'open.ts': code('export class Default extends Endpoint { GET() {} }') },
  ])
  const lines = tidy(listRoutes(site, { rules: true }), site)
    .trimEnd()
    .split('\n')
    .slice(1)
  expect(lines.map((line) => line.replace(/(?<=\S) {2,}/g, '  '))).toEqual([
    'GET  /top  A/top.ts  Default  staff',
    '    access: "staff" (A/_folder.ts)',
    '    cors: {"origins":"*"} (A/_folder.ts)',
    '    before: A/_folder.ts',
    '    after: A/_folder.ts',
    'POST  /top  A/top.ts  Default  staff',
    '    access: "staff" (A/_folder.ts)',
    '    before: A/_folder.ts',
    '    after: A/_folder.ts',
    'GET  /jobs  A/jobs/index.ts  Default  staff|guest',
    '    access: ["staff","guest"] (A/jobs/index.ts)',
    '    cors: false (A/jobs/index.ts)',
    '    cache: false (A/jobs/_folder.ts)',
    '    before: A/_folder.ts, A/jobs/_folder.ts',
    '    after: A/jobs/_folder.ts, A/_folder.ts',
    'POST  /jobs  A/jobs/index.ts  Default  staff',
    '    access: "staff" (A/jobs/index.ts)',
    '    cors: false (A/jobs/index.ts)',
    '    limit: {"requests":1,"seconds":60,"by":"a function"} (A/jobs/index.ts)',
    '    cache: false (A/jobs/_folder.ts)',
    '    before: A/_folder.ts, A/jobs/_folder.ts',
    '    after: A/jobs/_folder.ts, A/_folder.ts',
    'GET  /open  B/open.ts  Default  any',
    '    access: "any" (default, since A has an authenticator)',
  ])
})

test('routes as JSON: a tree, a hidden class → an object for each method and path', async () => {
  const { site } = await appOf([
    RULED,
    { 'top.ts': code('export class Default extends Endpoint { GET() {} }') },
  ])
  const objects = (options?: { rules: boolean }) =>
    tidy(routesAsJson(site, options), site)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  const [top, , jobs, , hidden] = objects()
  expect(jobs).toEqual({
    ...{ method: 'GET', path: '/jobs', file: 'A/jobs/index.ts', class: 'Default' },
    ...{ access: ['staff', 'guest'], prefix: 'A', hidden: false, hiddenBy: null },
  })
  expect(top).toMatchObject({ access: ['staff'], hidden: false })
  expect(hidden).toMatchObject({ prefix: 'B', access: 'any', hidden: true, hiddenBy: 'A/top.ts' })
  expect(objects({ rules: true })[3].rules).toEqual({
    access: { value: 'staff', file: 'A/jobs/index.ts' },
    cors: { value: false, file: 'A/jobs/index.ts' },
    limit: { value: { requests: 1, seconds: 60, by: 'a function' }, file: 'A/jobs/index.ts' },
    cache: { value: false, file: 'A/jobs/_folder.ts' },
    before: ['A/_folder.ts', 'A/jobs/_folder.ts'],
    after: ['A/jobs/_folder.ts', 'A/_folder.ts'],
  })
})

test('routes explain: several requests → the class each finds, and the steps to it', async () => {
  const other = { 'other.ts': code('export class X extends Endpoint { GET() {} }'), ...GUARD }
  const { site } = await appOf([other, FILES])
  const explain = (method: string, target: string) =>
    tidy(explainRoute(site, method, target).text, site)
      .trimEnd()
      .split('\n')
  expect(explain('GET', '/get-last-message/dev%2F1?since=5')).toEqual([
    '  no module "get-last-message"',
    '  class GetLastMessage: B/index.ts (prefix B)',
    'found B/index.ts, class GetLastMessage, method GET',
    '  deviceId = "dev/1"',
    '  limit = (its default)',
    '  keywords: since (from ?since=5 and the body)',
    '  access: MAN',
  ])
  expect(explain('PATCH', 'getLastMessage/inner/a/b')).toEqual([
    '  no module "getLastMessage"',
    '  class GetLastMessage: B/index.ts (prefix B)',
    '  class GetLastMessage.Inner: B/index.ts (prefix B)',
    'found B/index.ts, class GetLastMessage.Inner, method ANY',
    '  ...path = "a"',
    '  ...path = "b"',
    '  access: any',
  ])
  expect(explain('HEAD', '/other/x')).toEqual([
    '  module other: A/other.ts (prefix A)',
    '  no module "x"',
    '  class X: A/other.ts (prefix A)',
    'found A/other.ts, class X, method GET',
    '  access: any',
  ])
  expect(explain('PUT', '/admin/api/saved-messages/7')).toEqual([
    '  module admin: a directory without index (prefix B)',
    '  module api: a directory without index (prefix B)',
    '  module saved-messages: B/admin/api/savedMessages.ts (prefix B)',
    '  no module "7"',
    '  no class "7"',
    '  class Default: B/admin/api/savedMessages.ts (prefix B)',
    'found B/admin/api/savedMessages.ts, class Default, method PUT',
    '  id = "7"',
    '  access: any',
  ])
  expect(explain('GET', '/nobody')).toEqual([
    '  no module "nobody"',
    '  no class "nobody"',
    '  no class Default that takes 1 argument',
    '404: nothing answers /nobody',
  ])
})

test.each([
  ['GET', '/admin/api', '404: nothing answers /admin/api', 404],
  ['GET', '/admin/api/x', '404: nothing answers /admin/api/x', 404],
  ['PUT', '/foo.txt', '405: Foo_txt in A/index.ts has no PUT, only GET, HEAD, OPTIONS, POST', 405],
  ['OPTIONS', '/foo.txt', '204: Foo_txt in A/index.ts has GET, HEAD, OPTIONS, POST', 204],
  ['get', '/foo.txt', '501: HTTP has no method "get"', 501],
  ['GET', '/nobody', '404: nothing answers /nobody', 404],
  ['GET', '/%', '400: A percent-encoding in the path is malformed. Encode "%" itself as %25.', 400],
  ['GET', '/odd/one', '400: "id" in the path is not valid: expected an integer.', 400],
])('routes explain: %s %s → "%s", as the server answers', async (method, target, last, status) => {
  const open = { ...FILES, 'index.ts': FILES['index.ts'].replace("'MAN'", "'public'") }
  const { app, site } = await appOf(open)
  expect(
    tidy(explainRoute(site, method, target).text, site)
      .trimEnd()
      .split('\n')
      .at(-1),
  ).toBe(last)
  expect((await inject(app, method, target)).status).toBe(status)
  expect(explainRoute(site, method, target).found).toBe(status === 204)
})

test.each([
  ['GET', '/a/foo', '  ignored: A/a.ts:2: class Foo does not extend Endpoint, so no path reaches it'],
  [
    'GET',
    '/a/bar',
    '  ignored: A/a.ts:3: no path reaches a default export. Export the class by name: export class Bar',
  ],
  ['GET', '/b', '  ignored: A/b.ts:1: class Default does not extend Endpoint, so no path reaches it'],
  [
    'GET',
    '/c',
    '  ignored: A/c.ts:2: class Default has get(), which answers nothing. Verbs are upper case: GET',
  ],
])('routes explain: %s %s, a class or method that was ignored → "%s"', async (method, target, line) => {
  const { site } = await appOf({
    'a.ts': code('export class Foo { GET() {} }\nexport default class Bar extends Endpoint { GET() {} }'),
    'b.ts': 'export class Default { GET() {} }',
    'c.ts': code('export class Default extends Endpoint { get() {} PUT() {} }'),
  })
  const { text, found } = explainRoute(site, method, target)
  expect(found).toBe(false)
  const lines = tidy(text, site).split('\n')
  expect(lines).toContain(line)
  expect(lines.filter((each) => /no class "(foo|bar)"/.test(each))).toEqual([])
  if (target === '/b') expect(lines).not.toContain('  no class Default')
})
