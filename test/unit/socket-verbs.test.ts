/** The methods of a class for WebSockets are checked at load, listed, and left out of the API description. */
import { expect, test } from 'vitest'
import { listRoutes } from '../../src/runner/routes.ts'
import { explainRoute } from '../../src/runner/routes-explain.ts'
import { inject } from '../../src/web/inject.ts'
import { appOf, code, problemOf } from '../_support/trees.ts'

const tree = (members: string) => ({ 'chat.ts': code(`export class Chat extends Endpoint { ${members} }`) })

test.each([
  ['MESSAGE(a, b) {}', 'MESSAGE: it takes one parameter'],
  ['MESSAGE(a, { b }) {}', 'MESSAGE: it takes one parameter'],
  ['MESSAGE(...all) {}', 'MESSAGE: it takes one parameter'],
  ['static positionals = { MESSAGE: [Type.Integer()] }; MESSAGE(a) {}', 'MESSAGE: it takes one parameter'],
  ['DISCONNECT({ code }) {}', 'DISCONNECT: it takes one parameter, the close code, or none'],
  [
    "static access = { CONNECT: 'public' }; CONNECT() {}",
    'CONNECT: static access names it, but the rules of a WebSocket are those of GET. Name GET',
  ],
  ["static access = { POST: 'public' }; POST() {} CONNECT() {}", 'GET: static access must cover it too'],
  [
    'static keywords = { MESSAGE: Type.Object({}) }; MESSAGE({ text }) {}',
    'MESSAGE: its parameter "text" is not in the schema',
  ],
  [
    'static keywords = { MESSAGE: Type.Object({}) }; CONNECT() {}',
    'MESSAGE: static keywords names it, but there is no such method',
  ],
  [
    "static access = { GET: 'MAN' }; CONNECT() {}",
    "access 'MAN', but no prefix has a _services file that exports authenticate",
  ],
])('%s → the start is refused', async (members, problem) => {
  expect(await problemOf(tree(members))).toContain(problem)
})

test('connect() → a warning', async () => {
  const { log } = await appOf(tree('connect() {} GET() {}'))
  expect(log.lines.map(({ message }) => message)).toEqual([
    expect.stringContaining('Verbs are upper case: CONNECT'),
  ])
})

test('routes: a class for WebSockets → WS; explained by WS and by GET', async () => {
  const { site } = await appOf(tree('GET(a) {} CONNECT(room) {} MESSAGE() {} DISCONNECT() {}'))
  const rows = listRoutes(site)
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(/ {2,}/).slice(0, 2))
  expect(rows).toEqual([
    ['GET', '/chat/chat/{a}'],
    ['WS', '/chat/chat/{room}'],
  ])
  expect(explainRoute(site, 'WS', '/chat/chat/x').text).toContain('method CONNECT\n  room = "x"')
  expect(explainRoute(site, 'GET', '/chat/chat/x').text).toContain('method GET\n  a = "x"')
})

test('API description: a class for WebSockets → no operation', async () => {
  const { app } = await appOf(tree('CONNECT() {} MESSAGE() {} DISCONNECT() {}'))
  expect(app.describe().paths).toEqual({})
})

test('method CONNECT, MESSAGE or DISCONNECT of HTTP → 501', async () => {
  const { app } = await appOf(tree('CONNECT() {} MESSAGE() {} DISCONNECT() {} ANY() {}'))
  for (const method of ['CONNECT', 'MESSAGE', 'DISCONNECT']) {
    expect((await inject(app, method, '/chat/chat')).status).toBe(501)
  }
})

test('this.socket of a request → its methods throw and say what to do', async () => {
  const { app, log } = await appOf(tree('GET() { this.socket.send(1) }'))
  expect((await inject(app, 'GET', '/chat/chat')).status).toBe(500)
  expect(log.lines).toMatchObject([
    { fields: { err: { message: expect.stringContaining('new Chat(services, call, socket)') } } },
  ])
})
