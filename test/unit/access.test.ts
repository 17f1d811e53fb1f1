/** The access of a class holds for every spelling of its path. */
import { describe, expect, test } from 'vitest'
import { accessOf } from '../../src/web/access.ts'
import { inject } from '../../src/web/inject.ts'
import { routes } from '../../src/web/tree.ts'
import { answers, appOf, code } from '../_support/trees.ts'

/** An authenticator that believes `Bearer NAME ROLE…`. */
const GUARD = `export function authenticate(services, authorization) {
  const [scheme, id, ...roles] = (authorization ?? '').split(' ')
  return scheme === 'Bearer' && id ? { id, roles, unrestricted: roles.includes('*') } : null
}`
const CLASSES = code(`
  export class Open extends Endpoint { static access = 'public'; GET() { return this.call.identity } }
  export class Known extends Endpoint { static access = 'any'; GET() { return this.call.identity } POST({ a }) { return a } }
  export class Silent extends Endpoint { GET() { return this.call.identity } }
  export class Managers extends Endpoint {
    static access = 'MAN'
    GET() { return this.call.identity }
    static Inner = class extends Endpoint { GET() { return 'inner' } }
    static Lobby = class extends Endpoint { static access = 'public'; GET() { return 'lobby' } }
  }
  export class Heirs extends Managers { PUT() { return 'put' } }`)
const FILES = { 'index.ts': CLASSES, '_services.ts': GUARD }

const bearer = (who: string) => ({ headers: { authorization: `Bearer ${who}` } })
const NO_TOKEN = {}
const OTHER_SCHEME = { headers: { authorization: 'Basic abc' } }

test.each([
  ['/open', NO_TOKEN, 200],
  ['/open', bearer('ann'), 200],
  ['/known', NO_TOKEN, 401],
  ['/known', OTHER_SCHEME, 401],
  ['/known', bearer('ann'), 200],
  ['/known', bearer('ann MAN'), 200],
  ['/silent', NO_TOKEN, 401],
  ['/silent', bearer('ann'), 200],
  ['/managers', NO_TOKEN, 401],
  ['/managers', bearer('ann'), 403],
  ['/managers', bearer('ann MANAGER man'), 403],
  ['/managers', bearer('ann DEVISE MAN'), 200],
  ['/managers', bearer('ann *'), 200],
  ['/managers/inner', NO_TOKEN, 401],
  ['/managers/inner', bearer('ann'), 200],
  ['/managers/lobby', NO_TOKEN, 200],
  ['/heirs', bearer('ann'), 403],
  ['/heirs', bearer('ann MAN'), 200],
])('access: %s with %j → %i', async (path, options, expected) => {
  const { app } = await appOf(FILES)
  expect((await inject(app, 'GET', path, options)).status).toBe(expected)
})

test('this.call.identity: a class for any client → the caller; a public class → null', async () => {
  const { app } = await appOf(FILES)
  expect((await inject(app, 'GET', '/known', bearer('ann DEVISE'))).json()).toEqual({
    id: 'ann',
    roles: ['DEVISE'],
    unrestricted: false,
  })
  expect((await inject(app, 'GET', '/open', bearer('ann DEVISE'))).json()).toBe(null)
})

test('401 and 403: by default → say what is wrong', async () => {
  const { app } = await appOf(FILES)
  const unauthorized = await inject(app, 'GET', '/managers')
  expect(unauthorized.json()).toEqual({
    error: 'Unauthorized',
    message: 'A valid token is required. Send it in the header "Authorization: Bearer TOKEN".',
  })
  expect(unauthorized.headers['www-authenticate']).toBe('Bearer')
  const forbidden = await inject(app, 'GET', '/managers', bearer('ann'))
  expect(forbidden.json()).toEqual({
    error: 'Forbidden',
    message: 'Role MAN is required. Use the token of a client that has it.',
  })
})

test('401 and 403: with the bare errors of the tree → the bodies of the specification, to the byte', async () => {
  const { app } = await appOf({ ...FILES, '_services.ts': `${GUARD}\nexport const bareErrors = [401, 403]` })
  const unauthorized = await inject(app, 'GET', '/managers')
  expect(unauthorized.text()).toBe('{"error":"Unauthorized"}')
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  expect(unauthorized.headers).toEqual({ ...headers, 'www-authenticate': 'Bearer' })
  const forbidden = await inject(app, 'GET', '/managers', bearer('ann'))
  expect(forbidden.text()).toBe('{"error":"Forbidden"}')
  expect(forbidden.headers).toEqual(headers)
})

describe('a class without access', () => {
  const plain = { 'index.ts': code(answers('Foo')) }

  test('beside classes with access → only those without are counted at start', async () => {
    const files = {
      'a.ts': code(`${answers('Foo')} ${answers('Bar')}
        export class Open extends Endpoint { static access = 'public'; GET() {} }`),
    }
    const { log } = await appOf([files, { '_services.ts': GUARD }])
    expect(log.lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^access: 2 classes without `access` need a token/),
    ])
    expect((await appOf([files])).log.lines).toEqual([])
  })

  test('no prefix has an authenticator → public', async () => {
    const { app } = await appOf([plain, { '_services.ts': 'export const open = () => ({})' }])
    expect((await inject(app, 'GET', '/foo')).status).toBe(200)
  })

  test.each([
    ['its own prefix', [{ ...plain, '_services.ts': GUARD }]],
    ['the prefix before it', [{ '_services.ts': GUARD }, plain]],
    ['the prefix behind it', [plain, { '_services.ts': GUARD }]],
  ])('an authenticator in %s → needs a token', async (_which, trees) => {
    const { app, site, log } = await appOf(trees)
    const guard = site.prefixes.find(({ module }) => module.authenticate)?.path
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['info', `access: 1 class without \`access\` needs a token, because ${guard} has an authenticator`],
    ])
    expect((await inject(app, 'GET', '/foo')).status).toBe(401)
    expect((await inject(app, 'GET', '/foo', bearer('ann'))).status).toBe(200)
    for (const { tree } of site.prefixes)
      for (const { handler } of routes(tree))
        for (const { access } of handler.verbs.values()) expect(accessOf(access, site)).toBe('any')
  })
})

test('a prefix: with an authenticator → it guards the prefix; without → the first one of the others', async () => {
  const only = (name: string) =>
    `export const authenticate = (services, header) => header === '${name}' ? { id: '${name}', roles: [] } : null`
  const says = (name: string) =>
    code(`export class ${name} extends Endpoint { GET() { return this.call.identity.id } }`)
  const { app } = await appOf([
    { 'index.ts': says('Plain') },
    { 'index.ts': says('First'), '_services.ts': only('first') },
    { 'index.ts': says('Second'), '_services.ts': only('second') },
  ])
  for (const [path, allowed, refused] of [
    ['/plain', 'first', 'second'],
    ['/first', 'first', 'second'],
    ['/second', 'second', 'first'],
  ] as const) {
    expect((await inject(app, 'GET', path, { headers: { authorization: allowed } })).json()).toBe(allowed)
    expect((await inject(app, 'GET', path, { headers: { authorization: refused } })).status).toBe(401)
  }
})

test('an authenticator: services of its prefix → its first argument', async () => {
  const { app } = await appOf({
    'index.ts': code('export class Foo extends Endpoint { GET() { return this.call.identity.id } }'),
    '_services.ts': `
      export const open = () => ({ tokens: { abc: 'ann' } })
      export const authenticate = ({ tokens }, header) => tokens[header] ? { id: tokens[header], roles: [] } : null`,
  })
  expect((await inject(app, 'GET', '/foo', { headers: { authorization: 'abc' } })).json()).toBe('ann')
  expect((await inject(app, 'GET', '/foo')).status).toBe(401)
})

describe('spellings of a path', () => {
  const files = {
    'admin/api/savedMessages.ts':
      code(`export class Default extends Endpoint { static access = 'MAN'; ANY() { return 'in' } }
      export class GetAll extends Endpoint { static access = 'MAN'; ANY() { return 'in' } }`),
    '_services.ts': GUARD,
  }
  test.each([
    '/admin/api/savedMessages/getAll',
    '/admin/api/saved-messages/get-all',
    '/admin/api/saved_messages/get_all',
    '/Admin/API/SavedMessages/GetAll',
    '//admin//api///saved-messages//getAll//',
    '/%61dmin/%61pi/saved%2Dmessages/get%41ll',
    '/%61%64%6d%69%6e/api/savedMessages/',
    'http://elsewhere/admin/api/savedMessages/getAll',
    'HTTPS://user@elsewhere:1/admin/api/savedMessages',
    '/admin/api/savedMessages?getAll',
    '/admin/api/savedMessages/getAll?access=public',
    'admin/api/savedMessages',
  ])('%s → the class, which needs its role', async (target) => {
    const { app } = await appOf(files)
    for (const method of ['GET', 'HEAD', 'POST', 'PROPFIND']) {
      expect((await inject(app, method, target)).status).toBe(401)
      expect((await inject(app, method, target, bearer('ann'))).status).toBe(403)
      expect((await inject(app, method, target, bearer('ann MAN'))).status).toBe(200)
    }
  })

  test.each([
    '/admin/api/./savedMessages',
    '/admin/api/x/../savedMessages',
    '/admin/api/savedMessages;x',
    '/admin/api/savedMessages%2FgetAll',
    '/admin/api/savedMessages%00',
    '/admin%2Fapi%2FsavedMessages',
    '/admin/api/savedMessages.ts',
    '/public/../admin/api/savedMessages',
    '\\admin\\api\\savedMessages',
  ])('%s → 404', async (target) => {
    const { app } = await appOf(files)
    for (const who of [NO_TOKEN, bearer('ann'), bearer('ann MAN')])
      expect((await inject(app, 'GET', target, who)).status).toBe(404)
  })
})

describe('order of checks', () => {
  test('an unknown path → 404, with and without a token', async () => {
    const { app } = await appOf(FILES)
    expect((await inject(app, 'GET', '/nothing')).status).toBe(404)
    expect((await inject(app, 'GET', '/nothing', bearer('ann'))).status).toBe(404)
  })

  test('a method that the class lacks → 401 or 403 without access, 405 with it', async () => {
    const { app } = await appOf(FILES)
    expect((await inject(app, 'DELETE', '/managers')).status).toBe(401)
    expect((await inject(app, 'DELETE', '/managers', bearer('ann'))).status).toBe(403)
    expect((await inject(app, 'DELETE', '/managers', bearer('ann MAN'))).status).toBe(405)
  })

  test('wrong arguments or a wrong body → 401 without a token, 400 with it', async () => {
    const { app } = await appOf(FILES, { bodyLimit: 10 })
    expect((await inject(app, 'GET', '/known/too/many')).status).toBe(401)
    expect((await inject(app, 'POST', '/known', { body: '[' })).status).toBe(401)
    expect((await inject(app, 'POST', '/known', { body: 'far too long a body' })).status).toBe(401)
    expect((await inject(app, 'POST', '/known', { body: '[', ...bearer('ann') })).status).toBe(400)
  })

  test('an unknown method → 501 before the check of access', async () => {
    const { app } = await appOf(FILES)
    expect((await inject(app, 'FOO', '/managers')).status).toBe(501)
  })
})

test.each([
  ['a promise', 'async () => ({ id: "ann", roles: ["MAN"] })'],
  ['a promise of null', 'async () => null'],
  ['false', '() => false'],
  ['true', '() => true'],
  ['a name', '() => "ann"'],
  ['an identity without roles', '() => ({ id: "ann" })'],
  ['an error', '() => { throw new Error("broken") }'],
])('an authenticator: returns %s → 500, logged, except for a public class', async (_what, authenticate) => {
  const { app, log } = await appOf({
    'index.ts': CLASSES,
    '_services.ts': `export const authenticate = ${authenticate}`,
  })
  for (const path of ['/known', '/silent', '/managers'])
    expect((await inject(app, 'GET', path)).status).toBe(500)
  const levels = log.lines.map(({ level }) => level)
  expect(levels.filter((level) => level !== 'info')).toEqual(['error', 'error', 'error'])
  expect((await inject(app, 'GET', '/open')).status).toBe(200)
})

test('an authenticator: returns undefined → 401', async () => {
  const { app } = await appOf({ 'index.ts': CLASSES, '_services.ts': 'export const authenticate = () => {}' })
  expect((await inject(app, 'GET', '/known')).status).toBe(401)
})

test('401: authenticate asks for cookies → says how to log in', async () => {
  const { app } = await appOf({
    '_services.ts': `export const authenticate = (_services, _authorization, { cookies }) =>
      cookies.get('session') === 'good' ? { id: 'ann', roles: [] } : null`,
    'known.ts': code('export class Default extends Endpoint { GET() { return this.call.identity.id } }'),
  })
  const refused = await inject(app, 'GET', '/known')
  expect(refused.json()).toEqual({
    error: 'Unauthorized',
    message:
      'A valid login is required. Log in, or send a token in the header "Authorization: Bearer TOKEN".',
  })
  const known = await inject(app, 'GET', '/known', { headers: { cookie: 'session=good' } })
  expect(known.json()).toBe('ann')
})
