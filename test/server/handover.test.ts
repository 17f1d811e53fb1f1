/** /admin/api/handover over a running server: the story of a night, its bounds, the last sign-in, texts. */
import { beforeEach, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { HeldClock } from '../_support/clock.ts'
import { eventually } from '../_support/eventually.ts'
import { logIn, tokenOf } from '../_support/rest.ts'

const PATH = '/admin/api/handover'
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The last time at which it was 20:00 in UTC. Tokens are issued and expire by the clock of the machine. */
const EVENING = Math.floor((Date.now() - 20 * HOUR) / DAY) * DAY + 20 * HOUR
const MINUTE = 60_000

interface Item {
  readonly kind: string
  readonly [name: string]: unknown
}
interface Part {
  readonly total: number
  readonly counts: readonly { readonly kind: string; readonly count: number }[]
  readonly items: readonly Item[]
  readonly link: string
}
type Answer = Readonly<
  Record<'incidents' | 'failures' | 'devices' | 'service' | 'people' | 'server' | 'figures', Part>
> & { readonly fromDate: number; readonly toDate: number }

let clock: HeldClock
let dataDir: string
let broker: BrokerUnderTest

const start = () =>
  BrokerUnderTest.start({ dataDir, env: { WAYBILL_EXPECTED_SECONDS: '3600' }, replaced: { clock } })

beforeEach(async () => {
  clock = new HeldClock(EVENING - HOUR)
  dataDir = temporaryDirectory()
  broker = await start()
  for (const deviseId of ['kiosk', 'pump', 'new'])
    await broker.rest.post('/admin/api/clients', { deviseId, password: 'sesame' })
})

async function handover(query = ''): Promise<Answer> {
  const { status, body } = await broker.rest.get(PATH + query)
  expect([status, body]).toEqual([200, expect.anything()])
  return body as unknown as Answer
}

async function fail(deviceId: string, command: string, reason: string): Promise<number> {
  const id = await broker.send(deviceId, { command })
  await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR', reason })
  return id
}

/** Returns the items of a kind. The disk of the machine that runs the tests may be nearly full. */
const of = ({ items }: Part, kind: string) => items.filter((item) => item.kind === kind)

test('hand-over: a night with silence, failures, service, notes, people and a restart → each in its part', async () => {
  await fail('valve', 'open', 'stuck')
  await broker.poll('kiosk')
  await broker.poll('pump')
  // The counts of this hour are stored in it.
  await broker.rest.get('/admin/api/statistics')
  clock.advance(HOUR)
  const fromMs = clock.wallMs()

  const first = await fail('valve', 'open', 'stuck\nhard')
  await fail('lamp', 'open', 'stuck\nhard')
  await broker.rest.post(`/admin/api/messages/${first}/resend`, {})
  const untilDate = fromMs + 20 * HOUR
  await broker.rest.put('/admin/api/devices/lamp/service', { reason: 'new lamp', untilDate })
  await broker.rest.post('/admin/api/devices/lamp/notes', { text: 'ordered' })
  await broker.rest.put('/admin/api/devices/oven', { maxAttempts: 3 })
  await broker.poll('pump')
  clock.advance(2 * HOUR)
  await broker.poll('pump')
  await broker.poll('new')
  const before = await handover(`?from=${fromMs}`)
  expect(of(before.devices, 'SILENT')).toEqual([
    { kind: 'SILENT', deviseId: 'kiosk', date: fromMs - HOUR, sinceDate: null, count: null, reason: null },
  ])
  await broker.server.kill()
  clock.advance(5 * MINUTE)
  broker = await start()
  clock.advance(MINUTE)
  const toMs = clock.wallMs()

  const found = await handover(`?from=${fromMs}&to=${toMs}`)
  expect([found.fromDate, found.toDate]).toEqual([fromMs, toMs])
  expect(found.failures).toEqual({
    total: 1,
    counts: [{ kind: 'FAILED', count: 2 }],
    items: [
      {
        ...{
          kind: 'FAILED',
          command: 'open',
          reason: 'stuck\nhard',
          count: 2,
          resent: 1,
          devices: 2,
          before: 0,
        },
        lastDate: expect.any(Number),
      },
    ],
    link: `/admin/api/messages?outcome=FAILED&changedFrom=${fromMs}&changedTo=${toMs}`,
  })
  // A restart ends no silence, and the outage makes no other device silent.
  expect(of(found.devices, 'SILENT')).toEqual(of(before.devices, 'SILENT'))
  const counts = { SILENT: 1, FIRST_SEEN: 1 }
  expect(Object.fromEntries(found.devices.counts.map(({ kind, count }) => [kind, count]))).toEqual(counts)
  expect(found.devices.items.map(({ deviseId }) => deviseId).sort()).toEqual(['kiosk', 'new'])
  expect(found.service.items).toEqual([
    { kind: 'BEGAN', deviseId: 'lamp', date: fromMs, untilDate, by: 'admin', text: 'new lamp' },
    { kind: 'NOTE', deviseId: 'lamp', date: fromMs, untilDate: null, by: 'admin', text: 'ordered' },
  ])
  const people = found.people.items.map(({ kind, by, action, count }) => [kind, by, action, count])
  expect(people.sort()).toEqual([
    ['CHANGED', 'admin', 'device.note', 1],
    ['CHANGED', 'admin', 'device.service', 1],
    ['CHANGED', 'admin', 'device.settings', 1],
    ['CHANGED', 'admin', 'message.resend', 1],
    ['SIGNED_IN', 'admin', null, null],
  ])
  const runs = found.server.items.filter(({ kind }) => kind !== 'DISK_NEARLY_FULL')
  expect(runs.map(({ kind }) => kind)).toEqual(['STOPPED', 'WITHOUT_SERVER', 'STARTED'])
  expect(runs[1]).toMatchObject({ date: toMs - 6 * MINUTE, untilDate: toMs - MINUTE })
  expect(found.figures.items).toEqual([
    { kind: 'STORED', value: 3, before: 1 },
    { kind: 'COMPLETED', value: 0, before: 0 },
    { kind: 'FAILED', value: 2, before: 1 },
    { kind: 'MEDIAN_DELIVERY_MS', value: expect.any(Number), before: expect.any(Number) },
  ])
})

test('hand-over: an incident that a person acknowledged, and a silent device that returned → with the note, and the time', async () => {
  const other = await BrokerUnderTest.start({ replaced: { recordingMs: 5 } })
  const partsOf = async () => (await other.rest.get(PATH)).body as unknown as Answer
  await other.rest.put('/admin/api/devices/buoy', { expectedSeconds: 1 })
  await other.poll('buoy')
  // A change makes the recorder read soon.
  const change = () => other.send('lamp', { command: 'blink' })
  const { id, startedDate } = await eventually(async () => {
    await change()
    const [item] = of((await partsOf()).incidents, 'AWAY')
    expect(item).toMatchObject({ key: 'AWAY:buoy', state: 'OPEN', devices: 1, class: 5 })
    return item as Item
  })
  await other.rest.post('/admin/api/incidents/acknowledge', { ids: [id], note: 'a boat goes there' })
  const [held] = of((await partsOf()).incidents, 'AWAY')
  expect(held).toMatchObject({ id, state: 'ACKNOWLEDGED', by: 'admin', note: 'a boat goes there' })
  expect((await partsOf()).incidents.counts).toContainEqual({ kind: 'STARTED', count: expect.any(Number) })
  const returned = await eventually(async () => {
    await other.poll('buoy')
    await change()
    const [item] = of((await partsOf()).devices, 'RETURNED')
    expect(item).toMatchObject({ deviseId: 'buoy', count: null })
    return item as Item
  })
  expect(returned.sinceDate as number).toBeLessThanOrEqual(startedDate as number)
  expect(returned.date as number).toBeGreaterThan(startedDate as number)
})

test('hand-over: a range → a day by default, from the last sign-in before the visit; refused ones', async () => {
  const nowMs = clock.wallMs()
  const { fromDate, toDate, people } = await handover()
  expect([fromDate, toDate]).toEqual([nowMs - DAY, nowMs])
  expect(people.link).toBe(`/admin/api/audit?from=${nowMs - DAY}&to=${nowMs}`)
  const refused = async (query: string) => {
    const { status, body } = await broker.rest.get(PATH + query)
    return [status, (body as { message: string }).message]
  }
  const tooLong = 'The range must begin before it ends, and have at most 31 days.'
  expect(await refused(`?from=${nowMs}&to=${nowMs}`)).toEqual([400, tooLong])
  expect(await refused(`?from=${nowMs - 31 * DAY - 1}&to=${nowMs}`)).toEqual([400, tooLong])
  expect(await handover(`?from=${nowMs - 31 * DAY}`)).toMatchObject({ fromDate: nowMs - 31 * DAY })
  expect(await refused('?from=last')).toEqual([
    400,
    'No earlier sign-in of this client is known. Choose a time for "from".',
  ])
  expect((await refused('?from=first'))[0]).toBe(400)
  expect((await refused('?tag=north'))[0]).toBe(400)
  expect((await refused('?utcOffset=841'))[0]).toBe(400)

  const login = () => logIn(broker.server.url, 'admin', ADMIN_PASSWORD)
  clock.advance(10 * HOUR)
  const later = await login()
  clock.advance(10 * MINUTE)
  await login()
  expect((await later.get(`${PATH}?from=last`)).body).toMatchObject({ fromDate: nowMs })
})

test('hand-over: Accept text/plain → a text in the language and at the offset from UTC; a READER may read it', async () => {
  await fail('valve', 'open', 'stuck\nand hot')
  await broker.rest.post('/admin/api/clients', { deviseId: 'ivan', password: 'sesame', role: 'READER' })
  clock.advance(HOUR)
  const token = await tokenOf(broker.server.url, 'ivan', 'sesame')
  const textOf = async (query: string, accept = 'text/plain') => {
    const headers = { accept, authorization: `Bearer ${token}` }
    const response = await fetch(`${broker.server.url}${PATH}?${query}`, { headers })
    expect(response.status).toBe(200)
    return [response.headers.get('content-type'), await response.text()] as const
  }
  const day = new Date(EVENING).toISOString().slice(0, 10)
  const [type, english] = await textOf(`from=${EVENING - 2 * HOUR}&utcOffset=0`)
  expect(type).toBe('text/plain; charset=utf-8')
  expect(english).toContain(`Hand-over: ${day} 18:00 to ${day} 20:00 (UTC+00:00)\n\n`)
  expect(english).toContain('- open failed: 1, devices 1, before 0: stuck and hot\n')
  const [, russian] = await textOf(`from=${EVENING - 2 * HOUR}&utcOffset=180&language=ru`)
  expect(russian).toContain(`Сдача смены: с ${day} 21:00 по ${day} 23:00 (UTC+03:00)\n\n`)
  expect(russian).toContain('- open, с ошибкой: 1, устройств 1, до этого 0: stuck and hot\n')
  expect((await textOf('', 'application/json, */*'))[0]).toBe('application/json')
})
