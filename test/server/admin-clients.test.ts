/** Tests /admin/api/clients: create, read, update and delete clients. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { call, logIn, type Rest, tokenOf, withToken } from '../_support/rest.ts'

const CLIENTS = '/admin/api/clients'

interface Client {
  readonly id: number
  readonly deviseId: string
  readonly role: string
  readonly description: string
}

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let admin: Rest
  let url: string
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
    admin = broker.rest
    url = broker.server.url
  })

  const createClient = async (client: object): Promise<Client> => {
    const { status, body, text } = await admin.post(CLIENTS, { password: 'sesame', ...client })
    if (status !== 201) throw new Error(`not created: ${status} ${text}`)
    return body as Client
  }
  const tokenFor = (deviseId: string, password = 'sesame'): Promise<string> =>
    tokenOf(url, deviseId, password)
  const statusWith = async (token: string): Promise<unknown> =>
    (await withToken(url, token).get('/auth/me')).status

  test('list clients: all → the first admin comes first', async () => {
    const { status, body } = await admin.get(CLIENTS)
    expect(status).toBe(200)
    expect((body as Client[])[0]).toEqual({
      id: 1,
      deviseId: 'admin',
      role: 'MAN',
      description: 'first admin',
    })
  })

  test('lastLoginDate: with details → the time of the last login; null before it', async () => {
    const fresh = await createClient({ deviseId: 'never' })
    const known = await createClient({ deviseId: 'often' })
    const before = Date.now()
    await tokenFor('often')
    const of = async ({ id }: Client) => (await admin.get(`${CLIENTS}/${id}?details=true`)).body
    expect(await of(fresh)).toMatchObject({ lastLoginDate: null })
    const { lastLoginDate } = (await of(known)) as { lastLoginDate: number }
    expect(lastLoginDate).toBeGreaterThanOrEqual(before)
    const { body } = await admin.get(`${CLIENTS}?details=true`)
    expect(body).toContainEqual(expect.objectContaining({ deviseId: 'often', lastLoginDate }))
    expect((await admin.get(`${CLIENTS}/${known.id}`)).body).not.toHaveProperty('lastLoginDate')
  })

  test('create a client: valid fields → 201, a Location, the record without its password', async () => {
    const answer = await admin.post(CLIENTS, { deviseId: 'pump', password: 'sesame', description: 'hall 1' })
    const { id } = answer.body as Client
    const record = { id, deviseId: 'pump', role: 'DEVISE', description: 'hall 1' }
    expect(answer.status).toBe(201)
    expect(answer.text).toBe(JSON.stringify(record))
    expect(answer.headers.get('location')).toBe(`${CLIENTS}/${id}`)
    expect((await admin.get(`${CLIENTS}/${id}`)).body).toEqual(record)
    expect((await admin.get(CLIENTS)).body).toContainEqual(record)
    expect(await statusWith(await tokenFor('pump'))).toBe(200)
  })

  test('create a client: role and description are null → role DEVISE, an empty description', async () => {
    expect(await createClient({ deviseId: 'plain', role: null, description: null })).toMatchObject({
      role: 'DEVISE',
      description: '',
    })
  })

  test('create a client: role MAN → it can use the admin API', async () => {
    await createClient({ deviseId: 'second admin', role: 'MAN' })
    expect((await (await logIn(url, 'second admin', 'sesame')).get(CLIENTS)).status).toBe(200)
  })

  test.each([
    ['no deviseId', { password: 'x' }, /"deviseId" is missing/],
    ['an empty deviseId', { deviseId: '', password: 'x' }, /"deviseId"/],
    ['a deviseId that is too long', { deviseId: 'x'.repeat(256), password: 'x' }, /1 to 255 characters/],
    ['a control character in the deviseId', { deviseId: 'a\nb', password: 'x' }, /"deviseId"/],
    ['a deviseId that is a number', { deviseId: 7, password: 'x' }, /"deviseId"/],
    ['no password', { deviseId: 'x' }, /"password" is missing/],
    ['an empty password', { deviseId: 'x', password: '' }, /"password"/],
    ['a password beyond 72 bytes', { deviseId: 'x', password: 'ä'.repeat(37) }, /more than 72 bytes/],
    ['a NUL in the password', { deviseId: 'x', password: 'a\0b' }, /has a NUL/],
    ['an unknown role', { deviseId: 'x', password: 'x', role: 'ROOT' }, /one of DEVISE, MAN/],
    ['a description that is not a string', { deviseId: 'x', password: 'x', description: 1 }, /"description"/],
  ])('create a client: %s → 400', async (_what, client, message) => {
    const answer = await admin.post(CLIENTS, client)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'Bad Request', message: expect.stringMatching(message) },
    })
  })

  test.each([' pump', 'pump ', ' ', '\u00a0pump', 'pump\u2003'])(
    'create a client: deviseId %j has white space at an end → 400, no client, its queue works',
    async (deviseId) => {
      expect(await admin.post(CLIENTS, { deviseId, password: 'sesame' })).toMatchObject({
        status: 400,
        body: {
          error: 'Bad Request',
          message: `The deviseId "${deviseId}" begins or ends with white space. Remove the white space.`,
        },
      })
      const { body } = await admin.get(CLIENTS)
      expect((body as Client[]).filter((each) => each.deviseId === deviseId)).toEqual([])
      const id = await broker.send(deviseId, { command: 'start' })
      expect(await broker.next(deviseId)).toBe(id)
    },
  )

  test('create a client: a deviseId that exists, or twice at once → 409', async () => {
    await createClient({ deviseId: 'twin' })
    const answer = await admin.post(CLIENTS, { deviseId: 'twin', password: 'x' })
    expect(answer).toMatchObject({
      status: 409,
      body: { error: 'Conflict', message: expect.stringMatching(/"twin"/) },
    })
    const both = await Promise.all([1, 2].map(() => admin.post(CLIENTS, { deviseId: 'race', password: 'x' })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
  })

  test.each(['GET', 'PUT', 'DELETE'])('client by id: %s with an unknown id → 404', async (method) => {
    const { accessToken } = (
      await call(url, 'POST', '/auth/login', { deviseId: 'admin', password: ADMIN_PASSWORD })
    ).body as { accessToken: string }
    const body = method === 'PUT' ? { description: 'x' } : undefined
    const answer = await call(url, method, `${CLIENTS}/4711`, body, accessToken)
    expect(answer).toMatchObject({
      status: 404,
      body: { error: 'Not Found', message: 'There is no client 4711.' },
    })
  })

  test('client by id: GET with an invalid id → 400', async () => {
    expect((await admin.get(`${CLIENTS}/pump`)).status).toBe(400)
    expect((await admin.get(`${CLIENTS}/0`)).status).toBe(400)
  })

  describe('devices of a client', () => {
    const devicesOf = async (id: number): Promise<unknown> => {
      const { body } = await admin.get(`${CLIENTS}/${id}?details=true`)
      return (body as { devices: unknown }).devices
    }

    test('created with a list → shown with details only', async () => {
      const devices = ['child-1', 'site-1-*']
      const client = await createClient({ deviseId: 'gateway', devices })
      const detailed = { ...client, devices, ownQueueOnly: null, lastLoginDate: null }
      expect(Object.keys(client)).toEqual(['id', 'deviseId', 'role', 'description'])
      expect((await admin.get(`${CLIENTS}/${client.id}`)).body).toEqual(client)
      expect((await admin.get(`${CLIENTS}/${client.id}?details=true`)).body).toEqual(detailed)
      expect((await admin.get(CLIENTS)).body).toContainEqual(client)
      expect((await admin.get(`${CLIENTS}?details=true`)).body).toContainEqual(detailed)
    })

    test('updated: absent or null → kept; another list → replaced; an empty one → cleared', async () => {
      const { id } = await createClient({ deviseId: 'hub', devices: ['a', 'b'] })
      await admin.put(`${CLIENTS}/${id}`, { description: 'x' })
      await admin.put(`${CLIENTS}/${id}`, { devices: null })
      expect(await devicesOf(id)).toEqual(['a', 'b'])
      await admin.put(`${CLIENTS}/${id}`, { devices: ['*'] })
      expect(await devicesOf(id)).toEqual(['*'])
      await admin.put(`${CLIENTS}/${id}`, { devices: [] })
      expect(await devicesOf(id)).toEqual([])
    })

    test('created and updated with details → shown, asked for in the query or the body', async () => {
      const created = await admin.post(`${CLIENTS}?details=true`, {
        ...{ deviseId: 'shown', password: 'sesame', devices: ['a'] },
      })
      const { id } = created.body as Client
      expect(created.body).toMatchObject({ devices: ['a'] })
      const { body } = await admin.put(`${CLIENTS}/${id}`, { devices: ['b'], details: true })
      expect(body).toMatchObject({ devices: ['b'] })
      expect((await admin.put(`${CLIENTS}/${id}`, { details: 'yes' })).body).not.toHaveProperty('devices')
    })

    test('ownQueueOnly: absent → kept; true, false → set; null → the general setting again', async () => {
      const { id } = await createClient({ deviseId: 'limited', ownQueueOnly: true })
      const valueAfter = async (change: object): Promise<unknown> => {
        const { body } = await admin.put(`${CLIENTS}/${id}?details=true`, change)
        return (body as { ownQueueOnly: unknown }).ownQueueOnly
      }
      expect(await valueAfter({ description: 'x' })).toBe(true)
      expect(await valueAfter({ ownQueueOnly: false })).toBe(false)
      expect(await valueAfter({ ownQueueOnly: null })).toBe(null)
      expect((await admin.put(`${CLIENTS}/${id}`, { ownQueueOnly: 'yes' })).status).toBe(400)
    })

    test('another list → the tokens of the client stay valid', async () => {
      const { id } = await createClient({ deviseId: 'lasting' })
      const token = await tokenFor('lasting')
      await admin.put(`${CLIENTS}/${id}`, { devices: ['a'] })
      expect(await statusWith(token)).toBe(200)
    })

    test.each([
      ['1001 entries', Array.from({ length: 1_001 }, (_, i) => `d${i}`)],
      ['an empty entry', ['']],
      ['an entry with a space', ['pump 1']],
      ['an entry of 256 characters', ['x'.repeat(256)]],
      ['a number', [7]],
      ['no list', 'pump-1'],
    ])('%s → 400', async (_what, devices) => {
      const answer = await admin.post(CLIENTS, { deviseId: 'x', password: 'x', devices })
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/"devices/) } })
    })
  })

  describe('update a client', () => {
    test('new role and description → both are replaced, the password stays', async () => {
      const { id } = await createClient({ deviseId: 'valve', description: 'old' })
      const answer = await admin.put(`${CLIENTS}/${id}`, { role: 'MAN', description: 'new' })
      expect(answer).toMatchObject({
        status: 200,
        body: { id, deviseId: 'valve', role: 'MAN', description: 'new' },
      })
      expect((await admin.get(`${CLIENTS}/${id}`)).body).toEqual(answer.body)
      expect(await statusWith(await tokenFor('valve'))).toBe(200)
    })

    test('absent or null fields, an empty password → kept; an empty description → cleared', async () => {
      const { id } = await createClient({ deviseId: 'keeper', role: 'MAN', description: 'old' })
      const record = { id, deviseId: 'keeper', role: 'MAN', description: 'old' }
      for (const change of [{}, { role: null, description: null, password: null }, { password: '' }]) {
        expect((await admin.put(`${CLIENTS}/${id}`, change)).body).toEqual(record)
      }
      expect((await admin.put(`${CLIENTS}/${id}`, { description: '' })).body).toMatchObject({
        description: '',
      })
      expect(await statusWith(await tokenFor('keeper'))).toBe(200)
    })

    test('new password → the old one is wrong; over 72 bytes or with NUL → 400', async () => {
      const { id } = await createClient({ deviseId: 'changer' })
      await tokenFor('changer')
      expect((await admin.put(`${CLIENTS}/${id}`, { password: 'new one' })).status).toBe(200)
      expect(
        (await call(url, 'POST', '/auth/login', { deviseId: 'changer', password: 'sesame' })).status,
      ).toBe(401)
      expect(await statusWith(await tokenFor('changer', 'new one'))).toBe(200)
      expect((await admin.put(`${CLIENTS}/${id}`, { password: 'x'.repeat(73) })).status).toBe(400)
      expect((await admin.put(`${CLIENTS}/${id}`, { password: 'new\0one' })).status).toBe(400)
    })

    test('the same deviseId → 200; an unknown role → 400', async () => {
      const { id } = await createClient({ deviseId: 'fixed' })
      expect((await admin.put(`${CLIENTS}/${id}`, { deviseId: 'fixed', description: 'x' })).status).toBe(200)
      expect((await admin.put(`${CLIENTS}/${id}`, { role: 'KING' })).status).toBe(400)
    })
  })

  describe('existing token', () => {
    test.each([
      ['a new password', { password: 'other' }],
      ['another role', { role: 'MAN' }],
    ])('%s for its client → 401 at once', async (what, change) => {
      const { id } = await createClient({ deviseId: `token ${what}` })
      const token = await tokenFor(`token ${what}`)
      expect(await statusWith(token)).toBe(200)
      await admin.put(`${CLIENTS}/${id}`, change)
      expect(await statusWith(token)).toBe(401)
    })

    test('new description for its client → still valid', async () => {
      const { id } = await createClient({ deviseId: 'described' })
      const token = await tokenFor('described')
      expect(await statusWith(token)).toBe(200)
      await admin.put(`${CLIENTS}/${id}`, { description: 'x' })
      expect(await statusWith(token)).toBe(200)
    })

    test('its client is deleted, then created again → 401', async () => {
      const { id } = await createClient({ deviseId: 'phoenix' })
      const token = await tokenFor('phoenix')
      expect(await statusWith(token)).toBe(200)
      expect(await admin.delete(`${CLIENTS}/${id}`)).toMatchObject({ status: 204, text: '' })
      expect(await statusWith(token)).toBe(401)
      expect((await createClient({ deviseId: 'phoenix' })).id).toBeGreaterThan(id)
      expect(await statusWith(token)).toBe(401)
      expect(await statusWith(await tokenFor('phoenix'))).toBe(200)
    })

    test('password changes in quick succession → 401 after each', async () => {
      const { id } = await createClient({ deviseId: 'hasty' })
      for (const password of ['one', 'two', 'three']) {
        const before = await tokenFor(
          'hasty',
          password === 'one' ? 'sesame' : password === 'two' ? 'one' : 'two',
        )
        await admin.put(`${CLIENTS}/${id}`, { password })
        expect(await statusWith(before)).toBe(401)
        expect(await statusWith(await tokenFor('hasty', password))).toBe(200)
      }
    })
  })

  test('delete a client: it has a pending message → 204, then 404; the message stays', async () => {
    const { id } = await createClient({ deviseId: 'leaver' })
    const message = await broker.send('leaver', { command: 'on' })
    expect((await admin.delete(`${CLIENTS}/${id}`)).status).toBe(204)
    expect((await admin.get(`${CLIENTS}/${id}`)).status).toBe(404)
    expect((await admin.delete(`${CLIENTS}/${id}`)).status).toBe(404)
    expect((await call(url, 'POST', '/auth/login', { deviseId: 'leaver', password: 'sesame' })).status).toBe(
      401,
    )
    expect(await broker.status(message)).toBe('NOT_DELIVERED')
  })
})

describe(`clients, adapter ${ADAPTER}`, () => {
  test('last admin: deleted, demoted, or two delete each other at once → refused', async () => {
    const { rest, server } = await BrokerUnderTest.start()
    const conflict = {
      status: 409,
      body: { error: 'Conflict', message: expect.stringMatching(/"admin" is the last client/) },
    }
    expect(await rest.delete(`${CLIENTS}/1`)).toMatchObject(conflict)
    expect(await rest.put(`${CLIENTS}/1`, { role: 'DEVISE' })).toMatchObject(conflict)
    expect((await rest.put(`${CLIENTS}/1`, { role: 'MAN', description: 'x' })).status).toBe(200)

    const { body } = await rest.post(CLIENTS, { deviseId: 'other', password: 'sesame', role: 'MAN' })
    const other = await logIn(server.url, 'other', 'sesame')
    const answers = await Promise.all([
      other.delete(`${CLIENTS}/1`),
      rest.delete(`${CLIENTS}/${(body as Client).id}`),
    ])
    const [done, refused] = answers.map(({ status }) => status).toSorted()
    expect(done).toBe(204)
    // 401: the client of the second request was already deleted, so its token is invalid.
    expect([401, 409]).toContain(refused)
  })

  test('restart: after changes and a deletion → the same list, and no id is used again', async () => {
    const first = await BrokerUnderTest.start()
    await first.rest.post(CLIENTS, { deviseId: 'pump', password: 'sesame' })
    await first.rest.put(`${CLIENTS}/2`, { description: 'changed', password: 'new one' })
    await first.rest.post(CLIENTS, { deviseId: 'gone', password: 'sesame' })
    await first.rest.delete(`${CLIENTS}/3`)
    const before = (await first.rest.get(CLIENTS)).body
    await first.server.kill()
    const { dataDir } = first
    const second = await BrokerUnderTest.start({ dataDir })
    expect((await second.rest.get(CLIENTS)).body).toEqual(before)
    expect((await logIn(second.server.url, 'pump', 'new one')).get).toBeDefined()
    const { body } = await second.rest.post(CLIENTS, { deviseId: 'next', password: 'x' })
    expect((body as Client).id).toBe(4)
  })
})
