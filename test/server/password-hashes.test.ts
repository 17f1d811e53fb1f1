/** Clients that move over from another broker with the bcrypt hashes of their passwords. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { startInProcess } from '../_support/in-process.ts'
import { call, tokenOf } from '../_support/rest.ts'

const CLIENTS = '/admin/api/clients'
/** Hashes made by crypt_blowfish and libxcrypt, with their passwords. */
const HASHES = [
  ['$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
  ['$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
  ['$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq', 'rasmuslerdorf'],
  ['$2y$04$BCryptRequires22ChrcteGK6daYVhc9KEOqwl9Gv76plPoTsXvom', 'päss \u{1F680}'],
] as const
const [[HASH, PASSWORD], , [OTHER_HASH]] = HASHES
const withCost = (cost: string): string => `$2b$${cost}${HASH.slice(6)}`

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
})

const create = (deviseId: string, password: string) => broker.rest.post(CLIENTS, { deviseId, password })
const login = async (deviseId: string, password: string): Promise<number> =>
  (await call(broker.server.url, 'POST', '/auth/login', { deviseId, password })).status

test.each(HASHES)(
  'new client with the hash %s → logs in with its password, not with the hash',
  async (hash, password) => {
    const deviseId = `moved ${hash.slice(0, 6)}`
    expect((await create(deviseId, hash)).status).toBe(201)
    expect(await login(deviseId, password)).toBe(200)
    expect(await login(deviseId, hash)).toBe(401)
    expect(await login(deviseId, hash.replace('$2y$', '$2b$'))).toBe(401)
  },
)

test.each(['00', '03', '15', '31', '99'])(
  'new client with a hash of cost %s → 400 that says which costs are accepted',
  async (cost) => {
    expect(await create('costly', withCost(cost))).toMatchObject({
      status: 400,
      body: {
        message: `The password is a bcrypt hash of cost ${Number(cost)}. Use a hash of cost 4 to 14, or the password itself.`,
      },
    })
  },
)

test.each(['04', '14'])('new client with a hash of cost %s → 201', async (cost) => {
  expect((await create(`cost ${cost}`, withCost(cost))).status).toBe(201)
})

test.each([
  HASH.slice(0, -1),
  `${HASH}a`,
  HASH.replace('$2a', '$2x'),
  HASH.replace('.', '_'),
  ` ${HASH.slice(1)}`,
])('new client with the password "%s", which is no hash → logs in with that text', async (password) => {
  const deviceId = `no hash ${password.trim()}`
  expect((await create(deviceId, password)).status).toBe(201)
  expect(await login(deviceId, password)).toBe(200)
  expect(await login(deviceId, PASSWORD)).toBe(401)
})

test('client that exists: a hash as its new password → 400, and its password stays', async () => {
  const { body } = await create('settled', 'sesame')
  const answer = await broker.rest.put(`${CLIENTS}/${(body as { id: number }).id}`, { password: HASH })
  expect(answer).toMatchObject({
    status: 400,
    body: {
      message: 'The password is a bcrypt hash, which only a new client may have. Send the password itself.',
    },
  })
  expect(await login('settled', 'sesame')).toBe(200)
})

describe('CSV import', () => {
  const importClients = async (csv: string, dryRun = false): Promise<object> => {
    const form = new FormData()
    form.append('dryRun', String(dryRun))
    form.append('file', new Blob([csv], { type: 'text/csv' }), 'clients.csv')
    const headers = { authorization: `Bearer ${broker.token}` }
    const response = await fetch(`${broker.server.url}${CLIENTS}/import`, {
      method: 'POST',
      headers,
      body: form,
    })
    let report = (await response.json()) as { id: number; state: string }
    while (report.state === 'RUNNING')
      report = (await broker.rest.get(`${CLIENTS}/import/${report.id}`)).body as typeof report
    return report
  }
  const lines = HASHES.map(([hash], i) => `from csv ${i},${hash}`)
  const csv = ['deviseId,password', ...lines].join('\n')

  test('hashes of new clients → created; the same file again → unchanged, and their tokens stay valid', async () => {
    expect(await importClients(csv)).toMatchObject({ created: 4, errors: [] })
    const tokens = await Promise.all(
      HASHES.map(([, password], i) => tokenOf(broker.server.url, `from csv ${i}`, password)),
    )
    expect(await importClients(csv, true)).toMatchObject({ unchanged: 4, errors: [] })
    expect(await importClients(csv)).toMatchObject({ unchanged: 4, errors: [] })
    for (const token of tokens)
      expect((await call(broker.server.url, 'GET', '/auth/me', undefined, token)).status).toBe(200)
  })

  test.each([true, false])(
    'another hash of a client that exists, a hash that costs too much → errors (dry run: %s)',
    async (dryRun) => {
      await create('here', 'sesame')
      const report = await importClients(
        `deviseId,password\nhere,${OTHER_HASH}\nslow,${withCost('31')}`,
        dryRun,
      )
      expect(report).toMatchObject({
        created: 0,
        changed: 0,
        errors: [
          {
            line: 2,
            deviseId: 'here',
            message:
              'The client exists with another password, and only a new client may have a bcrypt hash. Give the password itself, or leave the cell empty.',
          },
          {
            line: 3,
            deviseId: 'slow',
            message: expect.stringMatching(/of cost 31\. Use a hash of cost 4 to 14/),
          },
        ],
      })
      expect(await login('here', 'sesame')).toBe(200)
    },
  )
})

test('ADMIN_PASSWORD with a hash → the first admin logs in with the password of the hash', async () => {
  const env = { ADMIN_PASSWORD: HASH, JWT_SECRET }
  const { url } = await startInProcess({ flags: { adapter: ADAPTER }, env, dataDir: temporaryDirectory() })
  await expect(tokenOf(url, 'admin', PASSWORD)).resolves.toBeTruthy()
  await expect(tokenOf(url, 'admin', HASH)).rejects.toThrow('401')
})
