/** Logins with wrong, odd and many credentials: the same answer and the same work for all, and time for everybody else. */
import { createRequire } from 'node:module'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Accounts as AnyAccounts } from '../../src/auth/accounts.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { type Answer, call } from '../_support/rest.ts'
import { TemporaryStore } from '../_support/store.ts'

// The modules of this worker use bcrypt itself; a second copy of those tested here uses one whose calls are counted.
vi.resetModules()
const real = createRequire(import.meta.url)('bcrypt') as typeof import('bcrypt')
const compares = vi.fn(real.compare as (password: string, passwordHash: string) => Promise<boolean>)
vi.doMock('bcrypt', () => ({ hash: real.hash, compare: compares }))
const { Accounts } = await import('../../src/auth/accounts.ts')
const { ClientList } = await import('../../src/auth/client-list.ts')
const { WrongCredentials } = await import('../../src/auth/errors.ts')
const { HASHES_AT_ONCE, hashPassword, matches } = await import('../../src/auth/password.ts')
const { Tokens } = await import('../../src/auth/token.ts')
vi.doUnmock('bcrypt')
vi.resetModules()
beforeEach(() => {
  compares.mockClear()
})

const LONG = 'x'.repeat(72)
const WRONG: readonly (readonly [what: string, deviceId: string, password: string])[] = [
  ['an unknown client', 'nobody', 'sesame'],
  ['a name in another case', 'LAMP', 'sesame'],
  ['no name', '', 'sesame'],
  ['a name that every object has', '__proto__', 'sesame'],
  ['a wrong password', 'lamp', 'guess'],
  ['no password', 'lamp', ''],
  ['a password in another case', 'lamp', 'Sesame'],
  ['blanks around it', 'lamp', ' sesame '],
  ['NUL behind it', 'lamp', 'sesame\0'],
  ['NUL and more behind it', 'lamp', 'sesame\0x'],
  ['the password twice, as bcrypt reads it', 'lamp', 'sesame\0sesame'],
  ['a byte more than bcrypt reads', 'long', `${LONG}y`],
  ['100 KB more than bcrypt reads', 'long', LONG + 'y'.repeat(100_000)],
  ['the password of another client', 'long', 'sesame'],
  ['the hash', 'lamp', '$2b$10$DNlJue97XfhTgI4RINuYbuppxyktcldsJ1dycW.AQFDnn0r5o5C5u'],
]

const HASHES = [
  ['lamp', await hashPassword('sesame')],
  ['long', await hashPassword(LONG)],
] as const

async function openAccounts(): Promise<AnyAccounts> {
  const { clients } = new TemporaryStore()
  for (const [deviceId, passwordHash] of HASHES) {
    await clients.add({ deviceId, passwordHash, role: 'DEVISE', description: '', changedAtMs: 0 })
  }
  return new Accounts({ clients: await ClientList.open(clients), tokens: new Tokens(JWT_SECRET, 60_000) })
}

test('the right password is one', async () => {
  const accounts = await openAccounts()
  expect(await accounts.login('lamp', 'sesame', 'here')).toMatchObject({ deviceId: 'lamp' })
  expect(await accounts.login('long', LONG, 'here')).toMatchObject({ deviceId: 'long' })
})

test.each(WRONG)(
  '%s costs one hash of the usual kind, and says no more',
  async (_what, deviceId, password) => {
    const accounts = await openAccounts()
    await expect(accounts.login(deviceId, password, 'here')).rejects.toEqual(new WrongCredentials())
    expect(compares.mock.calls).toEqual([[password, expect.stringMatching(/^\$2b\$10\$/)]])
  },
)

test('one that was checked costs no hash until a day after its last use', async () => {
  const accounts = await openAccounts()
  let nowMs = 1
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  whenDone(() => {
    vi.useRealTimers()
    clock.mockRestore()
  })
  const hashesAfter = async (ms: number): Promise<number> => {
    nowMs += ms
    vi.advanceTimersByTime(ms)
    compares.mockClear()
    expect(await accounts.check('lamp', 'sesame', 'here')).toBe(true)
    return compares.mock.calls.length
  }
  const DAY_MS = 86_400_000
  expect(await hashesAfter(0)).toBe(1)
  expect(await hashesAfter(DAY_MS)).toBe(0)
  expect(await hashesAfter(DAY_MS)).toBe(0)
  expect(await hashesAfter(DAY_MS + 1)).toBe(1)
  expect(await hashesAfter(DAY_MS)).toBe(0)
})

test.each([`${LONG}y`, 'é'.repeat(37), 'a\0a', '\0'])('no client gets a password such as %j', (password) => {
  expect(() => hashPassword(password)).toThrow(RangeError)
})

test('no more than a few hashes are made at a time, in the order of the calls', async () => {
  let release: () => void = () => {}
  const go = new Promise<void>((resolve) => {
    release = resolve
  })
  let running = 0
  let most = 0
  const order: unknown[] = []
  compares.mockImplementation(async (password) => {
    most = Math.max(most, ++running)
    order.push(password)
    await go
    running--
    return false
  })
  const passwords = Array.from({ length: 48 }, (_, i) => `guess ${i}`)
  const all = Promise.all(passwords.map((password) => matches(password, null)))
  release()
  expect(await all).toEqual(passwords.map(() => false))
  expect(order).toEqual(passwords)
  expect(most).toBe(HASHES_AT_ONCE)
  compares.mockReset()
})

describe(`adapter ${ADAPTER}`, () => {
  const login = (
    { server: { url } }: BrokerUnderTest,
    deviseId: string,
    password: unknown,
  ): Promise<Answer> => call(url, 'POST', '/auth/login', { deviseId, password })

  test('an unknown client, a wrong and an odd password get the same bytes', async () => {
    const broker = await BrokerUnderTest.start()
    const seen = new Set<string>()
    for (const [deviceId, password] of [
      ['nobody', 'guess'],
      ['admin', 'guess'],
      ['admin', ''],
      ['admin', 'x'.repeat(200_000)],
      ['admin', `${ADMIN_PASSWORD}\0`],
      ['admin', `${ADMIN_PASSWORD}\0${ADMIN_PASSWORD}`],
    ] as const) {
      const { status, text, headers } = await login(broker, deviceId, password)
      const names = [...headers].filter(([name]) => name !== 'date')
      seen.add(JSON.stringify([status, text, names]))
    }
    expect([...seen]).toEqual([expect.stringMatching(/^\[401,"\{\\"error\\":\\"Unauthorized\\"\}"/)])
  })

  test('what is no credential at all is 400', async () => {
    const broker = await BrokerUnderTest.start()
    for (const [deviceId, password] of [
      ['admin', 1],
      ['admin', null],
      ['admin', ['correct horse']],
      ['admin', { toString: 'correct horse' }],
      ['x'.repeat(256), 'guess'],
    ] as const) {
      expect(await login(broker, deviceId, password)).toMatchObject({ status: 400 })
    }
  })

  test('32 wrong logins at once do not hold up others', async () => {
    const broker = await BrokerUnderTest.start()
    let refused = 0
    const storm = Array.from({ length: 32 }, async (_, i) => {
      const { status } = await login(broker, `client ${i}`, 'guess')
      refused++
      return status
    })
    for (let i = 0; i < 5; i++) {
      await broker.send('pump', { command: `${i}` })
      expect((await broker.rest.get('/auth/me')).status).toBe(200)
    }
    expect(refused).toBeLessThan(32)
    expect(new Set(await Promise.all(storm))).toEqual(new Set([401]))
  })
})
