/** Logins with wrong or odd credentials get the same answer at the same cost, and do not slow other clients. */
import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Accounts as AnyAccounts } from '../../src/auth/accounts.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { Client, request, requestOf } from '../_support/http.ts'
import { type Answer, call } from '../_support/rest.ts'
import { TemporaryStore } from '../_support/store.ts'

// Other tests of this worker share its modules, so this test imports a second copy, with a bcrypt whose calls are counted.
vi.resetModules()
const real = createRequire(import.meta.url)('bcrypt') as typeof import('bcrypt')
const compares = vi.fn(real.compare as (password: string, passwordHash: string) => Promise<boolean>)
vi.doMock('bcrypt', () => ({ hash: real.hash, compare: compares }))
const { AccessControl } = await import('../../src/auth/access.ts')
const { Accounts } = await import('../../src/auth/accounts.ts')
const { ClientList } = await import('../../src/auth/client-list.ts')
const { WrongCredentials } = await import('../../src/auth/errors.ts')
const { HASH_LIMITS } = await import('../../src/auth/hash-queue.ts')
const { hashPassword, matches } = await import('../../src/auth/password.ts')
const { Tokens } = await import('../../src/auth/token.ts')
vi.doUnmock('bcrypt')
vi.resetModules()
beforeEach(() => {
  compares.mockClear()
})

const LONG = 'x'.repeat(72)
const WRONG: readonly (readonly [what: string, deviceId: string, password: string])[] = [
  ['an unknown client', 'unknown', 'sesame'],
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
  ['admin', await hashPassword('correct horse')],
] as const

const ADMIN = {
  ...{ id: 99, deviceId: 'admin', passwordHash: '', role: 'MAN' as const, description: '', devices: [] },
  ...{ ownQueueOnly: null, changedAtMs: 0 },
}

async function openAccounts(): Promise<AnyAccounts> {
  const { clients } = new TemporaryStore()
  for (const [deviceId, passwordHash] of HASHES) {
    await clients.add({
      deviceId,
      passwordHash,
      role: deviceId === 'admin' ? 'MAN' : 'DEVISE',
      description: '',
      devices: [],
      ownQueueOnly: null,
      changedAtMs: 0,
    })
  }
  const list = await ClientList.open(clients)
  const access = new AccessControl({ clients: list })
  return new Accounts({ clients: list, tokens: new Tokens(JWT_SECRET, 60_000), access })
}

test('login: during the check the client is renamed and another client gets its id → refused', async () => {
  let lastId = 0
  const clients = await ClientList.open({
    all: async () => [ADMIN],
    add: async (client) => ({ id: ++lastId, ...client }),
    addFirstAdmin: async () => null,
    replace: async () => {},
    remove: async () => {},
    lastLogins: async () => new Map(),
    previousLogin: async () => null,
    recordLogins: async () => {},
  })
  const access = new AccessControl({ clients })
  const accounts = new Accounts({ clients, tokens: new Tokens(JWT_SECRET, 60_000), access })
  // The hash has cost 10, so that the check takes longer than the changes, which need no disk.
  const { id } = await clients.create({
    deviceId: 'lamp',
    password: '$2b$10$5ypSz5e9ULAoQ1CenU.F4OvHD5C7zC7ZJsChtiq/TdFKDIriCnswO',
  })
  const login = accounts.login('lamp', 'sesame', 'here')
  await setImmediate()
  await clients.change(id, { deviceId: 'lantern' })
  await clients.create({ deviceId: 'lamp', password: `$2b$04$${'a'.repeat(53)}`, role: 'MAN' })
  await expect(login).rejects.toThrow(WrongCredentials)
})

test('login: the right password → the client', async () => {
  const accounts = await openAccounts()
  expect(await accounts.login('lamp', 'sesame', 'here')).toMatchObject({ deviceId: 'lamp' })
  expect(await accounts.login('long', LONG, 'here')).toMatchObject({ deviceId: 'long' })
})

test.each(WRONG)(
  'login: %s → refused with the same error, at the cost of one hash',
  async (_what, deviceId, password) => {
    const accounts = await openAccounts()
    await expect(accounts.login(deviceId, password, 'here')).rejects.toEqual(new WrongCredentials())
    // A password that bcrypt would cut is not kept while the login waits.
    const compared = password.length > LONG.length ? '' : password
    expect(compares.mock.calls).toEqual([[compared, expect.stringMatching(/^\$2b\$10\$/)]])
  },
)

test('password check: used again within a day → no hash; later → one hash', async () => {
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

test.each([`${LONG}y`, 'é'.repeat(37), 'a\0a', '\0'])('new password: %j → refused', (password) => {
  expect(() => hashPassword(password)).toThrow(RangeError)
})

test('password hashes: 48 at once → a few at a time, in the order of the calls', async () => {
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
  const all = Promise.all(passwords.map((password) => matches(password, HASHES[0][1])))
  release()
  expect(await all).toEqual(passwords.map(() => false))
  expect(order).toEqual(passwords)
  expect(most).toBe(HASH_LIMITS.atOnce)
  compares.mockReset()
})

describe(`adapter ${ADAPTER}`, () => {
  const login = (
    { server: { url } }: BrokerUnderTest,
    deviseId: string,
    password: unknown,
  ): Promise<Answer> => call(url, 'POST', '/auth/login', { deviseId, password })

  test('login over REST: unknown client, wrong or odd password → 401 with the same bytes', async () => {
    const broker = await BrokerUnderTest.start()
    const seen = new Set<string>()
    for (const [deviceId, password] of [
      ['unknown', 'guess'],
      ['admin', 'guess'],
      ['admin', ''],
      ['admin', 'x'.repeat(4_000)],
      ['admin', `${ADMIN_PASSWORD}\0`],
      ['admin', `${ADMIN_PASSWORD}\0${ADMIN_PASSWORD}`],
    ] as const) {
      const { status, text, headers } = await login(broker, deviceId, password)
      const names = [...headers].filter(([name]) => name !== 'date')
      seen.add(JSON.stringify([status, text, names]))
    }
    expect([...seen]).toEqual([expect.stringMatching(/^\[401,"\{\\"error\\":\\"Unauthorized\\"\}"/)])
  })

  test.each(['/auth/login', '/auth/is-client-enabled'])(
    '%s: a password of 250 KB → 413 by its declared length, before it is sent',
    async (path) => {
      const broker = await BrokerUnderTest.start()
      const attacker = await Client.connect(broker.port)
      const headers = { 'content-type': 'application/json', 'content-length': '250000' }
      await attacker.send(requestOf('POST', path, { headers }))
      expect((await attacker.answer()).status).toBe(413)
      await attacker.closed
    },
  )

  test('login over REST: the longest id and password, every character escaped → 200', async () => {
    const broker = await BrokerUnderTest.start()
    const deviseId = '🚀'.repeat(255)
    const password = 'x'.repeat(72)
    expect(await broker.rest.post('/admin/api/clients', { deviseId, password })).toMatchObject({
      status: 201,
    })
    const escaped = (text: string): string =>
      text.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const body = `{"${escaped('deviseId')}":"${escaped(deviseId)}","${escaped('password')}":"${escaped(password)}"}`
    expect((await request(broker.port, 'POST', '/auth/login', { body })).status).toBe(200)
  })

  test('login over REST: credentials of a wrong type or length → 400', async () => {
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
})
