/** MQTT over WebSocket works on the port of REST. */
import { once } from 'node:events'
import { beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { Client, request, requestOf } from '../_support/http.ts'
import { MqttPeer, refusalOf, VERSIONS } from '../_support/mqtt.ts'

const LOGIN = { username: 'lamp', password: PASSWORD }

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let port: number
  const start = async (): Promise<BrokerUnderTest> => {
    const env = { MQTT_EXTRA_TOPICS: 'telemetry/#' }
    return BrokerUnderTest.start({ mqtt: true, dataDir: await withClients('lamp'), env })
  }
  beforeAll(async () => {
    broker = await start()
    port = Number(new URL(broker.server.url).port)
  })
  const web = (options: object = {}) => ({
    port,
    protocol: 'ws' as const,
    path: '/mqtt',
    ...LOGIN,
    ...options,
  })

  test.each(VERSIONS)(
    'MQTT over WebSocket: level %i → commands are pending, large messages arrive',
    async (protocolVersion) => {
      const peer = await MqttPeer.connect(web({ protocolVersion }))
      await peer.subscribe('telemetry/#')
      await peer.publish(`producer/request/web-${protocolVersion}`, { command: 'on' })
      expect(await broker.next(`web-${protocolVersion}`)).toBeGreaterThan(0)
      const large = 'x'.repeat(250_000)
      await peer.publish('telemetry/large', large)
      expect((await peer.next()).text).toBe(large)
    },
  )

  test('MQTT over WebSocket: a client over TCP at the other end → messages both ways', async () => {
    const peer = await MqttPeer.connect(web())
    const other = await MqttPeer.connect({ port: broker.mqttPort, ...LOGIN })
    await peer.subscribe('telemetry/a')
    await other.subscribe('telemetry/b')
    for (let i = 0; i < 20; i++) {
      await other.publish('telemetry/a', String(i), { qos: i % 3 })
      await other.publish('telemetry/b', (await peer.next()).text)
      expect((await other.next()).text).toBe(String(i))
    }
  })

  test('MQTT over WebSocket: wrong password → CONNACK 4', async () => {
    expect(await refusalOf(web({ password: 'guess' }))).toBe(4)
  })

  test('upgrade to WebSocket: no or unknown subprotocol → 400; another path → 404', async () => {
    const refusal = async (path: string, protocol?: string): Promise<number | undefined> => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocol)
      socket.on('error', () => {})
      const [, response] = await once(socket, 'unexpected-response')
      return response.statusCode
    }
    expect(await refusal('/mqtt')).toBe(400)
    expect(await refusal('/mqtt', 'chat')).toBe(400)
    expect(await refusal('/other', 'mqtt')).toBe(404)
  })

  test('MQTT over WebSocket: a text frame → closed with 1003', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, 'mqtt')
    await once(socket, 'open')
    socket.send('hello')
    const [code] = await once(socket, 'close')
    expect(code).toBe(1003)
  })

  test('MQTT over WebSocket: bytes that are not MQTT → closed', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, 'mqtt')
    await once(socket, 'open')
    socket.send(Buffer.from('hello'))
    await once(socket, 'close')
  })

  test('upgrade to h2c: with and without a body → ignored, the request is answered', async () => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
    expect((await request(port, 'GET', '/', { headers })).text()).toContain('<title>Waybill</title>')
    const body = { deviseId: 'lamp', password: PASSWORD }
    const answer = await request(port, 'POST', '/auth/login', { headers, body })
    expect(answer.json()).toMatchObject({ deviseId: 'lamp' })
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/', { headers }))
    expect((await client.answer()).status).toBe(200)
    await client.send(requestOf('GET', '/mqtt'))
    expect((await client.answer()).status).toBe(404)
  })

  test('upgrade to h2c: twelve on one connection, one pipelined → each is answered', async () => {
    const own = await start()
    const headers = { connection: 'Upgrade', upgrade: 'h2c' }
    const client = await Client.connect(own.port)
    for (let i = 0; i < 12; i++) {
      await client.send(requestOf('GET', '/', { headers }))
      expect((await client.answer()).status).toBe(200)
    }
    await client.send(Buffer.concat([requestOf('GET', '/'), requestOf('GET', '/', { headers })]))
    expect((await client.answer()).text()).toContain('<title>Waybill</title>')
    expect((await request(own.port, 'GET', '/')).status).toBe(200)
    expect(await own.server.kill()).toMatchObject({ code: 0, stderr: '' })
  })

  test('server stops: clients over WebSocket are connected → closed, exit code 0', async () => {
    const own = await start()
    const peer = await MqttPeer.connect(web({ port: Number(new URL(own.server.url).port) }))
    const ended = own.server.kill('SIGTERM')
    await peer.closed
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('upgrade to WebSocket: MQTT is off → 404', async () => {
    const without = await BrokerUnderTest.start({ dataDir: await withClients('lamp') })
    const socket = new WebSocket(`${without.server.url.replace('http', 'ws')}/mqtt`, 'mqtt')
    socket.on('error', () => {})
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).toBe(404)
  })
})
