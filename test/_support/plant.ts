/** Plant with devices in every state for the screens: some online, some offline, one that fails. */
import { BrokerUnderTest } from './broker.ts'
import { MqttPeer, refusalOf } from './mqtt.ts'

const PASSWORD = 'device-secret'

const DEVICES = [
  ['boiler-2', 'Boiler house, second burner'],
  ['door-west', 'Loading dock, western door'],
  ['meter-17', 'Heat meter, building 17'],
  ['pump-1', 'Well pump, main line'],
  ['pump-2', 'Well pump, reserve'],
  ['valve-a4', 'Cooling water, valve A4'],
] as const

const TEMPLATES = [
  ['pump-1', 'Night rate', 'set-speed', { speed: 1 }],
  ['pump-1', 'Day rate', 'set-speed', { speed: 3.5 }],
  ['boiler-2', 'After the yearly inspection', 'ignite', { attempts: 3, purge: true }],
] as const

/** @param recordingMs time between two readings of the incidents; default: that of the product */
export async function startPlant(recordingMs?: number): Promise<BrokerUnderTest> {
  const broker = await BrokerUnderTest.start({
    adapter: 'node',
    mqtt: true,
    env: { COMMON_SEND_MESSAGE_PERIOD: '1' },
    ...(recordingMs !== undefined && { replaced: { recordingMs } }),
  })
  for (const [deviseId, description] of DEVICES) {
    await broker.rest.post('/admin/api/clients', { deviseId, description, password: PASSWORD })
  }
  for (const deviceId of ['pump-1', 'valve-a4']) await answering(broker, deviceId)
  for (let speed = 1; speed <= 4; speed++) {
    await broker.send('pump-1', { command: 'set-speed', data: { speed } })
  }
  await broker.send('valve-a4', { command: 'open', data: { percent: 40 } })
  await done(broker, await broker.send('boiler-2', { command: 'ignite' }), 'boiler-2', 'COMPLETED_WITH_ERROR')
  await done(broker, await broker.send('door-west', { command: 'close' }), 'door-west', 'DELIVERED')
  await broker.send('meter-17', { command: 'read', believerGuarantee: 'ONLY_LAST' })
  await broker.send('meter-17', { command: 'read', believerGuarantee: 'ONLY_LAST' })
  await broker.send('pump-2', { command: 'start', data: { speed: 1 } })
  await broker.send('pump-2', { command: 'set-speed', data: { speed: 2 } })
  await templates(broker)
  await refusals(broker)
  return broker
}

async function templates({ rest }: BrokerUnderTest): Promise<void> {
  const { body } = await rest.get('/admin/api/clients')
  const clients = new Map(
    (body as { id: number; deviseId: string }[]).map(({ id, deviseId }) => [deviseId, id]),
  )
  for (const [deviseId, description, command, data] of TEMPLATES) {
    const deliveryGuarantee = 'RECEIPT_CONFIRMATION'
    const clientId = clients.get(deviseId)
    await rest.post('/admin/api/saved-messages', { clientId, description, command, data, deliveryGuarantee })
  }
}

/** Causes refused logins: a device with an old password, and a client without any. */
async function refusals({ mqttPort: port }: BrokerUnderTest): Promise<void> {
  for (let i = 0; i < 3; i++)
    await refusalOf({ port, username: 'meter-17', password: 'old', clientId: 'meter-17' })
  await refusalOf({ port, clientId: 'scanner' })
}

async function done(broker: BrokerUnderTest, id: number, deviceId: string, status: string): Promise<void> {
  await broker.poll(deviceId)
  await broker.acknowledge(deviceId, { id, deliveryStatus: status })
}

/** Connects a device that completes every message. */
async function answering(broker: BrokerUnderTest, deviceId: string): Promise<void> {
  const peer = await MqttPeer.connect({
    port: broker.mqttPort,
    username: deviceId,
    password: PASSWORD,
    clientId: deviceId,
  })
  await peer.subscribe(`consumer/request/${deviceId}`)
  void (async () => {
    for (;;) {
      const { id } = JSON.parse((await peer.next()).text) as { id: number }
      const result = { rpm: 1_450, bar: 2.4 }
      await peer.publish(`consumer/response/${deviceId}`, { id, deliveryStatus: 'COMPLETED', result })
    }
  })().catch(() => {})
}
