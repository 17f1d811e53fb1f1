/** Part of the adapter contract: cookies of a request, callers that prove themselves by a cookie, and pages of other sites. */
import { describe, expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach, ReachSockets } from './adapter.ts'

/** An authenticator that believes a token, and the cookie `session`. It says what it was given at `/given`. */
const FILES = {
  '_services.ts': `
    const given = []
    export const open = ({ stage }) => ({ stage, given })
    export function authenticate({ given }, authorization, credentials) {
      const { cookies, peer, method, path } = credentials
      given.splice(0, 1, { authorization: credentials.authorization, peer, method, path })
      if (authorization === 'Bearer ann') return { id: 'ann', roles: [] }
      const session = cookies.get('session')
      return session === undefined ? null : { id: session, roles: [] }
    }`,
  'notes.ts': code(`export class Default extends Endpoint {
      static access = 'any'
      GET() { return this.call.identity.id }
      POST() { return this.call.identity.id }
      DELETE(...names) { return [this.call.identity.id, ...names] }
    }
    export class Partner extends Endpoint {
      static access = 'any'
      static cors = { origins: ['https://partner.example'], credentials: true }
      POST() { return this.call.identity.id }
    }
    export class Reader extends Endpoint {
      static access = 'any'
      static cors = { origins: ['https://partner.example'] }
      POST() { return this.call.identity.id }
    }
    export class Open extends Endpoint {
      static access = 'public'
      POST() { return 'open' }
    }`),
  'given.ts': code(
    "export class Default extends Endpoint { static access = 'public'; GET() { return this.services.given } }",
  ),
  'own.ts': code(`export class Default extends Endpoint {
      static access = 'public'
      static headers = ['cookie']
      GET(name) { return this.call.cookies.get(name) ?? null }
    }
    export class Unlisted extends Endpoint {
      static access = 'public'
      GET() { return this.call.cookies.get('session') ?? null }
    }`),
  'chat.ts': code(`export class Default extends Endpoint {
      static access = 'any'
      static headers = ['cookie']
      CONNECT() { this.socket.send([this.call.identity.id, this.call.cookies.get('theme')]) }
    }`),
}

const SESSION = { cookie: 'theme=dark; session=ada' }

export function cookieCases(reach: Reach): void {
  test('authenticate: a cookie → the identity; without it 401', async () => {
    const { send } = await reach(FILES)
    expect((await send('GET', '/notes', { headers: SESSION })).json()).toBe('ada')
    expect((await send('GET', '/notes', { headers: { cookie: 'theme=dark' } })).status).toBe(401)
    expect((await send('GET', '/notes')).status).toBe(401)
  })

  test('authenticate: its third argument → authorization, address, method and path', async () => {
    const { send } = await reach(FILES)
    await send('DELETE', '/notes/x%20y?z=1', { headers: { authorization: 'Bearer ann' } })
    expect((await send('GET', '/given')).json()).toEqual([
      { authorization: 'Bearer ann', peer: '127.0.0.1', method: 'DELETE', path: '/notes/x%20y' },
    ])
  })

  test.each([
    ['theme', 'dark'],
    ['name', 'Zoë; x'],
    ['broken', '%zz'],
    ['twice', 'first'],
    ['quoted', '"a b"'],
    ['empty', ''],
    ['__proto__', 'polluted'],
    ['constructor', null],
    ['none', null],
  ])('this.call.cookies: %s → %j', async (name, value) => {
    const { send } = await reach(FILES)
    const cookie =
      'theme=dark; name=Zo%C3%AB%3B%20x; broken=%zz; twice=first; twice=second; quoted="a b"; empty=; __proto__=polluted; none'
    expect((await send('GET', `/own/${name}`, { headers: { cookie } })).json()).toBe(value)
  })

  test('this.call.cookies: a request without cookies → none', async () => {
    const { send } = await reach(FILES)
    expect((await send('GET', '/own/theme')).json()).toBe(null)
  })

  test('this.call.cookies: a class that does not list the header → 500, and the log says what to do', async () => {
    const { send, log } = await reach(FILES)
    expect((await send('GET', '/own/unlisted', { headers: SESSION })).status).toBe(500)
    expect(String(log.lines.at(-1)?.fields.err)).toBe(
      'TypeError: this.call.cookies of /own/unlisted was read. List "cookie" in static headers of the class.',
    )
  })

  describe('pages of other sites', () => {
    const OTHER = { origin: 'https://evil.example' }
    const PARTNER = { origin: 'https://partner.example', 'sec-fetch-site': 'cross-site' }
    test.each([
      ['POST', '/notes', {}, 200],
      ['POST', '/notes', { 'sec-fetch-site': 'same-origin' }, 200],
      ['POST', '/notes', { 'sec-fetch-site': 'none' }, 200],
      ['POST', '/notes', { 'sec-fetch-site': 'same-site' }, 403],
      ['POST', '/notes', { 'sec-fetch-site': 'cross-site' }, 403],
      ['DELETE', '/notes', { 'sec-fetch-site': 'cross-site' }, 403],
      ['GET', '/notes', { 'sec-fetch-site': 'cross-site' }, 200],
      ['HEAD', '/notes', { 'sec-fetch-site': 'cross-site' }, 200],
      ['POST', '/notes', OTHER, 403],
      ['POST', '/notes', { origin: 'null' }, 403],
      ['POST', '/notes', { ...OTHER, 'sec-fetch-site': 'same-origin' }, 200],
      ['POST', '/notes', { origin: 'https://own.example', host: 'own.example' }, 200],
      ['POST', '/notes/partner', PARTNER, 200],
      ['POST', '/notes/reader', PARTNER, 403],
      ['POST', '/notes/partner', { ...OTHER, 'sec-fetch-site': 'cross-site' }, 403],
      ['POST', '/notes/open', { 'sec-fetch-site': 'cross-site' }, 200],
    ])('%s %s with a cookie and %j → %i', async (method, path, headers, status) => {
      const { send } = await reach(FILES)
      expect((await send(method, path, { headers: { ...SESSION, ...headers } })).status).toBe(status)
    })

    test('a token, not a cookie → 200', async () => {
      const { send } = await reach(FILES)
      const headers = { ...SESSION, ...OTHER, authorization: 'Bearer ann' }
      expect((await send('POST', '/notes', { headers })).json()).toBe('ann')
    })

    test('the refusal → says what to do', async () => {
      const { send } = await reach(FILES)
      expect((await send('POST', '/notes', { headers: { ...SESSION, ...OTHER } })).json()).toEqual({
        error: 'Forbidden',
        message:
          'Pages of https://evil.example may not use POST with a cookie. Send the request from a page of this server, or add the origin to "cors" of the class, with credentials.',
      })
    })
  })
}

export function cookieSocketCases(reach: ReachSockets): void {
  test('a WebSocket: a cookie → the identity, and this.call.cookies; without it 401', async () => {
    const { connect } = await reach(FILES)
    expect((await (await connect('/chat', { headers: SESSION })).next()).json()).toEqual(['ada', 'dark'])
    await expect(connect('/chat')).rejects.toMatchObject({ status: 401 })
  })

  test('a WebSocket of a page of another site, with a cookie → 403', async () => {
    const { connect } = await reach(FILES)
    const headers = { ...SESSION, origin: 'https://evil.example' }
    await expect(connect('/chat', { headers })).rejects.toMatchObject({ status: 403 })
  })
}
