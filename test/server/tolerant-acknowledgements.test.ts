/** Acknowledgements with a broken optional part, and answers that cannot be understood, over REST and MQTT. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { logIn } from '../_support/rest.ts'

const MARK = Buffer.from('\ufeff')
const json = (id: number, more: string): string => `{"id":${id},"deliveryStatus":"COMPLETED"${more}}`
const bytes = (...parts: (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))

/** Each with its payload, and the reason, the result and whether one was dropped. */
const BROKEN: readonly [what: string, (id: number) => Buffer, object][] = [
  ['a byte order mark', (id) => bytes(MARK, json(id, '')), {}],
  ['trailing NULs', (id) => bytes(json(id, ',"result":1'), Buffer.alloc(9)), { result: 1 }],
  ['the rest of a buffer behind a NUL', (id) => bytes(json(id, ''), '\0LETED"}'), {}],
  ['erased flash behind it', (id) => bytes(json(id, ''), '\r\n', Buffer.alloc(9, 0xff)), {}],
  [
    'nan in the result',
    (id) => bytes(json(id, ',"result":{"t":nan},"reason":"hot"')),
    { resultDropped: true, reason: 'hot' },
  ],
  ['-inf as the result', (id) => bytes(json(id, ',"result":-inf')), { resultDropped: true }],
  [
    'no result behind its name',
    (id) => bytes(json(id, ',"result":,"reason":"hot"')),
    { resultDropped: true, reason: 'hot' },
  ],
  [
    'Latin-1 in the reason',
    (id) => bytes(json(id, ',"reason":"caf').slice(0, -1), Buffer.of(0xe9, 0x22, 0x7d)),
    { reason: 'caf\ufffd' },
  ],
  [
    'half a character in the reason',
    (id) => bytes(json(id, ',"reason":"hot ').slice(0, -1), Buffer.of(0xf0, 0x9f), '"}'),
    { reason: 'hot \ufffd' },
  ],
  [
    'a line feed and a lone backslash in the reason',
    (id) => bytes(json(id, ',"reason":"C:\\temp\\x\n\\"q\\""')),
    { reason: 'C:\temp\ufffdx\n"q"' },
  ],
  [
    'Latin-1 in the result',
    (id) => bytes(json(id, ',"result":"caf').slice(0, -1), Buffer.of(0xe9), '"}'),
    { resultDropped: true },
  ],
  [
    'a result of 300 KB',
    (id) => bytes(json(id, `,"result":"${'x'.repeat(300_000)}"`)),
    { resultDropped: true },
  ],
  ['a reason that was cut off', (id) => bytes(json(id, ',"reason":"valve st').slice(0, -1)), {}],
  ['busySeconds of -1', (id) => bytes(json(id, ',"busySeconds":-1,"reason":"hot"')), { reason: 'hot' }],
  ['busySeconds of nan', (id) => bytes(json(id, ',"busySeconds":nan,"reason":"hot"')), { reason: 'hot' }],
  [
    'a broken member that is not known',
    (id) => bytes(json(id, ',"temp":nan,"reason":"hot",')),
    { reason: 'hot' },
  ],
]

/** Each with what the answer says. */
const REFUSED: readonly [what: string, (id: number) => Buffer, why: RegExp][] = [
  ['no JSON', () => bytes('OK'), /not valid JSON/],
  ['no object', () => bytes('[1]'), /must be a JSON object/],
  ['another status', (id) => bytes(`{"id":${id},"deliveryStatus":"DONE"}`), /deliveryStatus\W+ is not valid/],
  [
    'no id',
    () => bytes('{"deliveryStatus":"COMPLETED","reason":"', Buffer.of(0xff), '"}'),
    /\bid\W+ is missing/,
  ],
  ['an id of another message', () => bytes('{"id":999999}'), /has no message 999999/],
  ['an id that was cut off', (id) => bytes(`{"deliveryStatus":"COMPLETED","id":${id}`), /not valid JSON/],
  ['a status that was cut off', (id) => bytes(`{"id":${id},"deliveryStatus":"COMPLETED`), /not valid JSON/],
  ['cut off before the status', (id) => bytes(`{"id":${id},"reason":"valve st`), /not valid JSON/],
  [
    'a quote that may hide the status',
    (id) => bytes(`{"id":${id},"reason":"a "b","deliveryStatus":"COMPLETED"}`),
    /not valid JSON/,
  ],
  ['two acknowledgements', (id) => bytes(json(id, ''), json(id, '')), /not valid JSON/],
  [
    'more than four times the body limit',
    (id) => bytes(json(id, '').padEnd(1_048_577)),
    /larger than 1048576 bytes/,
  ],
]

let broker: BrokerUnderTest
let peer: MqttPeer
let deviceId: string
let count = 0

beforeAll(async () => {
  const dataDir = await withClients('hub')
  broker = await BrokerUnderTest.start({ dataDir, mqtt: true, env: { COMMON_SEND_MESSAGE_PERIOD: '0' } })
  peer = await MqttPeer.connect({ port: broker.mqttPort, username: 'hub', password: PASSWORD })
  await peer.subscribe('producer/error/hub')
})

/** Sends a command to a new device, which receives it over MQTT. */
async function dispatched(): Promise<number> {
  deviceId = `device-${++count}`
  await peer.subscribe(`consumer/request/${deviceId}`, `producer/error/${deviceId}`)
  const id = await broker.send(deviceId, { command: 'start' })
  await peer.next()
  return id
}

/** Sends an answer of the device. Returns what the server has to say about it. */
const SEND: { readonly [transport: string]: (payload: Buffer) => Promise<string> } = {
  MQTT: async (payload) => {
    await peer.publish(`consumer/response/${deviceId}`, payload)
    return (await peer.rest()).map(({ text }) => text).join()
  },
  REST: async (payload) => (await broker.raw('POST', `/consumer/request/${deviceId}`, payload)).text(),
}

async function detail(id: number): Promise<Record<string, unknown>> {
  return (await broker.rest.get(`/producer/messages/${id}?details=true`)).body as Record<string, unknown>
}

describe.each(['REST', 'MQTT'])(`adapter ${ADAPTER}, over %s`, (transport) => {
  test.each(BROKEN)(
    'acknowledgement with %s → stored without what is broken',
    async (_what, payload, kept) => {
      const id = await dispatched()
      await SEND[transport]?.(payload(id))
      expect(await detail(id)).toMatchObject({
        deliveryStatus: 'COMPLETED',
        ...{ reason: null, result: null, resultDropped: false },
        ...kept,
        attempts: [{ outcome: 'ACKNOWLEDGED' }],
      })
    },
  )

  test.each(REFUSED)(
    'answer with %s → refused, and the attempt in flight says why',
    async (_what, payload, why) => {
      const id = await dispatched()
      expect(await SEND[transport]?.(payload(id))).toMatch(why)
      await eventually(async () => {
        const [attempt] = (await detail(id)).attempts as object[]
        expect(attempt).toMatchObject({
          outcome: 'REFUSED_ANSWER',
          reason: expect.stringMatching(why),
          until: expect.any(Number),
        })
      })
      await SEND[transport]?.(bytes(json(id, '')))
      expect(await detail(id)).toMatchObject({
        deliveryStatus: 'COMPLETED',
        attempts: [{ outcome: 'ACKNOWLEDGED' }],
      })
    },
  )

  test('three refused answers → ANSWERS_REFUSED with their number, until the device acknowledges', async () => {
    const id = await dispatched()
    const found = async () =>
      (
        (await broker.rest.get('/admin/api/alerts')).body as { items: { kind: string; deviseId: string }[] }
      ).items.filter((alert) => alert.kind === 'ANSWERS_REFUSED' && alert.deviseId === deviceId)
    for (let n = 0; n < 2; n++) await SEND[transport]?.(bytes('OK'))
    expect(await found()).toEqual([])
    await SEND[transport]?.(bytes('OK'))
    expect(await found()).toMatchObject([{ deviseId: deviceId, messageId: id, count: 3, command: 'start' }])
    await SEND[transport]?.(bytes(json(id, '')))
    expect(await found()).toEqual([])
  })
})

test('REST: a refused answer of another client → 403, and no trace', async () => {
  const id = await dispatched()
  await broker.rest.post('/admin/api/clients', { deviseId: 'spy', password: PASSWORD, ownQueueOnly: true })
  const spy = await logIn(broker.server.url, 'spy', PASSWORD)
  for (const body of ['OK', '{}'])
    expect((await spy.post(`/consumer/request/${deviceId}`, body)).status).toBe(403)
  expect(await detail(id)).toMatchObject({ attempts: [{ outcome: 'OPEN' }] })
})

test('REST: a form with a malformed percent-encoding in the reason → the status counts', async () => {
  const id = await dispatched()
  const body = `id=${id}&deliveryStatus=COMPLETED&reason=caf%E9&busySeconds=soon`
  const { status } = await broker.raw(
    'POST',
    `/consumer/request/${deviceId}`,
    body,
    'application/x-www-form-urlencoded',
  )
  expect(status).toBe(200)
  expect(await detail(id)).toMatchObject({ deliveryStatus: 'COMPLETED', reason: 'caf%E9' })
})

test('REST: a form that ends with NULs and the rest of a buffer → the status counts', async () => {
  const id = await dispatched()
  const body = `id=${id}&deliveryStatus=COMPLETED\0\0ETED`
  const type = 'application/x-www-form-urlencoded'
  const { status } = await broker.raw('POST', `/consumer/request/${deviceId}`, body, type)
  expect(status).toBe(200)
  expect(await detail(id)).toMatchObject({ deliveryStatus: 'COMPLETED' })
})

test('REST: a command with a byte order mark, NULs or more than the limit → refused as before', async () => {
  const command = '{"command":"start","data":{"text":"x"}}'
  for (const body of [bytes(MARK, command), bytes(command, '\0'), bytes(command.replace('"x"', 'nan'))])
    expect((await broker.raw('PUT', '/producer/request/lamp', body)).status).toBe(400)
  expect((await broker.raw('PUT', '/producer/request/lamp', command.padEnd(262_145))).status).toBe(413)
})

test('REST: an acknowledgement above four times the body limit → 413', async () => {
  const id = await dispatched()
  const answer = await broker.raw(
    'POST',
    `/consumer/request/${deviceId}`,
    json(id, '').padEnd(4 * 262_144 + 1),
  )
  expect(answer.status).toBe(413)
})
