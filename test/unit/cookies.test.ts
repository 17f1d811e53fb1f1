/** Cookies that are set: attributes, signatures, and what browsers would ignore. Reading a header only on demand. */
import { describe, expect, test } from 'vitest'
import { Cookie, cookiesOf } from '../../src/web/cookies.ts'
import { HeadCredentials } from '../../src/web/credentials.ts'
import type { RequestHead } from '../../src/web/types.ts'
import { HeldClock } from '../_support/clock.ts'

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)] as const

/** Returns the cookies of a request after a browser has taken a `Set-Cookie` header. */
const returned = (header: string) => cookiesOf(header.split(';', 1)[0])

test('a cookie: by default → HttpOnly, Secure, SameSite=Lax, Path=/', () => {
  expect(new Cookie('id').set('a b')).toBe('id=a%20b; Path=/; HttpOnly; Secure; SameSite=Lax')
})

test('a cookie: with attributes → these', () => {
  const options = { maxAge: 60, path: '/app', domain: 'a.example', httpOnly: false, secure: false } as const
  expect(new Cookie('id', { ...options, sameSite: 'strict' }).set('1')).toBe(
    'id=1; Max-Age=60; Domain=a.example; Path=/app; SameSite=Strict',
  )
})

test('clear → the same attributes, with Max-Age=0', () => {
  expect(new Cookie('id', { maxAge: 60, path: '/app' }).clear()).toBe(
    'id=; Max-Age=0; Path=/app; HttpOnly; Secure; SameSite=Lax',
  )
})

test.each(['', 'ada', 'Zoë; "x", y\\', '%41', 'a.b.c', '1.2.abc', '\n'])(
  'a value %j: set, then read → the same',
  (value) => {
    for (const cookie of [new Cookie('id'), new Cookie('id', { secret: NEW, maxAge: 60 })]) {
      expect(cookie.read(returned(cookie.set(value)))).toBe(value)
    }
  },
)

describe('a signed cookie', () => {
  const clock = new HeldClock()
  const signed = new Cookie('id', { secret: NEW, maxAge: 60 }, () => clock.wallMs())
  const text = signed.set('ada').split(/[=;]/)[1] as string

  test.each([
    ['the value', text.replace('ada', 'eve')],
    ['the time', text.replace(/\.(\d+)\./, (_, seconds) => `.${Number(seconds) + 1}.`)],
    ['no time', text.replace(/\.(\d+)\./, '.0.')],
    ['the signature', `${text.slice(0, -2)}AA`],
    ['a shorter signature', text.slice(0, -1)],
    ['no signature', 'ada'],
    ['nothing', ''],
  ])('%s changed → null', (_what, changed) => {
    expect(changed).not.toBe(text)
    expect(signed.read(new Map([['id', changed]]))).toBe(null)
  })

  test('another cookie with the same secret → null', () => {
    // With the same clock, because an expired cookie is null whatever its name is.
    const other = new Cookie('other', { secret: NEW }, () => clock.wallMs())
    expect(other.read(new Map([['other', text]]))).toBe(null)
  })

  test('the last millisecond, and the next → read, null', () => {
    const cookies = new Map([['id', text]])
    clock.advance(59_999)
    expect(signed.read(cookies)).toBe('ada')
    clock.advance(1)
    expect(signed.read(cookies)).toBe(null)
  })

  test('a new secret before the old one → both are accepted, the new one signs', () => {
    const before = new Cookie('id', { secret: OLD })
    const both = new Cookie('id', { secret: [NEW, OLD] })
    expect(both.read(returned(before.set('ada')))).toBe('ada')
    expect(before.read(returned(both.set('ada')))).toBe(null)
  })
})

test.each([
  ['a name', 'a b', {}, 'Cookie "a b" cannot be set: argument name is invalid: a b.'],
  ['a name', '', {}, 'name is invalid'],
  ['a path', 'id', { path: '/;x' }, 'option path is invalid: /;x'],
  ['a domain', 'id', { domain: 'a b' }, 'option domain is invalid: a b'],
  ['maxAge', 'id', { maxAge: 1.5 }, 'option maxAge is invalid: 1.5'],
  ['a secret', 'id', { secret: 'short' }, 'must have at least 32 characters'],
  ['a secret that is not set', 'id', { secret: undefined }, 'must have at least 32 characters'],
  ['no secrets', 'id', { secret: [] }, 'must have at least 32 characters'],
  ['secrets', 'id', { secret: [NEW, ''] }, 'must have at least 32 characters'],
  ['sameSite', 'id', { sameSite: 'none', secure: false } as const, 'which browsers refuse'],
])('%s that is wrong → refused when the cookie is made', (_what, name, options, message) => {
  expect(() => new Cookie(name, options)).toThrow(message)
})

test('a value of more than 4096 bytes → refused, as browsers ignore it', () => {
  const cookie = new Cookie('id')
  expect(cookie.set('x'.repeat(4093))).toContain('HttpOnly')
  expect(() => cookie.set('x'.repeat(4094))).toThrow(
    'Cookie "id" has 4097 bytes. Browsers ignore more than 4096: store an id in it instead.',
  )
})

test('credentials: what an authenticator does not read → is not read from the head', () => {
  const read: string[] = []
  const header = (name: string) => {
    read.push(name)
    return 'session=ada'
  }
  const credentials = new HeadCredentials({ header, method: 'GET' } as unknown as RequestHead)
  const { cookies, method } = credentials
  expect([method, read]).toEqual(['GET', []])
  expect([cookies.get('other'), credentials.usedCookie, read]).toEqual([undefined, false, ['cookie']])
  expect([cookies.get('session'), credentials.usedCookie, read]).toEqual(['ada', true, ['cookie']])
})
