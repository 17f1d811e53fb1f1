/** The log lines of refused logins and tokens, over REST and MQTT. Runs over each adapter. */
import jwt from 'jsonwebtoken'
import { beforeEach, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import type { LogLine } from '../_support/log-lines.ts'
import { refusalOf } from '../_support/mqtt.ts'
import { call, withToken } from '../_support/rest.ts'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeEach(async () => {
    broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp'), mqtt: true })
  })

  const refusals = (): readonly LogLine[] =>
    broker.server.log.filter(({ reason, count }) => reason !== undefined || count !== undefined)

  test('wrong password over REST and MQTT, no password, a forged token → a line each, with reason and address', async () => {
    const login = (body: object) => call(broker.server.url, 'POST', '/auth/login', body)
    await login({ deviseId: 'lamp', password: 'guess-over-rest' })
    await refusalOf({ port: broker.mqttPort, username: 'lamp', password: 'guess-over-mqtt', clientId: 'x' })
    await refusalOf({ port: broker.mqttPort, clientId: 'y' })
    const forged = jwt.sign({ sub: 'lamp', role: 'MAN' }, 'another secret')
    expect((await withToken(broker.server.url, forged).get('/auth/me')).status).toBe(401)
    expect((await withToken(broker.server.url, 'no-token').get('/auth/me')).status).toBe(401)
    expect((await call(broker.server.url, 'GET', '/auth/me')).status).toBe(401)
    const peer = { level: 'info', address: '127.0.0.1' }
    expect(refusals()).toMatchObject([
      { ...peer, reason: 'WRONG_CREDENTIALS', deviceId: 'lamp', transport: 'REST' },
      { ...peer, reason: 'WRONG_CREDENTIALS', deviceId: 'lamp', transport: 'MQTT', clientId: 'x' },
      { ...peer, reason: 'NO_CREDENTIALS', deviceId: null, transport: 'MQTT' },
      { ...peer, reason: 'WRONG_TOKEN', deviceId: 'lamp', transport: 'REST' },
      { ...peer, reason: 'WRONG_TOKEN', deviceId: null, transport: 'REST' },
    ])
    const text = JSON.stringify(broker.server.log)
    for (const secret of ['guess-over', forged, 'no-token', PASSWORD]) expect(text).not.toContain(secret)
  })

  test('a flood of refused tokens → each has a line or is counted in one', async () => {
    const flood = withToken(broker.server.url, 'no-token')
    await Promise.all(Array.from({ length: 300 }, () => flood.get('/auth/me')))
    await broker.server.kill()
    const counts = refusals().map(({ count }) => (count === undefined ? 1 : Number(count)))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300)
  })
})
