/** A flood of logins from one address is bounded, and shuts out neither clients that have logged in nor admins. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HASH_LIMITS } from '../../src/auth/hash-queue.ts'
import { hashQueue } from '../../src/auth/password.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { Client, requestOf } from '../_support/http.ts'
import { refusalOf, VERSIONS } from '../_support/mqtt.ts'
import { type Answer, call } from '../_support/rest.ts'

const LOGIN = '/auth/login'
const KNOWN = { deviseId: 'known', password: PASSWORD }

/** Number of floods. Each has ids of its own, since equal logins share one check. */
let floods = 0
let broker: BrokerUnderTest
beforeAll(async () => {
  // A flood of the real limit would take minutes. The queue of the server reads the same object.
  Object.assign(HASH_LIMITS, { waiting: 64 })
  broker = await BrokerUnderTest.start({ dataDir: await withClients('known', 'new'), mqtt: true })
})

const post = (path: string, body: object): Promise<Answer> => call(broker.server.url, 'POST', path, body)

/** Occupies the turns of all logins. Returns a function that frees them. */
function holdLogins(): () => void {
  let free = (): void => {}
  const held = new Promise<boolean>((resolve) => {
    free = () => resolve(false)
  })
  for (let i = 0; i < HASH_LIMITS.atOnce; i++) {
    void hashQueue.login({ share: 'another address', key: `${i}`, signal: undefined }, () => held)
  }
  return free
}

/** Sends one login more than may wait, each over a connection of its own. Resolves when one is refused. */
async function flood(): Promise<Client[]> {
  const attackers: Client[] = []
  floods++
  for (let i = 0; i <= HASH_LIMITS.waiting; i++) {
    const attacker = await Client.connect(broker.port)
    await attacker.send(
      requestOf('POST', LOGIN, { body: { deviseId: `guess ${floods} ${i}`, password: 'x' } }),
    )
    attackers.push(attacker)
  }
  await Promise.any(attackers.map((attacker) => attacker.arrived('HTTP/1.1 503')))
  return attackers
}

describe(`adapter ${ADAPTER}`, () => {
  let free: () => void
  let attackers: Client[]
  beforeEach(async () => {
    expect((await post(LOGIN, KNOWN)).status).toBe(200)
    free = holdLogins()
    attackers = await flood()
  })
  afterEach(async () => {
    free()
    for (const attacker of attackers) await attacker.leave()
    // A login that is refused as wrong has had its turn.
    await eventually(async () =>
      expect((await post(LOGIN, { deviseId: `last ${floods}`, password: 'x' })).status).toBe(401),
    )
  })

  test('login from the address of a flood → checked before the logins that wait', async () => {
    let checked = 0
    const left = (): void => {}
    for (const attacker of attackers) void attacker.arrived('HTTP/1.1 401').then(() => checked++, left)
    const login = post(LOGIN, { deviseId: 'new', password: PASSWORD })
    await eventually(async () => {
      const { body } = await broker.rest.get('/admin/api/connections/refusals')
      const refused = (body as { deviseId: string }[]).filter(({ deviseId }) =>
        deviseId?.startsWith(`guess ${floods} `),
      )
      expect(refused).toHaveLength(2)
    })
    free()
    expect((await login).status).toBe(200)
    expect(checked).toBeLessThan(HASH_LIMITS.waiting / 2)
  })

  test('login that waits while too many others come → 503 with Retry-After, and listed as refused', async () => {
    const refused = post(LOGIN, { deviseId: 'waits', password: 'x' })
    for (let i = 0; i < 2; i++) attackers.push(...(await flood()))
    expect(await refused).toMatchObject({
      status: 503,
      body: { message: expect.stringMatching(/^Too many logins/) },
    })
    expect(Number((await refused).headers.get('retry-after'))).toBeGreaterThan(0)
    const { body } = await broker.rest.get('/admin/api/connections/refusals')
    const listed = { reason: 'TOO_MANY_LOGINS', deviseId: 'waits', transport: 'REST' }
    expect(body).toContainEqual(expect.objectContaining(listed))
  })

  test.each(VERSIONS)(
    'login over MQTT level %i that waits while too many others come → server unavailable',
    async (protocolVersion) => {
      const login = { port: broker.mqttPort, protocolVersion, username: 'lamp', password: 'x' }
      const refused = refusalOf(login)
      for (let i = 0; i < 2; i++) attackers.push(...(await flood()))
      expect(await refused).toBe(protocolVersion === 5 ? 0x88 : 3)
    },
  )

  test('flood: checked credentials, tokens → let in at once', async () => {
    expect((await post(LOGIN, KNOWN)).status).toBe(200)
    expect((await broker.rest.get('/auth/me')).status).toBe(200)
    const login = { port: broker.mqttPort, username: KNOWN.deviseId, password: PASSWORD }
    expect(await refusalOf(login)).toBeNull()
    expect(await refusalOf({ ...login, username: 'admin', password: broker.token })).toBeNull()
  })

  test('flood whose connections are closed → its checks are dropped, the next login is let in', async () => {
    for (const attacker of attackers) await attacker.leave()
    const login = eventually(async () => {
      const answer = await post(LOGIN, { deviseId: 'new', password: PASSWORD })
      expect(answer.status).not.toBe(503)
      return answer
    })
    free()
    expect((await login).status).toBe(200)
    const { body } = await broker.rest.get('/admin/api/connections/refusals')
    const checked = (body as { reason: string; deviseId: string }[]).filter(
      ({ reason, deviseId }) => reason === 'WRONG_CREDENTIALS' && deviseId.startsWith(`guess ${floods} `),
    )
    expect(checked.length).toBeLessThan(HASH_LIMITS.waiting / 2)
  })

  test('flood: an admin creates a client → does not stand behind the logins', async () => {
    let checked = 0
    const left = (): void => {}
    for (const attacker of attackers) void attacker.arrived('HTTP/1.1 401').then(() => checked++, left)
    const created = broker.rest.post('/admin/api/clients', { deviseId: 'made', password: 'long enough' })
    free()
    expect((await created).status).toBe(201)
    expect(checked).toBeLessThan(HASH_LIMITS.waiting)
    for (const attacker of attackers) await attacker.leave()
  })
})
