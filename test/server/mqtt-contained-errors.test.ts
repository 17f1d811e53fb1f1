/** An error in the work for one connection ends that connection, with one line in the log, and no other. */
import { Aedes } from 'aedes'
import { afterEach, expect, test, vi } from 'vitest'
import { DeviceSubscriptions } from '../../src/mqtt/device-subscriptions.ts'
import { CommandHandler } from '../../src/transport/command-handler.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { RawMqtt } from '../_support/raw-mqtt.ts'

const LOGIN = { username: 'admin', password: ADMIN_PASSWORD }
const publish = (topic: string, qos: number): object => ({
  ...{ cmd: 'publish', topic, qos, messageId: 1, payload: '{"command":"on"}' },
})
const subscribe = (topic: string): object => ({
  ...{ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] },
})
const boom = (): never => {
  throw new Error('boom')
}

afterEach(() => void vi.restoreAllMocks())

interface Emitter {
  emit(event: string, ...given: { id?: string }[]): boolean
}

/** Lets the library throw in an event about the client `victim`. */
function breakEvent(event: string): void {
  const { emit } = Aedes.prototype as Emitter
  vi.spyOn(Aedes.prototype as Emitter, 'emit').mockImplementation(function (this: Emitter, name, ...given) {
    if (name === event && given.some((each) => each?.id?.endsWith('victim'))) boom()
    return emit.call(this, name, ...given)
  })
}

const FAULTS: readonly [string, () => void, packet: object][] = [
  ['the library throws while it handles a packet', () => breakEvent('ping'), { cmd: 'pingreq' }],
  [
    'a command throws at once',
    () => void vi.spyOn(CommandHandler.prototype, 'submit').mockImplementation(boom),
    publish('producer/request/pump', 1),
  ],
  [
    'a command is rejected with an error',
    () => void vi.spyOn(CommandHandler.prototype, 'submit').mockRejectedValue(new Error('boom')),
    publish('producer/request/pump', 2),
  ],
  [
    'the devices of a subscription cannot be found',
    () => void vi.spyOn(DeviceSubscriptions.prototype, 'update').mockImplementation(boom),
    subscribe('consumer/request/pump'),
  ],
  [
    'the delivery to the client throws',
    () => void vi.spyOn(DeviceSubscriptions.prototype, 'accepts').mockImplementation(boom),
    publish('t/x', 0),
  ],
]

test.each([4, 5] as const)(
  'version %i: an error in the work for a packet → ends its connection alone',
  async (protocolVersion) => {
    const broker = await BrokerUnderTest.start({ mqtt: true, unchecked: true })
    const open = async (clientId: string): Promise<RawMqtt> => {
      const peer = await RawMqtt.connect(broker.mqttPort, { ...LOGIN, clientId, protocolVersion })
      await peer.next('connack')
      return peer
    }
    const other = await open('other')
    for (const [i, [name, arrange, packet]] of FAULTS.entries()) {
      const victim = await open('victim')
      victim.send(subscribe('t/x'))
      await victim.next('suback')
      arrange()
      victim.send(packet)
      await victim.closed
      vi.restoreAllMocks()
      const failures = broker.server.log.filter(({ level }) => level === 'error')
      expect(failures, name).toHaveLength(i + 1)
      expect(failures[i], name).toMatchObject({
        clientId: 'victim',
        deviceId: 'admin',
        err: { message: 'boom' },
      })
      expect(await other.rest(), name).toEqual([])
    }
  },
)

test('the library throws while a session continues → ends that connection alone', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true, unchecked: true })
  const fields = { ...LOGIN, clean: false, clientId: 'victim' }
  const first = await RawMqtt.connect(broker.mqttPort, fields)
  await first.next('connack')
  first.send(subscribe('t/x'))
  await first.next('suback')
  first.send({ cmd: 'disconnect' })
  await first.closed
  vi.spyOn(Aedes.prototype, 'subscribe').mockImplementation(boom)
  const second = await RawMqtt.connect(broker.mqttPort, fields)
  await second.closed
  vi.restoreAllMocks()
  expect(broker.server.log.filter(({ level }) => level === 'error')).toHaveLength(1)
  const third = await RawMqtt.connect(broker.mqttPort, fields)
  expect(await third.next('connack')).toMatchObject({ sessionPresent: true })
})
