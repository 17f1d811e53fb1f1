/** /admin/api/clients over REST: the document's rows, and what its page leaves open. */
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

  const make = async (client: object): Promise<Client> => {
    const { status, body, text } = await admin.post(CLIENTS, { password: 'sesame', ...client })
    if (status !== 201) throw new Error(`not made: ${status} ${text}`)
    return body as Client
  }
  const tokenFor = (deviseId: string, password = 'sesame'): Promise<string> =>
    tokenOf(url, deviseId, password)
  const me = async (token: string): Promise<unknown> => (await withToken(url, token).get('/auth/me')).status

  test('the first admin is the first of the list', async () => {
    const { status, body } = await admin.get(CLIENTS)
    expect(status).toBe(200)
    expect((body as Client[])[0]).toEqual({
      id: 1,
      deviseId: 'admin',
      role: 'MAN',
      description: 'first admin',
    })
  })

  test('create: 201, the record without its password, and where it is', async () => {
    const answer = await admin.post(CLIENTS, { deviseId: 'pump', password: 'sesame', description: 'hall 1' })
    const { id } = answer.body as Client
    const record = { id, deviseId: 'pump', role: 'DEVISE', description: 'hall 1' }
    expect(answer.status).toBe(201)
    expect(answer.text).toBe(JSON.stringify(record))
    expect(answer.headers.get('location')).toBe(`${CLIENTS}/${id}`)
    expect((await admin.get(`${CLIENTS}/${id}`)).body).toEqual(record)
    expect((await admin.get(CLIENTS)).body).toContainEqual(record)
    expect(await me(await tokenFor('pump'))).toBe(200)
  })

  test('role DEVISE and no description, when null or left out', async () => {
    expect(await make({ deviseId: 'plain', role: null, description: null })).toMatchObject({
      role: 'DEVISE',
      description: '',
    })
  })

  test('a client with role MAN may manage', async () => {
    await make({ deviseId: 'second admin', role: 'MAN' })
    expect((await (await logIn(url, 'second admin', 'sesame')).get(CLIENTS)).status).toBe(200)
  })

  test.each([
    ['no deviseId', { password: 'x' }, /"deviseId" is missing/],
    ['an empty deviseId', { deviseId: '', password: 'x' }, /"deviseId"/],
    ['a deviseId that is too long', { deviseId: 'x'.repeat(256), password: 'x' }, /1 to 255 characters/],
    ['a control character', { deviseId: 'a\nb', password: 'x' }, /"deviseId"/],
    ['a number', { deviseId: 7, password: 'x' }, /"deviseId"/],
    ['no password', { deviseId: 'x' }, /"password" is missing/],
    ['an empty password', { deviseId: 'x', password: '' }, /"password"/],
    ['a password beyond 72 bytes', { deviseId: 'x', password: 'ä'.repeat(37) }, /at most 72 bytes/],
    ['a NUL in the password', { deviseId: 'x', password: 'a\0b' }, /no NUL/],
    ['an unknown role', { deviseId: 'x', password: 'x', role: 'ROOT' }, /one of DEVISE, MAN/],
    ['a description that is no text', { deviseId: 'x', password: 'x', description: 1 }, /"description"/],
  ])('create with %s: 400', async (_what, client, message) => {
    const answer = await admin.post(CLIENTS, client)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'Bad Request', message: expect.stringMatching(message) },
    })
  })

  test('a deviseId that is taken: 409, also for two at once', async () => {
    await make({ deviseId: 'twin' })
    const answer = await admin.post(CLIENTS, { deviseId: 'twin', password: 'x' })
    expect(answer).toMatchObject({
      status: 409,
      body: { error: 'Conflict', message: expect.stringMatching(/"twin"/) },
    })
    const both = await Promise.all([1, 2].map(() => admin.post(CLIENTS, { deviseId: 'race', password: 'x' })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
  })

  test.each(['GET', 'PUT', 'DELETE'])('%s of a client that does not exist: 404', async (method) => {
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

  test('an id that is none: 400', async () => {
    expect((await admin.get(`${CLIENTS}/pump`)).status).toBe(400)
    expect((await admin.get(`${CLIENTS}/0`)).status).toBe(400)
  })

  describe('update', () => {
    test('replaces role and description, and leaves the password as it is', async () => {
      const { id } = await make({ deviseId: 'valve', description: 'old' })
      const answer = await admin.put(`${CLIENTS}/${id}`, { role: 'MAN', description: 'new' })
      expect(answer).toMatchObject({
        status: 200,
        body: { id, deviseId: 'valve', role: 'MAN', description: 'new' },
      })
      expect((await admin.get(`${CLIENTS}/${id}`)).body).toEqual(answer.body)
      expect(await me(await tokenFor('valve'))).toBe(200)
    })

    test('keeps what is absent, null, or an empty password', async () => {
      const { id } = await make({ deviseId: 'keeper', role: 'MAN', description: 'old' })
      const record = { id, deviseId: 'keeper', role: 'MAN', description: 'old' }
      for (const change of [{}, { role: null, description: null, password: null }, { password: '' }]) {
        expect((await admin.put(`${CLIENTS}/${id}`, change)).body).toEqual(record)
      }
      expect((await admin.put(`${CLIENTS}/${id}`, { description: '' })).body).toMatchObject({
        description: '',
      })
      expect(await me(await tokenFor('keeper'))).toBe(200)
    })

    test('takes a new password, and the old one is wrong from then on', async () => {
      const { id } = await make({ deviseId: 'changer' })
      await tokenFor('changer')
      expect((await admin.put(`${CLIENTS}/${id}`, { password: 'new one' })).status).toBe(200)
      expect(
        (await call(url, 'POST', '/auth/login', { deviseId: 'changer', password: 'sesame' })).status,
      ).toBe(401)
      expect(await me(await tokenFor('changer', 'new one'))).toBe(200)
      expect((await admin.put(`${CLIENTS}/${id}`, { password: 'x'.repeat(73) })).status).toBe(400)
      expect((await admin.put(`${CLIENTS}/${id}`, { password: 'new\0one' })).status).toBe(400)
    })

    test('takes the same deviseId, and refuses another one', async () => {
      const { id } = await make({ deviseId: 'fixed' })
      expect((await admin.put(`${CLIENTS}/${id}`, { deviseId: 'fixed', description: 'x' })).status).toBe(200)
      expect(await admin.put(`${CLIENTS}/${id}`, { deviseId: 'moved' })).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/cannot be changed/) },
      })
      expect((await admin.put(`${CLIENTS}/${id}`, { role: 'KING' })).status).toBe(400)
    })
  })

  describe('a token from before', () => {
    test.each([
      ['a new password', { password: 'other' }],
      ['another role', { role: 'MAN' }],
    ])('%s is refused at once', async (what, change) => {
      const { id } = await make({ deviseId: `token ${what}` })
      const token = await tokenFor(`token ${what}`)
      expect(await me(token)).toBe(200)
      await admin.put(`${CLIENTS}/${id}`, change)
      expect(await me(token)).toBe(401)
    })

    test('a new description counts as before', async () => {
      const { id } = await make({ deviseId: 'described' })
      const token = await tokenFor('described')
      expect(await me(token)).toBe(200)
      await admin.put(`${CLIENTS}/${id}`, { description: 'x' })
      expect(await me(token)).toBe(200)
    })

    test('the deletion is refused at once, and stays so when the client is made again', async () => {
      const { id } = await make({ deviseId: 'phoenix' })
      const token = await tokenFor('phoenix')
      expect(await me(token)).toBe(200)
      expect(await admin.delete(`${CLIENTS}/${id}`)).toMatchObject({ status: 204, text: '' })
      expect(await me(token)).toBe(401)
      expect((await make({ deviseId: 'phoenix' })).id).toBeGreaterThan(id)
      expect(await me(token)).toBe(401)
      expect(await me(await tokenFor('phoenix'))).toBe(200)
    })

    test('two changes in one second is refused too', async () => {
      const { id } = await make({ deviseId: 'hasty' })
      for (const password of ['one', 'two', 'three']) {
        const before = await tokenFor(
          'hasty',
          password === 'one' ? 'sesame' : password === 'two' ? 'one' : 'two',
        )
        await admin.put(`${CLIENTS}/${id}`, { password })
        expect(await me(before)).toBe(401)
        expect(await me(await tokenFor('hasty', password))).toBe(200)
      }
    })
  })

  test('delete: 204; the client is gone, its messages stay', async () => {
    const { id } = await make({ deviseId: 'leaver' })
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

describe(`the last admin, adapter ${ADAPTER}`, () => {
  test('can neither be deleted nor demoted, also by two who delete each other at once', async () => {
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
    // Who asks when it is gone already has no valid token any more.
    expect([401, 409]).toContain(refused)
  })

  test('survives a restart as it was changed', async () => {
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
