/** The warning and the alert while each device may use the queues of the others. */
import { describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { withClients } from '../_support/clients.ts'

interface Item {
  readonly kind: string
}

/** Returns the lines and the alerts about open queues. */
async function openQueues({ rest, server }: BrokerUnderTest): Promise<{ lines: unknown[]; alerts: Item[] }> {
  const { body } = await rest.get('/admin/api/overview')
  const alerts = (body as { attention: Item[] }).attention.filter(({ kind }) => kind === 'QUEUES_OPEN')
  return { lines: server.log.filter(({ kind }) => kind === 'QUEUES_OPEN'), alerts }
}

describe(`adapter ${ADAPTER}`, () => {
  test('two devices, each may use every queue → one warning at the start, and an alert', async () => {
    const broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp', 'radio') })
    expect(await openQueues(broker)).toMatchObject({
      lines: [{ level: 'warn', clients: 2 }],
      alerts: [{ kind: 'QUEUES_OPEN', value: 2, limit: null, deviseId: null, since: null }],
    })
  })

  test.each([
    ['one device', ['lamp'], {}],
    ['two devices, each with its own queue only', ['lamp', 'radio'], { APP_SECURITY_OWN_QUEUE_ONLY: 'true' }],
  ])('%s → no warning and no alert', async (_case, clients, env) => {
    const broker = await BrokerUnderTest.start({ dataDir: await withClients(...clients), env })
    expect(await openQueues(broker)).toEqual({ lines: [], alerts: [] })
  })

  test('a second device while the server runs → the alert', async () => {
    const broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp') })
    await broker.rest.post('/admin/api/clients', { deviseId: 'radio', password: 'long enough' })
    expect((await openQueues(broker)).alerts).toHaveLength(1)
  })

  test('three devices, some with a value of their own → the alert counts the open ones, from two on', async () => {
    const broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp', 'radio', 'tv') })
    const limit = (id: number, ownQueueOnly: boolean | null) =>
      broker.rest.put(`/admin/api/clients/${id}`, { ownQueueOnly })
    await limit(1, true)
    expect((await openQueues(broker)).alerts).toMatchObject([{ value: 2 }])
    await limit(2, true)
    expect((await openQueues(broker)).alerts).toEqual([])
    await limit(1, null)
    expect((await openQueues(broker)).alerts).toMatchObject([{ value: 2 }])
  })
})
