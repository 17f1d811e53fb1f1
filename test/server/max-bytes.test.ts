/** The setting `maxBytes` of a device: a command that it cannot take is refused wherever it is submitted. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import type { Rest } from '../_support/rest.ts'
import { startShared } from '../_support/shared-broker.ts'

const MAXIMUM = 40
const LOGIN = { username: 'admin', password: ADMIN_PASSWORD }
/** Builds data with which the command `show` has a number of bytes. */
const dataOf = (bytes: number) => ({ text: 'x'.repeat(bytes - 'show'.length - '{"text":""}'.length) })
const refusalOf = (deviceId: string, bytes = MAXIMUM + 1) =>
  `Command and data have ${bytes} bytes, and device "${deviceId}" accepts ${MAXIMUM} (maxBytes). Send a smaller message.`

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let admin: Rest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ mqtt: true })
    admin = broker.rest
    for (const deviceId of ['small', 'small-2'])
      await admin.put(`/admin/api/devices/${deviceId}`, { maxBytes: MAXIMUM })
  })

  test('REST: as many bytes → stored; one more, in UTF-8 → 413, and nothing is stored', async () => {
    expect((await broker.request('small', { command: 'show', data: dataOf(MAXIMUM) })).status).toBe(200)
    expect((await broker.request('large', { command: 'show', data: dataOf(MAXIMUM + 1) })).status).toBe(200)
    const { status, body } = await broker.request('small', { command: 'sho\u00e9', data: dataOf(MAXIMUM) })
    expect([status, body]).toEqual([413, { error: 'Payload Too Large', message: refusalOf('small') }])
    const { body: queued } = await admin.get('/admin/api/messages?deviseId=small')
    expect(queued).toHaveLength(1)
  })

  test('MQTT: one more → the reason on producer/error, in version 5 the code 0x97', async () => {
    const [old, current] = await Promise.all(
      ([4, 5] as const).map((protocolVersion) =>
        MqttPeer.connect({ port: broker.mqttPort, ...LOGIN, protocolVersion }),
      ),
    )
    await old?.subscribe('producer/error/admin')
    const command = { command: 'show', data: dataOf(MAXIMUM + 1) }
    await old?.publish('producer/request/small', command)
    expect(JSON.parse((await old?.next())?.text ?? '')).toMatchObject({ message: refusalOf('small') })
    await expect(current?.publish('producer/request/small', command)).rejects.toMatchObject({ code: 0x97 })
  })

  test('several devices → each that is too small has the code on its line', async () => {
    const command = { command: 'show', data: dataOf(MAXIMUM + 1) }
    const refused = { id: null, code: 'too-large-for-device', params: { bytes: 41, maximum: MAXIMUM } }
    const lines = [
      { deviseId: 'small', ...refused },
      { deviseId: 'large', id: expect.any(Number), code: null, params: {} },
    ]
    const deviceIds = ['small', 'large']
    expect((await admin.post('/admin/api/messages/send', { deviceIds, ...command })).body).toEqual(lines)
    const template = (
      await admin.post('/admin/api/saved-messages', { ...command, clientId: null, details: true })
    ).body as {
      id: number
    }
    const send = `/admin/api/saved-messages/${template.id}/sendToDevices`
    expect((await admin.post(send, { deviceIds })).body).toEqual(lines)
  })

  test('a template of the device, and a message that is sent again → 413', async () => {
    const client = (await admin.post('/admin/api/clients', { deviseId: 'small-2', password: 'x' })).body
    const { id: clientId } = client as { id: number }
    const command = { command: 'show', data: dataOf(MAXIMUM + 1) }
    const template = (await admin.post('/admin/api/saved-messages', { clientId, ...command })).body as {
      id: number
    }
    const send = `/admin/api/saved-messages/${template.id}/send`
    expect(await admin.post(send, {})).toMatchObject({ status: 413, body: { message: refusalOf('small-2') } })

    const id = await broker.send('shrinks', command)
    await broker.acknowledge('shrinks', { id, deliveryStatus: 'COMPLETED' })
    await admin.put('/admin/api/devices/shrinks', { maxBytes: MAXIMUM })
    const again = await admin.post(`/admin/api/messages/${id}/resend`, {})
    expect(again).toMatchObject({ status: 413, body: { message: refusalOf('shrinks') } })
  })
})

test('endpoints beside the broker: one more → an error with the code', async () => {
  const { rest, broker } = await startShared()
  await rest.put('/admin/api/devices/small', { maxBytes: MAXIMUM })
  await broker.enqueue({ deviceId: 'small', command: 'show', data: dataOf(MAXIMUM) })
  await expect(
    broker.enqueue({ deviceId: 'small', command: 'show', data: dataOf(MAXIMUM + 1) }),
  ).rejects.toMatchObject({ code: 'too-large-for-device', message: refusalOf('small') })
})
