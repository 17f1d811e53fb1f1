/** /metrics: who may read it, that its values are those of the database, and that its labels come from closed lists. */
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ATTEMPT_ENDS } from '../../src/broker/contract/store-metrics.ts'
import { REJECTION_REASONS } from '../../src/broker/views/rejection-log.ts'
import { CAUSES, type Cause, STATUSES, type Status } from '../../src/broker/vocabulary/status.ts'
import { METRICS } from '../../src/metrics/table.ts'
import { CAUSE_CODES, STATUS_CODES } from '../../src/store/postgres/schema/codes.ts'
import { SqliteStats } from '../../src/store/sqlite/views/store-stats.ts'
import { KNOWN_METHODS } from '../../src/web/by-verb.ts'
import { errors } from '../../src/wire/errors.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { useEveryFeature } from '../_support/every-feature.ts'
import { type Answer, request } from '../_support/http.ts'
import { type Series, seriesOf, valuesOf } from '../_support/metrics.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { SHORT_ATTEMPTS, sendAndPark } from '../_support/parked.ts'
import { tokenOf } from '../_support/rest.ts'
import { runs } from '../_support/runs.ts'
import { OVER_POSTGRES } from '../_support/shared-database.ts'
import { rowsIn } from '../_support/stored-rows.ts'

/** Number of random requests. */
const REQUESTS = Math.min(runs(1_000), 1_000)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function scrape({ port, token }: BrokerUnderTest, headers: Record<string, string> = {}): Promise<Answer> {
  return request(port, 'GET', '/metrics', { headers: { ...bearer(token), ...headers } })
}

async function metricsOf(broker: BrokerUnderTest): Promise<Series> {
  const { status, text } = await scrape(broker)
  expect(status).toBe(200)
  return seriesOf(text())
}

interface StoredState {
  readonly status: Status
  readonly cause: Cause | null
}

async function storedMessages(dataDir: string): Promise<StoredState[]> {
  type Row = { readonly status: Status | number; readonly cause: Cause | number | null }
  const rows = await rowsIn<Row>(dataDir, 'SELECT status, cause FROM messages')
  return rows.map(({ status, cause }) => ({
    status: typeof status === 'number' ? STATUS_CODES.name(status) : status,
    cause: typeof cause === 'number' ? CAUSE_CODES.name(cause) : cause,
  }))
}

describe(`adapter ${ADAPTER}`, () => {
  test('access: no token → 401, role DEVISE → 403, role MAN → 200', async () => {
    const broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp') })
    const { port, server } = broker
    const own = await tokenOf(server.url, 'lamp', PASSWORD)
    expect((await request(port, 'GET', '/metrics')).status).toBe(401)
    expect((await request(port, 'GET', '/metrics', { headers: bearer(own) })).status).toBe(403)
    expect((await scrape(broker)).status).toBe(200)
    expect((await request(port, 'HEAD', '/metrics', { headers: bearer(broker.token) })).status).toBe(200)
  })

  test('access: WAYBILL_METRICS_PUBLIC → 200 without a token, for /metrics alone', async () => {
    const { port } = await BrokerUnderTest.start({ env: { WAYBILL_METRICS_PUBLIC: 'true' } })
    expect((await request(port, 'GET', '/metrics')).status).toBe(200)
    expect((await request(port, 'GET', '/Metrics', { headers: bearer('x') })).status).toBe(200)
    expect((await request(port, 'GET', '/admin/api/overview')).status).toBe(401)
  })

  test('formats: by Accept → Prometheus text or OpenMetrics, each with all metrics, as often as asked', async () => {
    const broker = await BrokerUnderTest.start()
    const prometheus =
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
    for (let i = 0; i < 2; i++) {
      const plain = await scrape(broker, { accept: '*/*' })
      expect(plain.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
      expect(plain.headers['cache-control']).toBe('no-store')
      for (const { name, type } of METRICS) expect(plain.text()).toContain(`# TYPE ${name} ${type}\n`)
      const open = await scrape(broker, { accept: prometheus })
      expect(open.headers['content-type']).toMatch('application/openmetrics-text; version=1.0.0')
      expect(open.text()).toMatch(/\n# EOF\n$/)
      expect(open.text()).toContain(
        '# TYPE waybill_messages_stored counter\nwaybill_messages_stored_total 0\n',
      )
      expect(open.text()).toMatch(/\nprocess_cpu_seconds_total \d/)
    }
  })

  test('counters: after a run with every feature → equal to the database', async () => {
    const broker = await BrokerUnderTest.start({ mqtt: true, env: { COMMON_SEND_MESSAGE_PERIOD: '0' } })
    await useEveryFeature(broker, () => true)
    await broker.send('pump', { command: 'go', believerGuarantee: 'ONLY_LAST' })
    const last = await broker.send('pump', { command: 'go', believerGuarantee: 'ONLY_LAST' })
    await broker.acknowledge('pump', { id: last, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    const series = await metricsOf(broker)
    const stored = await storedMessages(broker.dataDir)
    const count = (status: Status, cause: Cause | null = null): number =>
      stored.filter((each) => each.status === status && (cause === null || each.cause === cause)).length
    expect(series.get('waybill_messages_stored_total')).toBe(stored.length)
    expect(series.get('waybill_waiting')).toBe(count('NOT_DELIVERED'))
    expect(series.get('waybill_parked')).toBe(count('UNKNOWN', 'NOT_ACKNOWLEDGED'))
    for (const status of ['COMPLETED', 'COMPLETED_WITH_ERROR'] as const) {
      const name = `waybill_status_total{status="${status}",cause="ACKNOWLEDGED"}`
      expect([count(status) > 0, series.get(name)]).toEqual([true, count(status)])
    }
    for (const cause of ['CANCELLED', 'SUPERSEDED', 'EXPIRED'] as const) {
      const name = `waybill_status_total{status="CANCELLED",cause="${cause}"}`
      const withdrawn = count('CANCELLED', cause)
      expect([cause, withdrawn > 0, series.get(name)]).toEqual([cause, true, withdrawn])
    }
    const finals = count('COMPLETED') + count('COMPLETED_WITH_ERROR') + count('CANCELLED')
    expect(series.get('waybill_completion_seconds_count')).toBe(finals)
    expect(series.get('waybill_delivery_seconds_count')).toBeGreaterThan(0)
    expect(series.get('waybill_attempts_total{transport="REST",outcome="ACKNOWLEDGED"}')).toBeGreaterThan(0)
    expect(series.get('waybill_attempts_total{transport="MQTT",outcome="ACKNOWLEDGED"}')).toBeGreaterThan(0)
    if (!OVER_POSTGRES) expect(series.get('waybill_commit_seconds_count')).toBeGreaterThan(0)
    expect(series.get('waybill_sync_seconds_count')).toBeGreaterThan(0)
    expect(series.get('waybill_database_bytes')).toBeGreaterThan(0)
  })

  test('gauges: parked and delayed messages, also from before a restart → counted; replayed → parked no more', async () => {
    const before = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS })
    const id = await sendAndPark(before, 'pump')
    await sendAndPark(before, 'valve')
    await before.send('pump', { command: 'later', delaySeconds: 3_600 })
    await before.send('pump', { command: 'soon', delaySeconds: 1 })
    await before.server.kill()
    const broker = await BrokerUnderTest.start({ dataDir: before.dataDir, env: SHORT_ATTEMPTS })
    const first = await metricsOf(broker)
    expect(first.get('waybill_parked')).toBe(2)
    expect(first.get('waybill_oldest_waiting_seconds')).toBeGreaterThan(0)
    expect((await broker.rest.post(`/producer/replayMessage/${id}`, {})).status).toBe(200)
    expect((await metricsOf(broker)).get('waybill_parked')).toBe(1)
    await eventually(async () => expect((await metricsOf(broker)).get('waybill_delayed')).toBe(1))
    expect((await broker.acknowledge('valve', { id: 2, deliveryStatus: 'COMPLETED' })).status).toBe(200)
    const last = await metricsOf(broker)
    expect([last.get('waybill_parked'), last.get('waybill_waiting')]).toEqual([0, 3])
  })

  test('connections: an MQTT device, a poll that waits, a pause → gauges by transport; end → 0', async () => {
    const broker = await BrokerUnderTest.start({ mqtt: true, dataDir: await withClients('lamp') })
    const lamp = await MqttPeer.connect({ port: broker.mqttPort, username: 'lamp', password: PASSWORD })
    await lamp.subscribe('consumer/request/lamp')
    const waiting = broker.rest.get('/consumer/getLastMessage/pump?wait=30')
    await broker.acknowledge('lamp', { busySeconds: 60 })
    await eventually(async () => {
      const series = await metricsOf(broker)
      expect(series.get('waybill_devices{transport="MQTT"}')).toBe(1)
      expect(series.get('waybill_devices{transport="REST"}')).toBe(1)
      expect(series.get('waybill_connections{transport="MQTT"}')).toBe(1)
      expect(series.get('waybill_waits{transport="REST"}')).toBe(1)
      expect(series.get('waybill_busy_devices{transport="MQTT"}')).toBe(1)
    })
    await lamp.end()
    await broker.send('pump', { command: 'on' })
    await waiting
    await eventually(async () => {
      const series = await metricsOf(broker)
      expect(series.get('waybill_devices{transport="MQTT"}')).toBe(0)
      expect(series.get('waybill_devices{transport="REST"}')).toBe(0)
      expect(series.get('waybill_connections{transport="MQTT"}')).toBe(0)
      expect(series.get('waybill_busy_devices{transport="none"}')).toBe(1)
    })
    const route = 'method="GET",route="/consumer/getLastMessage/{deviceId}",status="200"'
    const series = await metricsOf(broker)
    expect(series.get(`waybill_http_requests_total{${route}}`)).toBe(1)
    expect(series.get(`waybill_http_request_seconds_count{${route}}`)).toBe(0)
  })

  test('refusals: over REST and MQTT → one count each, by code or reason', async () => {
    const broker = await BrokerUnderTest.start({
      mqtt: true,
      dataDir: await withClients('lamp'),
      env: { WAYBILL_QUEUE_LIMIT: '1' },
    })
    await broker.send('pump', { command: 'on' })
    expect((await broker.request('pump', { command: 'on' })).status).toBe(429)
    await request(broker.port, 'POST', '/auth/login', { body: { deviseId: 'lamp', password: 'wrong' } })
    const lamp = await MqttPeer.connect({ port: broker.mqttPort, username: 'lamp', password: PASSWORD })
    // The server acknowledges no message that may be stored later.
    lamp.publish('producer/request/pump', '{"command":"on"}').catch(() => {})
    await eventually(async () => {
      const series = await metricsOf(broker)
      expect(series.get('waybill_refused_total{reason="queue-full"}')).toBe(2)
      expect(series.get('waybill_refused_total{reason="WRONG_CREDENTIALS"}')).toBe(1)
      expect(series.get('waybill_refused_total{reason="MESSAGE_REFUSED"}')).toBe(0)
      expect(series.has('waybill_refused_total{reason="wrong-credentials"}')).toBe(false)
    })
  })

  test('a disk that cannot be read → its metrics have no value, the others do', async () => {
    vi.spyOn(SqliteStats.prototype, 'space').mockImplementation(async () => {
      throw new Error('EIO')
    })
    whenDone(() => vi.restoreAllMocks())
    const series = await metricsOf(await BrokerUnderTest.start())
    expect(series.has('waybill_disk_free_bytes')).toBe(false)
    expect(series.get('waybill_waiting')).toBe(0)
  })

  test('labels: after many random requests → from closed lists', async () => {
    const broker = await BrokerUnderTest.start()
    // An attempt and its end, so that no label is without values.
    const id = await broker.send('pump', { command: 'go' })
    expect(await broker.next('pump')).toBe(id)
    await broker.acknowledge('pump', { id, deliveryStatus: 'COMPLETED' })
    const paths = [
      '/producer/request',
      '/consumer/getLastMessage',
      '/admin/api/messages',
      '/metrics',
      '/ui',
      '',
    ]
    const segment = fc.oneof(fc.stringMatching(/^[a-zA-Z0-9%2F._~-]{1,12}$/), fc.constantFrom(...paths))
    const requests = fc.sample(
      fc.record({
        method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'REPORT'),
        path: fc.array(segment, { maxLength: 4 }),
        start: fc.constantFrom(...paths),
      }),
      REQUESTS,
    )
    let answered = 0
    for (const { method, path, start } of requests) {
      const target = `${broker.server.url}${start}/${path.join('/')}`
      // uWebSockets.js ends the connection of a request that it refuses.
      const answer = await fetch(target, { method, headers: bearer(broker.token) }).catch(() => null)
      if (answer) answered++
      await answer?.arrayBuffer()
    }
    expect(answered).toBeGreaterThan(REQUESTS / 2)
    const series = await metricsOf(broker)
    const { body } = await broker.rest.get('/v3/api-docs')
    const described = Object.keys((body as { paths: object }).paths)
    const undescribed = [
      '/',
      '/ui/{file}',
      '/admin',
      '/livez',
      '/readyz',
      '/healthz',
      '/v3/api-docs',
      '/swagger-ui',
      '/swagger-ui/{file}',
      'other',
    ]
    const isSubset = (label: string, allowed: Iterable<string>): void => {
      const values = [...valuesOf(series, label)]
      expect(values, label).not.toEqual([])
      expect(values.filter((value) => ![...allowed].includes(value))).toEqual([])
    }
    isSubset('route', [...described, ...undescribed])
    isSubset('method', [...KNOWN_METHODS, 'other'])
    isSubset('reason', [...REJECTION_REASONS, ...Object.keys(errors)])
    isSubset('transport', ['MQTT', 'REST', 'none'])
    // Attempts and messages between nodes have outcomes.
    isSubset('outcome', [...ATTEMPT_ENDS, 'sent', 'received', 'dropped'])
    isSubset('cause', CAUSES)
    const numbers = [...valuesOf(series, 'status')].filter((value) => /^\d{3}$/.test(value))
    isSubset('status', [...numbers, ...STATUSES])
    const total = [...series].filter(([name]) => name.startsWith('waybill_http_requests_total'))
    expect(total.reduce((sum, [, value]) => sum + value, 0)).toBeGreaterThan(answered)
  })
})
