/** No line of a server that uses every feature has a password, a token or the secret that signs tokens. */
import { describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { useEveryFeature } from '../_support/every-feature.ts'
import { refusalOf } from '../_support/mqtt.ts'
import { call } from '../_support/rest.ts'

describe(`adapter ${ADAPTER}`, () => {
  test('every feature is used, at level trace and with the request log → no secret in any line', async () => {
    const env = {
      WAYBILL_LOG_LEVEL: 'trace',
      WAYBILL_LOG_REQUESTS: 'true',
      WAYBILL_PASSWORT: 'in-a-misspelt-variable',
      COMMON_SEND_MESSAGE_PERIOD: '1',
    }
    const broker = await BrokerUnderTest.start({ mqtt: true, env })
    await useEveryFeature(broker, () => true)
    await broker.rest.post('/admin/api/clients', { deviseId: 'leaky', password: 'of-a-new-client' })
    await broker.rest.post('/admin/api/clients', { deviseId: 'leaky', password: 'of-a-refused-client' })
    await call(broker.server.url, 'POST', '/auth/login', {
      deviseId: 'leaky',
      password: 'of-a-refused-login',
    })
    await refusalOf({ port: broker.mqttPort, username: 'leaky', password: 'of-a-refused-connect' })
    await call(broker.server.url, 'GET', '/admin/api/clients?token=in-the-query')
    await broker.send('pump', { command: 'start', data: { pin: 'in-the-data' } })
    await broker.server.kill()
    const text = JSON.stringify(broker.server.log)
    const secrets = [ADMIN_PASSWORD, JWT_SECRET, broker.token, 'a gateway', '$2b$', 'in-a-misspelt-variable']
    const given = ['of-a-new', 'of-a-refused', 'in-the-query', 'in-the-data']
    expect(broker.server.log.length).toBeGreaterThan(50)
    for (const secret of [...secrets, ...given]) expect(text).not.toContain(secret)
  })
})
