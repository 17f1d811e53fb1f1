/** Logins at the real cost of a hash do not hold up other clients. */
import { expect, test } from 'vitest'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { call } from '../_support/rest.ts'

test.each(ADAPTERS)(
  'adapter %s: 32 wrong logins at once → others are answered in between',
  async (adapter) => {
    const broker = await BrokerUnderTest.spawn({ adapter })
    let refused = 0
    const storm = Array.from({ length: 32 }, async (_, i) => {
      const login = { deviseId: `client ${i}`, password: 'guess' }
      const { status } = await call(broker.server.url, 'POST', '/auth/login', login)
      refused++
      return status
    })
    for (let i = 0; i < 5; i++) {
      await broker.send('pump', { command: `${i}` })
      expect((await broker.rest.get('/auth/me')).status).toBe(200)
    }
    expect(refused).toBeLessThan(32)
    expect(new Set(await Promise.all(storm))).toEqual(new Set([401]))
  },
)
