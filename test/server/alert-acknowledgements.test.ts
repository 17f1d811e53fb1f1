/** /admin/api/alerts over a running server: grouped alerts, their acknowledgement, and the events of both. */
import { beforeEach, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { EventStream } from '../_support/events.ts'

const ALERTS = '/admin/api/alerts'

interface Alerts {
  readonly open: number
  readonly acknowledged: number
  readonly items: readonly { readonly key: string; readonly kind: string }[]
}

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

/** Returns the alerts. The disk of the machine that runs the tests may be nearly full. */
async function alertsOf(query = ''): Promise<Alerts['items']> {
  const { status, body } = await broker.rest.get(ALERTS + query)
  expect(status).toBe(200)
  return (body as Alerts).items.filter(({ kind }) => kind !== 'DISK_NEARLY_FULL')
}

async function fail(deviceId: string, command: string): Promise<number> {
  const id = await broker.send(deviceId, { command })
  await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  return id
}

const pathOf = (key: string): string => `${ALERTS}/${encodeURIComponent(key)}/acknowledgement`

test('failures of one device → one alert with their number, the newest command and message', async () => {
  await fail('насос/1', 'open')
  const id = await fail('насос/1', 'calibrate')
  const key = 'FAILED:насос/1'
  const date = expect.any(Number)
  const alert = {
    ...{ key, kind: 'FAILED', deviseId: 'насос/1', address: null, command: 'calibrate', messageId: id },
    ...{
      count: 2,
      value: null,
      limit: null,
      unit: null,
      sinceDate: date,
      lastDate: date,
      acknowledged: null,
    },
  }
  expect(await alertsOf()).toEqual([alert])

  expect((await broker.rest.put(pathOf(key), { note: 'the valve is stuck' })).status).toBe(204)
  const acknowledged = { by: 'admin', date, note: 'the valve is stuck' }
  expect(await alertsOf('?acknowledged=true')).toEqual([{ ...alert, acknowledged }])
  expect(await alertsOf('?acknowledged=false')).toEqual([])

  expect((await broker.rest.delete(pathOf(key))).status).toBe(204)
  expect(await alertsOf('?acknowledged=false')).toEqual([alert])
  expect((await broker.rest.get('/admin/api/audit?limit=2')).body).toMatchObject([
    { action: 'alert.reopen', object: key, deviseId: 'admin' },
    { action: 'alert.acknowledge', object: key, detail: { count: 2, note: 'the valve is stuck' } },
  ])
})

test('a failure is sent again → it leaves its alert, and the overview', async () => {
  const first = await fail('pump', 'a')
  await fail('pump', 'b')
  await broker.rest.post(`/admin/api/messages/${first}/resend`, {})
  expect(await alertsOf()).toMatchObject([{ key: 'FAILED:pump', count: 1, command: 'b' }])
  const { attention } = (await broker.rest.get('/admin/api/overview')).body as { attention: Alerts['items'] }
  expect(attention.filter(({ kind }) => kind === 'FAILED')).toHaveLength(1)
})

test('an acknowledgement outlives a restart; a key without an alert → 404', async () => {
  await fail('pump', 'a')
  await broker.rest.put(pathOf('FAILED:pump'), {})
  await broker.server.kill()
  broker = await BrokerUnderTest.start({ dataDir: broker.dataDir })
  expect(await alertsOf()).toMatchObject([{ key: 'FAILED:pump', acknowledged: { by: 'admin', note: null } }])
  for (const answer of [
    await broker.rest.put(pathOf('FAILED:none'), {}),
    await broker.rest.delete(pathOf('FAILED:none')),
  ]) {
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('There is no alert \\"FAILED:none\\" now.')
  }
})

test('events with details → alerts that begin and are acknowledged; without → none', async () => {
  const headers = { authorization: `Bearer ${broker.token}` }
  const url = `${broker.server.url}/admin/api/events`
  const events = await EventStream.open(`${url}?details=true`, headers)
  const plain = await EventStream.open(url, headers)
  expect([await events.next(), await plain.next()]).toMatchObject([{ type: 'ready' }, { type: 'ready' }])
  /** Returns the data of the next event about the alert. */
  const next = async () => {
    for (;;) {
      const event = await events.next()
      const data = event?.data as { key?: string }
      if (event?.type === 'alert' && data.key === 'FAILED:pump') return data
    }
  }
  await fail('pump', 'a')
  const alert = { key: 'FAILED:pump', kind: 'FAILED', deviseId: 'pump', count: 1, open: expect.any(Number) }
  expect(await next()).toEqual({ ...alert, state: 'OPEN' })
  await broker.rest.put(pathOf('FAILED:pump'), {})
  expect(await next()).toEqual({ ...alert, state: 'ACKNOWLEDGED' })

  await broker.send('last', { command: 'go' })
  const types: (string | undefined)[] = []
  for (let event = await plain.next(); ; event = await plain.next()) {
    types.push(event?.type)
    const data = event?.data as { deviseId?: string } | undefined
    if (data?.deviseId === 'last') break
  }
  expect(new Set(types)).toEqual(new Set(['message']))
})

test('an alert that began before the stream → told once it is open, so that none is missed in between', async () => {
  await fail('pump', 'a')
  const headers = { authorization: `Bearer ${broker.token}` }
  const events = await EventStream.open(`${broker.server.url}/admin/api/events?details=true`, headers)
  const types: (string | undefined)[] = []
  for (let key: string | undefined; key !== 'FAILED:pump'; ) {
    const event = await events.next()
    types.push(event?.type)
    key = (event?.data as { key?: string } | undefined)?.key
  }
  expect(types).toContain('alert')
})
