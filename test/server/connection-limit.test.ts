/** The settings server.max-connections and mqtt.max-connections: connections beyond them are closed, with one log line. */
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { ConnectionLimit } from '../../src/net/connection-limit.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { HeldClock } from '../_support/clock.ts'
import { eventually } from '../_support/eventually.ts'
import { Client } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const LIMIT = 5

/** Log lines about connections that were closed. */
const linesOf = ({ server }: BrokerUnderTest) => server.log.filter(({ closed }) => closed !== undefined)

test.skipIf(ADAPTER === 'uws')(
  'HTTP: more connections than server.max-connections → closed, one log line; one leaves → served',
  async () => {
    const env = { WAYBILL_MAX_CONNECTIONS: String(LIMIT) }
    const broker = await BrokerUnderTest.start({ env })
    const clients: Client[] = []
    for (let n = 0; n < 2 * LIMIT; n++) clients.push(await Client.connect(broker.port))
    await clients.at(-1)?.ended()
    expect(linesOf(broker)).toEqual([
      expect.objectContaining({
        level: 'warn',
        maximum: LIMIT,
        closed: 1,
        msg: 'HTTP: 5 connections are open, so new ones are closed. Find out who opens them, or raise server.max-connections',
      }),
    ])

    for (const client of clients) await client.leave()
    await eventually(async () => expect((await broker.poll('pump')).status).toBe(200))
  },
)

test('MQTT over WebSocket: more than server.max-connections → closed, one log line', async () => {
  const broker = await BrokerUnderTest.start({
    env: { WAYBILL_MAX_CONNECTIONS: String(LIMIT) },
    mqtt: true,
  })
  let opened = 0
  for (let n = 0; n < 2 * LIMIT; n++) {
    const socket = new WebSocket(`ws://127.0.0.1:${broker.port}/mqtt`, 'mqtt')
    whenDone(() => socket.terminate())
    socket.on('error', () => {})
    await new Promise<unknown>((resolve) => socket.once('open', resolve).once('close', resolve))
    if (socket.readyState === WebSocket.OPEN) opened++
  }
  expect(opened).toBeGreaterThan(0)
  expect(opened).toBeLessThanOrEqual(LIMIT)
  expect(linesOf(broker)).toHaveLength(1)
})

test('MQTT: more connections than mqtt.max-connections → closed, one log line; one leaves → served', async () => {
  const env = { MQTT_MAX_CONNECTIONS: '2', APP_SECURITY_PERMIT_ALL: 'true' }
  const broker = await BrokerUnderTest.start({ env, mqtt: true })
  const connect = (n: number): Promise<MqttPeer> =>
    MqttPeer.connect({ port: broker.mqttPort, clientId: `c-${n}`, username: `pump-${n}`, password: 'x' })
  const first = await connect(1)
  await connect(2)
  for (const n of [3, 4]) await expect(connect(n)).rejects.toThrow()
  expect(linesOf(broker).map(({ msg }) => msg)).toEqual([
    'MQTT: 2 connections are open, so new ones are closed. Find out who opens them, or raise mqtt.max-connections',
  ])

  first.client.end(true)
  await eventually(() => connect(5))
})

test('log of a limit: 1,000 connections are closed in two minutes → a line at once, then one a minute', () => {
  const clock = new HeldClock()
  const closed: unknown[] = []
  const limit = new ConnectionLimit({
    ...{ name: 'HTTP', maximum: 1, setting: 'server.max-connections' },
    log: { warn: (fields) => void closed.push(fields) },
    monotonicMs: () => clock.monotonicMs(),
  })
  for (let n = 0; n < 1_000; n++) {
    limit.onClosed()
    clock.advance(120)
  }
  expect(closed).toEqual([
    { maximum: 1, closed: 1 },
    { maximum: 1, closed: 500 },
  ])
})
