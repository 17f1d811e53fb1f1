/** The log lines that settings bring: unknown variables, and the request log. Runs over each adapter. */
import { describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { call } from '../_support/rest.ts'

describe(`adapter ${ADAPTER}`, () => {
  test('unknown WAYBILL_ variable → one warning with the nearest name, and no value', async () => {
    const { server } = await BrokerUnderTest.start({ env: { WAYBILL_HISTORY_DAY: 'private' } })
    expect(server.log.filter(({ name }) => name !== undefined)).toEqual([
      {
        level: 'warn',
        time: expect.any(String),
        name: 'WAYBILL_HISTORY_DAY',
        nearest: 'WAYBILL_HISTORY_DAYS',
        msg: 'WAYBILL_HISTORY_DAY is not a variable of waybill, so it has no effect: did you mean WAYBILL_HISTORY_DAYS? Otherwise remove it',
      },
    ])
    expect(JSON.stringify(server.log)).not.toContain('private')
  })

  test('JWT_SECRET in quotes → one warning, and no value', async () => {
    const value = `"${'private'.repeat(6)}"`
    const { server } = await BrokerUnderTest.start({ env: { JWT_SECRET: value } })
    expect(server.log.filter(({ name }) => name !== undefined)).toMatchObject([
      { level: 'warn', name: 'JWT_SECRET', msg: expect.stringContaining('stands in quotes') },
    ])
    expect(JSON.stringify(server.log)).not.toContain('private')
  })

  test('log.requests and level debug → a line for each request, without query and body', async () => {
    const env = { WAYBILL_LOG_REQUESTS: 'true', WAYBILL_LOG_LEVEL: 'debug' }
    const broker = await BrokerUnderTest.start({ env })
    await broker.send('pump', { command: 'secret-command' })
    await broker.rest.get('/admin/api/messages?deviseId=hidden-in-query')
    await call(broker.server.url, 'GET', '/nowhere')
    const lines = broker.server.log.filter(({ msg }) => msg === 'HTTP request')
    const line = { level: 'debug', ms: expect.any(Number), address: '127.0.0.1' }
    expect(lines).toMatchObject([
      { ...line, method: 'POST', path: '/auth/login', status: 200, deviceId: null },
      { ...line, method: 'PUT', path: '/producer/request/pump', status: 200, deviceId: 'admin' },
      { ...line, method: 'GET', path: '/admin/api/messages', status: 200, deviceId: 'admin' },
      { ...line, method: 'GET', path: '/nowhere', status: 404, deviceId: null },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/secret-command|hidden-in-query/)
  })

  test('log.requests and level info → one warning, no line for a request', async () => {
    const broker = await BrokerUnderTest.start({ env: { WAYBILL_LOG_REQUESTS: 'true' } })
    await broker.poll('pump')
    expect(broker.server.log.filter(({ msg }) => msg === 'HTTP request')).toEqual([])
    expect(broker.server.log).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'log.requests is on, but log.level=info hides its lines. Set log.level=debug',
      }),
    )
  })
})
