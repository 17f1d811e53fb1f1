/** Tests /admin/api/connections: list connections, disconnect one, list refused clients. */
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer, refusalOf } from '../_support/mqtt.ts'
import { call } from '../_support/rest.ts'

const CONNECTIONS = '/admin/api/connections'

interface Row {
  readonly id: number
  readonly [name: string]: unknown
}

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    const dataDir = await withClients('lamp', 'radio')
    broker = await BrokerUnderTest.start({ dataDir, mqtt: true })
  })

  const list = async (query = ''): Promise<Row[]> =>
    (await broker.rest.get(`${CONNECTIONS}${query}`)).body as Row[]
  const refusals = async (): Promise<Row[]> =>
    (await broker.rest.get(`${CONNECTIONS}/refusals`)).body as Row[]
  const open = (username: string, options: object = {}): Promise<MqttPeer> =>
    MqttPeer.connect({ port: broker.mqttPort, username, password: PASSWORD, ...options })

  test('list connections: one over TCP, one over WebSocket → a row for each, in pages', async () => {
    const from = Date.now()
    const lamp = await open('lamp', { clientId: 'lamp of the hall', protocolVersion: 5 })
    await lamp.subscribe('consumer/request/lamp', 'producer/error/lamp')
    const radio = await open('radio', {
      protocolVersion: 4,
      protocol: 'ws',
      path: '/mqtt',
      port: broker.port,
      clientId: '',
    })
    const [first, second, ...others] = await list()
    expect(others).toEqual([])
    expect(first).toEqual({
      id: expect.any(Number),
      clientId: 'lamp of the hall',
      deviseId: 'lamp',
      devices: ['lamp'],
      address: '127.0.0.1',
      transport: 'TCP',
      protocol: 'MQTT',
      version: '5',
      since: expect.any(Number),
      lastPacketDate: expect.any(Number),
      subscriptions: 2,
    })
    expect(first?.since).toBeGreaterThanOrEqual(from)
    expect(first?.lastPacketDate).toBeGreaterThanOrEqual(first?.since as number)
    expect(second).toMatchObject({ clientId: '', deviseId: 'radio', transport: 'WS', version: '3.1.1' })
    const found = async (query: string) => {
      const { body, headers } = await broker.rest.get(`${CONNECTIONS}?details=true&${query}`)
      const names = (body as Row[]).map(({ deviseId }) => deviseId)
      return [names, headers.get('waybill-total'), /after=/.test(headers.get('link') ?? '')]
    }
    expect((await list('?details=true'))[0]).toEqual({
      ...first,
      lastPacketDate: expect.any(Number),
      deviceCount: 1,
    })
    expect(await found('limit=1')).toEqual([['lamp'], '2', true])
    expect(await found('search=HALL')).toEqual([['lamp'], '1', false])
    expect(await found('search=127.0')).toEqual([['lamp', 'radio'], '2', false])
    expect(await found('search=nothing')).toEqual([[], '0', false])
    expect(await found('deviseId=radio')).toEqual([['radio'], '1', false])

    const page = await broker.rest.get(`${CONNECTIONS}?limit=1`)
    expect((page.body as Row[]).map(({ id }) => id)).toEqual([first?.id])
    expect(page.headers.get('link')).toBe(`<${CONNECTIONS}?limit=1&after=${first?.id}>; rel="next"`)
    expect((await list(`?after=${first?.id}`)).map(({ id }) => id)).toEqual([second?.id])
    expect((await list('?deviseId=radio')).map(({ id }) => id)).toEqual([second?.id])
    await lamp.end()
    await radio.end()
    await eventually(async () => expect(await list()).toEqual([]))
  })

  test('disconnect: an MQTT 5 client with a will → DISCONNECT 0x98, the will is published; again → 404', async () => {
    const watcher = await open('radio')
    await watcher.subscribe('producer/request/gone')
    const lamp = await open('lamp', {
      protocolVersion: 5,
      will: { topic: 'producer/request/gone', payload: Buffer.from('{"command":"bye"}'), qos: 1 },
    })
    const [row] = await list('?deviseId=lamp')
    const goodbye = lamp.packet('disconnect')
    expect((await broker.rest.delete(`${CONNECTIONS}/${row?.id}`)).status).toBe(204)
    expect(await goodbye).toMatchObject({ reasonCode: 0x98 })
    await lamp.closed
    expect((await watcher.next()).text).toBe('{"command":"bye"}')
    expect(await list('?deviseId=lamp')).toEqual([])
    const again = await broker.rest.delete(`${CONNECTIONS}/${row?.id}`)
    expect([again.status, again.body]).toEqual([
      404,
      { error: 'Not Found', message: `There is no open connection ${row?.id}.` },
    ])
    await watcher.end()
  })

  test('disconnect with will=discard: a will at once, and a delayed one → neither is published', async () => {
    const watcher = await open('radio')
    await watcher.subscribe('producer/request/dropped')
    const will = (command: string, willDelayInterval: number) => ({
      ...{ topic: 'producer/request/dropped', payload: Buffer.from(`{"command":"${command}"}`), qos: 1 },
      properties: { willDelayInterval },
    })
    const lasting = { protocolVersion: 5, clean: false, properties: { sessionExpiryInterval: 3_600 } }
    for (const delay of [0, 1]) {
      const lamp = await open('lamp', { ...lasting, clientId: `lasting ${delay}`, will: will('lost', delay) })
      const [row] = await list('?deviseId=lamp')
      const path = `${CONNECTIONS}/${row?.id}?will=`
      expect((await broker.rest.delete(`${path}keep`)).status).toBe(400)
      expect((await broker.rest.delete(`${path}discard`)).status).toBe(204)
      await lamp.closed
    }
    // A will that is kept is due after both.
    const last = await open('lamp', { ...lasting, clientId: 'last', will: will('last', 1) })
    await last.drop()
    expect((await watcher.next()).text).toBe('{"command":"last"}')
    await watcher.end()
  })

  test('list refusals: logins, topics, messages and packets were refused → a row with the reason for each', async () => {
    const { port, mqttPort } = { port: broker.port, mqttPort: broker.mqttPort }
    await call(`http://127.0.0.1:${port}`, 'POST', '/auth/login', { deviseId: 'lamp', password: 'no' })
    await call(`http://127.0.0.1:${port}`, 'POST', '/auth/isClientEnabled', {
      username: 'lamp',
      password: 'no',
    })
    await refusalOf({ port: mqttPort, username: 'lamp', password: 'no', clientId: 'x' })
    await refusalOf({ port: mqttPort, clientId: 'x' })
    const lamp = await open('lamp', { clientId: 'y' })
    await lamp.subscribe('telemetry/#')
    await lamp.publish('consumer/response/lamp', '{')
    await lamp.publish('producer/response/lamp', {})
    lamp.client.stream.write(Buffer.from([0xc0, 1, 0]))
    await lamp.closed
    const socket = connect(mqttPort, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\n\r\n')
    await new Promise((resolve) => socket.once('close', resolve))

    const times = { date: expect.any(Number), firstDate: expect.any(Number), address: '127.0.0.1' }
    const mqtt = { ...times, count: 1, transport: 'MQTT' }
    const rows = await refusals()
    const dates = rows.map(({ date }) => date as number)
    expect(dates).toEqual([...dates].sort((a, b) => b - a))
    // Nodes that share a database keep no order within a millisecond.
    const expected = [
      {
        ...mqtt,
        reason: 'PROTOCOL_ERROR',
        message: expect.stringContaining('CONNECT'),
        deviseId: null,
        clientId: null,
      },
      {
        ...mqtt,
        reason: 'PROTOCOL_ERROR',
        message: 'PINGREQ has a payload (section 3.12)',
        deviseId: 'lamp',
        clientId: 'y',
      },
      {
        ...mqtt,
        count: 2,
        reason: 'TOPIC_NOT_ALLOWED',
        message: expect.stringContaining('producer/response/lamp'),
        deviseId: 'lamp',
        clientId: 'y',
      },
      {
        ...mqtt,
        reason: 'MESSAGE_REFUSED',
        message: expect.stringContaining('JSON'),
        deviseId: 'lamp',
        clientId: 'y',
      },
      {
        ...mqtt,
        reason: 'NO_CREDENTIALS',
        message: 'user name or password is missing',
        deviseId: null,
        clientId: 'x',
      },
      {
        ...mqtt,
        reason: 'WRONG_CREDENTIALS',
        message: 'the user name or the password is wrong',
        deviseId: 'lamp',
        clientId: 'x',
      },
      {
        ...{ ...times, count: 2, transport: 'REST' },
        reason: 'WRONG_CREDENTIALS',
        message: 'The device id or the password is wrong.',
        deviseId: 'lamp',
        clientId: null,
      },
    ]
    expect(rows).toHaveLength(expected.length)
    expect(rows).toEqual(expect.arrayContaining(expected))
  })

  test('list refusals: too many failed logins → TOO_MANY_FAILURES', async () => {
    const login = () => call(broker.server.url, 'POST', '/auth/login', { deviseId: 'radio', password: 'no' })
    let status = 0
    while (status !== 429) status = (await login()).status
    const [last] = await refusals()
    expect(last).toMatchObject({ reason: 'TOO_MANY_FAILURES', deviseId: 'radio', transport: 'REST' })
  })

  test('list connections: MQTT is off → an empty list; disconnect → 404', async () => {
    const { rest } = await BrokerUnderTest.start()
    expect((await rest.get(CONNECTIONS)).body).toEqual([])
    expect((await rest.delete(`${CONNECTIONS}/1`)).status).toBe(404)
  })
})
