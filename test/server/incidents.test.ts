/** /admin/api/incidents over a running server: failures that become one incident, persons, rules, metrics, a restart. */
import { beforeEach, expect, test } from 'vitest'
import { Client } from '../../src/client/index.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { eventually } from '../_support/eventually.ts'
import { seriesOf } from '../_support/metrics.ts'

const INCIDENTS = '/admin/api/incidents'
const RULES = '/admin/api/incident-rules'
const DAY = 86_400_000

interface Item {
  readonly id: number
  readonly key: string
  readonly state: string
}
interface Listed {
  readonly open: number
  readonly items: readonly Item[]
}

let broker: BrokerUnderTest
let dataDir: string

const start = () => BrokerUnderTest.start({ dataDir, replaced: { recordingMs: 5 } })

beforeEach(async () => {
  dataDir = temporaryDirectory()
  broker = await start()
})

async function fail(deviceId: string, command: string, reason: string): Promise<number> {
  const id = await broker.send(deviceId, { command })
  await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR', reason })
  return id
}

/** Returns the incidents. The disk of the machine that runs the tests may be nearly full. */
async function listed(query = ''): Promise<readonly Item[]> {
  const { status, body } = await broker.rest.get(INCIDENTS + query)
  expect(status).toBe(200)
  return (body as Listed).items.filter(({ key }) => key !== 'DISK_NEARLY_FULL')
}

/** Fails a command on two devices, and waits for its incident. */
async function failOnTwo(command: string): Promise<Item> {
  await fail('насос/1', command, 'valve stuck')
  await fail('pump-2', command, 'valve stuck')
  return eventually(async () => {
    const [item] = (await listed()).filter(({ key }) => key === `FAILED:${command}`)
    expect(item).toMatchObject({ devices: 2 })
    return item as Item
  })
}

test('a command fails on two devices → one incident with its reasons, its members and its history', async () => {
  const date = expect.any(Number)
  const { id } = await failOnTwo('open')
  const incident = {
    ...{
      id,
      key: 'FAILED:open',
      kind: 'FAILED',
      state: 'OPEN',
      class: 4,
      signals: ['FAILED'],
      startedDate: date,
      changedDate: date,
    },
    ...{ endedDate: null, reopened: 0, devices: 2, messages: 2, waiting: 0 },
    ...{ acknowledged: null, mutedUntilDate: null, mergedInto: null },
  }
  expect(await listed()).toEqual([incident])
  expect(await listed('?kind=AWAY')).toEqual([])
  expect(await listed(`?deviseId=${encodeURIComponent('насос/1')}`)).toHaveLength(1)
  expect((await broker.rest.get(`${INCIDENTS}/${id}`)).body).toEqual({
    ...incident,
    oldestDate: date,
    reasons: [{ reason: 'valve stuck', count: 2 }],
    actions: [
      { action: 'RESEND', count: 2, deviseId: null, body: { action: 'RESEND', filter: { incident: id } } },
      { action: 'SERVICE', count: 2, deviseId: null, body: { devices: ['pump-2', 'насос/1'] } },
    ],
    lines: [{ id: expect.any(Number), date, kind: 'STARTED', by: null, text: null }],
  })
  const page = await broker.rest.get(`${INCIDENTS}/${id}/members?limit=1`)
  expect(page.body).toEqual([
    {
      ...{ key: 'FAILED:pump-2:open', kind: 'FAILED', deviseId: 'pump-2', messageId: expect.any(Number) },
      ...{
        command: 'open',
        reason: 'valve stuck',
        address: null,
        sinceDate: date,
        endedDate: null,
        count: 1,
      },
    },
  ])
  const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  expect((await broker.rest.get(next)).body).toMatchObject([{ deviseId: 'насос/1' }])
  expect(await broker.rest.get(`${INCIDENTS}/999`)).toMatchObject({ status: 404 })
})

test('send the failures of an incident again → by the body that the incident names; others stay', async () => {
  const other = await fail('pump-2', 'close', 'valve stuck')
  const { id } = await failOnTwo('open')
  const { body } = await broker.rest.get(`${INCIDENTS}/${id}`)
  const [resend] = (body as { actions: readonly [{ body: object }] }).actions
  const listed = await broker.rest.get(`/admin/api/messages?incident=${id}`)
  expect(listed.body).toMatchObject([{ deviseId: 'pump-2' }, { deviseId: 'насос/1' }])
  const answer = await broker.rest.post('/admin/api/messages/bulk', resend.body)
  expect(answer).toMatchObject({ status: 202 })
  const path = answer.headers.get('location') as string
  await eventually(async () => {
    expect((await broker.rest.get(path)).body).toMatchObject({
      state: 'DONE',
      matched: 2,
      changed: 2,
      failed: 0,
    })
  })
  const left = await broker.rest.get('/admin/api/messages?outcome=FAILED&resent=false')
  expect(left.body).toMatchObject([{ id: other }])
  expect((await broker.rest.get('/admin/api/messages?incident=999')).body).toEqual([])
  expect((await broker.rest.get('/admin/api/messages?incident=x')).status).toBe(400)
})

test('acknowledge, note, mute, reopen, resolve → the states and the history; after the end 409 for each id', async () => {
  const { id } = await failOnTwo('open')
  const post = async (action: string, body: object) =>
    (await broker.rest.post(`${INCIDENTS}/${action}`, body)).body
  const done = { changed: 1, failed: [] }
  expect(await post('acknowledge', { ids: [id, 999], note: 'on my way' })).toEqual({
    changed: 1,
    failed: [{ id: 999, code: 'unknown-incident' }],
  })
  expect(await listed('?state=ACKNOWLEDGED')).toMatchObject([
    { id, acknowledged: { by: 'admin', note: 'on my way' } },
  ])
  expect(await broker.rest.post(`${INCIDENTS}/${id}/notes`, { text: 'a new valve' })).toMatchObject({
    status: 201,
    body: { kind: 'NOTE', by: 'admin', text: 'a new valve' },
  })
  const untilDate = Date.now() + DAY
  expect(await post('mute', { ids: [id], untilDate })).toEqual(done)
  expect(await listed()).toMatchObject([{ state: 'MUTED', mutedUntilDate: untilDate }])
  expect(await post('reopen', { ids: [id] })).toEqual(done)
  expect(await post('resolve', { ids: [id], note: 'done' })).toEqual(done)
  expect(await listed()).toEqual([])
  expect(await listed('?state=ENDED')).toMatchObject([{ id, state: 'ENDED', messages: 2, devices: 2 }])
  expect(await post('acknowledge', { ids: [id] })).toEqual({
    changed: 0,
    failed: [{ id, code: 'incident-ended' }],
  })
  const { body } = await broker.rest.get(`${INCIDENTS}/${id}`)
  expect((body as { lines: { kind: string }[] }).lines.map(({ kind }) => kind)).toEqual([
    ...['STARTED', 'ACKNOWLEDGED', 'NOTE', 'MUTED', 'REOPENED', 'RESOLVED'],
  ])
  // The members last, and another cause begins meanwhile, so that readings have passed.
  await failOnTwo('close')
  expect((await listed()).map(({ key }) => key)).toEqual(['FAILED:close'])
})

test.each([
  ['mute', { untilDate: Date.now() - 1 }],
  ['mute', { untilDate: Date.now() + 31 * DAY }],
  ['mute', {}],
  ['resolve', {}],
  ['resolve', { note: ' ' }],
  ['acknowledge', { ids: [] }],
])('%s with %j → 400', async (action, body) => {
  const { status } = await broker.rest.post(`${INCIDENTS}/${action}`, { ids: [1], ...body })
  expect(status).toBe(400)
})

test('an alert of an acknowledged incident → acknowledged too, and open again with the incident', async () => {
  const { id } = await failOnTwo('open')
  const alerts = async () => {
    const { body } = await broker.rest.get('/admin/api/alerts')
    const { items } = body as { items: { key: string; acknowledged: object | null }[] }
    return items.filter(({ key }) => key.startsWith('FAILED:')).map(({ acknowledged }) => acknowledged)
  }
  expect(await alerts()).toEqual([null, null])
  const { body } = await broker.rest.get('/admin/api/alerts?details=true')
  const ids = (body as { items: { key: string; incidentId: number | null }[] }).items
    .filter(({ key }) => key.startsWith('FAILED:'))
    .map(({ incidentId }) => incidentId)
  expect(ids).toEqual([id, id])
  await broker.rest.post(`${INCIDENTS}/acknowledge`, { ids: [id], note: 'known' })
  const acknowledged = { by: 'admin', date: expect.any(Number), note: 'known' }
  expect(await alerts()).toEqual([acknowledged, acknowledged])
  await failOnTwo('close')
  expect(await alerts()).toEqual([null, null])
  await broker.rest.post(`${INCIDENTS}/reopen`, { ids: [id] })
  expect(await alerts()).toEqual([null, null])
})

test('events=incident → an event for each change, as in the list, and no other; without it none', async () => {
  const ended = new AbortController()
  const client = new Client({ url: broker.server.url, token: broker.token })
  const events = client.subscribe({ events: ['incident'], signal: ended.signal })
  const all = client.subscribe({ details: true, signal: ended.signal })
  expect([(await events.next()).value, (await all.next()).value]).toMatchObject([
    { event: 'ready' },
    { event: 'ready' },
  ])
  /** Returns the incident of the first event that has the state. */
  const next = async (state: string): Promise<unknown> => {
    for await (const { event, data } of { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) }) {
      expect(event).toBe('incident')
      if ((data as Item).key === 'FAILED:open' && (data as Item).state === state) return data
    }
    throw new Error('the stream ended')
  }
  const { id } = await failOnTwo('open')
  expect(await next('OPEN')).toMatchObject({ id, class: 4, devices: expect.any(Number), acknowledged: null })
  await broker.rest.post(`${INCIDENTS}/acknowledge`, { ids: [id], note: 'known' })
  expect(await next('ACKNOWLEDGED')).toEqual((await listed())[0])

  await broker.send('last', { command: 'go' })
  const types = new Set<string>()
  for await (const { event, data } of all) {
    types.add(event)
    if ((data as { deviseId?: string }).deviseId === 'last') break
  }
  expect([...types]).not.toContain('incident')
  ended.abort()
  const refused = await broker.rest.get('/admin/api/events?events=incident,nothing')
  expect(refused.status).toBe(400)
})

test('rules: a kind that is off → no incident; a bad threshold → 400 bad-rule, and the rules stay', async () => {
  const rules = [{ kind: 'FAILED', isEnabled: false }]
  expect((await broker.rest.put(RULES, { rules })).status).toBe(200)
  const bad = [{ kind: 'QUEUE_NEARLY_FULL', isEnabled: true, start: 80, end: 90 }]
  expect(await broker.rest.put(RULES, { rules: bad })).toMatchObject({ status: 400 })
  const { body } = await broker.rest.get(RULES)
  const ofFailures = { start: null, end: null, quietSeconds: 600, minMessages: 1 }
  expect(body).toContainEqual({ kind: 'FAILED', isEnabled: false, ...ofFailures })
  expect(body).toContainEqual({
    ...{
      kind: 'QUEUE_NEARLY_FULL',
      isEnabled: true,
      start: 80,
      end: 60,
      quietSeconds: 60,
      minMessages: null,
    },
  })
  await fail('pump', 'open', 'valve stuck')
  await broker.rest.put(RULES, { rules: [] })
  await eventually(async () => expect(await listed()).toHaveLength(1))
})

test('a restart → the same incident with its acknowledgement; /metrics counts it', async () => {
  const { id } = await failOnTwo('open')
  await broker.rest.post(`${INCIDENTS}/acknowledge`, { ids: [id] })
  await broker.server.kill('SIGTERM')
  broker = await start()
  expect(await listed()).toMatchObject([{ id, state: 'ACKNOWLEDGED' }])
  await eventually(async () => {
    const headers = { authorization: `Bearer ${broker.token}` }
    const series = seriesOf(await (await fetch(`${broker.server.url}/metrics`, { headers })).text())
    expect(series.get('waybill_incidents{kind="FAILED",state="ACKNOWLEDGED"}')).toBe(1)
    expect(series.get('waybill_incident_read_seconds_count')).toBeGreaterThan(0)
  })
})
